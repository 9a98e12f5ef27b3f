"""The axes of SDF joints: motion, limits, drive data, mimics and gearboxes."""

import math
from collections.abc import Mapping
from dataclasses import replace

from revolute.dynamics.closures import JointClosure
from revolute.errors import ModelError
from revolute.io.description import Remark
from revolute.io.directions import normalized, unit_axis
from revolute.io.sdf_models import Scope
from revolute.io.sdf_poses import Poses
from revolute.io.sdf_values import MODEL, flag, number, text, vector
from revolute.io.xml import Tag
from revolute.model import Joint, Limits, Mimic
from revolute.model.joints import Composite, Fixed, Helical, JointType, Prismatic, Revolute, Spherical, Universal
from revolute.model.joints.composed import Composed
from revolute.spatial import Vector, dot

TWO_AXES = ("universal", "revolute2")
PARTS = ("first", "second")  # element names of the axes of a joint with two axes
STOPS = {"stiffness": 1e8, "dissipation": 1.0}
LIMITS = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf, "effort": math.inf} | STOPS
DRIVE = dict.fromkeys(("damping", "friction", "spring_stiffness", "spring_reference"), 0.0)
"""Limits and drive data of an axis, with their defaults."""
ENDLESS = 1e16  # minimum size of a position limit that means "no limit" in older files
PARALLEL = 1e-6
"""Tolerance for parallel axes: maximum deviation of their cosine from one, since files have about six digits."""


def motion(node: Tag, kind: str, scope: Scope, poses: Poses) -> JointType | Composed:
    """The joint type, or composed joint, of an element <joint>."""
    if kind == "fixed":
        return Fixed()
    if kind == "ball":
        return Spherical()
    first = axis(node, "axis", scope, poses)
    if kind in TWO_AXES:
        second = axis(node, "axis2", scope, poses)
        if kind == "revolute2":
            return Composite((Revolute(first), Revolute(second)), PARTS)
        try:
            return Universal(first, second)
        except ModelError as error:
            node.fail(str(error))
    if kind != "screw":
        return Prismatic(first) if kind == "prismatic" else Revolute(first)
    if node.child("screw_thread_pitch") is not None:  # thread pitch in metres per turn, right-handed
        return Helical(first, number(node, "screw_thread_pitch", 1.0) / (2 * math.pi))
    per_metre = number(node, "thread_pitch", 1.0)  # pitch in radians per metre, left-handed
    if abs(per_metre) < 1e-9:
        node.fail(f"<thread_pitch> is {per_metre:g} radians per metre; give <screw_thread_pitch>, in metres per turn")
    return Helical(first, -1 / per_metre)


def axis(node: Tag, tag: str, scope: Scope, poses: Poses) -> Vector:
    """The unit axis in the joint's frame."""
    element = node.required(tag, f"<{tag}><xyz>0 0 1</xyz></{tag}>")
    components = vector(element, "xyz", (0, 0, 1))
    direction = normalized(node, f"<{tag}> has the axis {components}", components)
    xyz = element.child("xyz")
    frame = xyz.text("expressed_in", "") if xyz else ""
    if scope.old or flag(element, "use_parent_model_frame"):
        frame = MODEL
    if frame:
        direction = poses.pose(scope.full(frame), scope.full(node.text("name"))).R @ direction
    return unit_axis(direction)


def columns(node: Tag, kind: str, remarks: list[Remark]) -> dict[str, tuple[float, ...]]:
    """Limits and drive data, one number per axis; an entry is empty if all its numbers are defaults."""
    count = 2 if kind in TWO_AXES else 0 if kind in ("fixed", "ball") else 1
    axes = [node.required(tag, f"<{tag}>") for tag in ("axis", "axis2")[:count]]
    defaults = LIMITS | DRIVE
    values = {tag: [_axis_value(axis, kind, tag, default) for axis in axes] for tag, default in defaults.items()}
    low, high = values["lower"], values["upper"]
    if any(lower > upper for lower, upper in zip(low, high, strict=True)):
        text = f"<limit> has lower={low} and upper={high}, with no position between"
        remarks.append(Remark(f"{node.where}: {text}; the joint is loaded without position limits"))
        values["lower"] = values["upper"] = []
    stiffness, dissipation = values["stiffness"], values["dissipation"]
    if any(x <= 0 for x in stiffness) or any(x < 0 for x in dissipation):
        text = f"<limit> has {stiffness=} and {dissipation=}, which must be positive"
        remarks.append(Remark(f"{node.where}: {text}; the stops are loaded as rigid"))
        values["stiffness"] = values["dissipation"] = []
    return {tag: () if all(x == defaults[tag] for x in column) else tuple(column) for tag, column in values.items()}


def limits(values: Mapping[str, tuple[float, ...]]) -> Limits:
    """`Limits` from the values of `columns`; stops with SDFormat's default stiffness and dissipation are rigid."""
    soft = len(values["stiffness"] or values["dissipation"])
    stiffness, dissipation = (values[name] or (default,) * soft for name, default in STOPS.items())
    sides = {side: values[side] for side in ("lower", "upper", "velocity", "effort")}
    return Limits(**sides, compliance=tuple(1 / x for x in stiffness), damping=dissipation)


def _axis_value(axis: Tag, kind: str, tag: str, default: float) -> float:
    inner = axis.child("limit" if tag in LIMITS else "dynamics")
    if inner is None or (kind == "continuous" and tag in ("lower", "upper")):
        return default
    may_be_endless = tag in LIMITS and tag not in STOPS
    value = number(inner, tag, default, infinite=may_be_endless)
    unlimited = abs(value) >= ENDLESS or (tag in ("velocity", "effort") and value < 0)
    return default if may_be_endless and unlimited else value


class Couplings:
    """Reader of couplings between joints.

    Attributes:
        kinds: the types of all joints, by name.
        hinges: {(parent link, child link): (name, axis in the joint frame)} of the tree's revolute joints.
        closures: couplings that no `Drive.mimic` can represent.
        remarks: remarks on these couplings.
    """

    def __init__(self, kinds: Mapping[str, str], poses: Poses) -> None:
        self.kinds, self.poses = kinds, poses
        self.hinges: dict[tuple[str, str], tuple[str, Vector]] = {}
        self.closures: list[JointClosure] = []
        self.remarks: list[Remark] = []

    def mimic(self, node: Tag, tag: str, scope: Scope) -> Mimic | None:
        """The coupling in the element <mimic> of an axis, or None."""
        owner = node.child(tag)
        element = owner.child("mimic") if owner else None
        if element is None:
            return None
        leader, multiplier = scope.full(element.text("joint")), number(element, "multiplier", 1.0)
        if self.kinds.get(leader) in TWO_AXES:
            leader = f"{leader}.{PARTS[element.text('axis', 'axis') == 'axis2']}"
        offset = number(element, "offset", 0.0) - multiplier * number(element, "reference", 0.0)
        return Mimic(leader, multiplier, offset)

    def of_two_axes(self, node: Tag, name: str, scope: Scope) -> None:
        """Closures for <mimic> elements of a joint with two axes, since a joint has only one `Drive.mimic`."""
        for part, tag in zip(PARTS, ("axis", "axis2"), strict=True):
            if mimic := self.mimic(node, tag, scope):
                if mimic.joint not in self._axes():
                    node.fail(f"its {tag} mimics '{mimic.joint}', which is not a joint with an axis; correct the name")
                self._close(node, f"its {tag} mimics joint '{mimic.joint}'", f"{name}.{part}", mimic)

    def gearbox(self, node: Tag, scope: Scope, joints: list[Joint]) -> None:
        """Couple two joints: theta_2 = -ratio theta_1, the angles of child (2) and parent (1) in the reference body.

        http://sdformat.org/spec?elem=joint#joint_gearbox_ratio
        """
        written = text(node, "gearbox_reference_body")
        links = [self.poses.link(scope.full(name)) for name in (text(node, "parent"), text(node, "child"), written)]
        parent, child, reference = links
        if reference not in self.poses.frames:
            node.fail(f"its <gearbox_reference_body> is '{written}', which is not a link; correct the name")
        if parent == child:
            node.fail(f"its parent and child are the same link, '{parent}'; a gearbox couples two")
        if not (ratio := number(node, "gearbox_ratio", 1.0)):
            node.fail("<gearbox_ratio> is 0; it must be nonzero")
        (leader, first), (follower, second) = (
            self._turning(node, scope, tag, link, links) for tag, link in (("axis", parent), ("axis2", child))
        )
        mimic = Mimic(leader, -ratio * first * second)
        k = next(k for k, joint in enumerate(joints) if joint.name == follower)
        if joints[k].drive.mimic:
            self._close(node, f"its gearbox couples joints '{leader}' and '{follower}'", follower, mimic)
        else:
            joints[k] = replace(joints[k], drive=replace(joints[k].drive, mimic=mimic))

    def _turning(self, node: Tag, scope: Scope, tag: str, link: str, links: list[str]) -> tuple[str, int]:
        """The joint between a link and the reference body, and the sign of q in the link's angle about <axis>."""
        parent, child, reference = links
        for pair, sign in (((reference, link), 1), ((link, reference), -1)):
            if pair in self.hinges:
                joint, direction = self.hinges[pair]
                turn = self.poses.pose(scope.full(node.text("name")), joint).R
                cosine = dot(turn @ axis(node, tag, scope, self.poses), direction)
                if abs(cosine) < 1 - PARALLEL:
                    node.fail(f"its <{tag}> is not along the axis of joint '{joint}', which turns '{link}'; correct it")
                return joint, sign if cosine > 0 else -sign
        node.fail(
            f"a gearbox couples the angles of '{parent}' and '{child}' relative to '{reference}', but no revolute "
            f"joint is between '{reference}' and '{link}'; add one, or write the coupling as <mimic>"
        )

    def _close(self, node: Tag, what: str, follower: str, mimic: Mimic) -> None:
        self.closures.append(JointClosure(follower, mimic.joint, (mimic.offset, mimic.multiplier)))
        words = f"{what}, but the robot does not have this coupling; it is in Robot.closures"
        self.remarks.append(Remark(f"{node.where}: {words}, and robot.with_closures() enforces it", kept=True))

    def _axes(self) -> set[str]:
        """Names that a <mimic> may refer to: joints with one axis, and each axis of joints with two."""
        single = {name for name, kind in self.kinds.items() if kind not in (*TWO_AXES, "ball", "fixed", "gearbox")}
        return single | {f"{name}.{part}" for name, kind in self.kinds.items() if kind in TWO_AXES for part in PARTS}
