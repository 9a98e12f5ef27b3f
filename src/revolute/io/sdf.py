"""SDF: links and joints of the model in an SDFormat file. http://sdformat.org/spec"""

from __future__ import annotations

import math
from pathlib import Path

from revolute.dynamics.closures import AxisClosure, Closure, FrameClosure, JointClosure, PointClosure
from revolute.errors import InputError, ModelError
from revolute.io.description import Description, Remark
from revolute.io.grammar import unknown_names
from revolute.io.rounding import unit_axis
from revolute.io.sdf_grammar import SDF
from revolute.io.sdf_values import WORLD, Poses, flag, number, own_pose, text, vector
from revolute.io.source import Source
from revolute.io.urdf import mimics
from revolute.io.xml import Tag
from revolute.model.assemble import Connection, Link
from revolute.model.body import Drive, Limits, Mimic
from revolute.model.joints import Composite, Fixed, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from revolute.model.joints.composed import Composed
from revolute.model.reduce import with_z_along
from revolute.spatial import Inertia, Rotation, Transform, Vector

__all__ = ["read_sdf"]

TYPES = ("revolute", "continuous", "prismatic", "screw", "universal", "revolute2", "ball", "fixed")
TWO_AXES = ("universal", "revolute2")
PARTS = ("first", "second")
"""Names of the axes of a joint with two axes."""
LIMITS = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf, "effort": math.inf}
DRIVE = dict.fromkeys(("damping", "friction", "spring_stiffness", "spring_reference"), 0.0)
"""Limits and drive data of an axis, with their defaults."""
ENDLESS = 1e16
"""Older files write a position of this size or more for no limit."""


def read_sdf(root: Tag, source: Source, base: str) -> Description:
    """The links and joints of the one model of an SDF file or text: see `revolute.load`."""
    where = root.where
    worlds = list(root.children("world"))
    models = [model for place in (root, *worlds) for model in place.children("model")]
    if len(models) != 1:
        root.fail(f"it has {len(models)} models; give one <model>, there or in one <world>")
    reader = _Reader(models[0], root.text("version", "1.7"))
    gravity = vector(worlds[0], "gravity", (0, 0, -9.81)) if worlds else (0, 0, -9.81)
    reader.place_base(base)
    name = models[0].text("name", "") or (Path(source.path).stem if source.path else "robot")
    remarks = unknown_names(root, SDF) + reader.remarks + mimics(where, reader.joints)
    return Description(name, reader.links, reader.joints, where, remarks, tuple(reader.closures), tuple(gravity))


class _Reader:
    """Links, joints and closures of a model."""

    def __init__(self, model: Tag, version: str) -> None:
        self.model = model
        self.old = version in ("1.0", "1.1", "1.2", "1.3", "1.4")
        self.links: list[Link] = []
        self.joints: list[Connection] = []
        self.closures: list[Closure] = []
        self.remarks: list[Remark] = []
        for tag in ("include", "model"):
            if list(model.children(tag)):
                model.fail(f"it has <{tag}> in it, which is not opened; merge all links and joints into one <model>")
        links, joints, _ = (model.named_children(tag) for tag in ("link", "joint", "frame"))
        if not links:
            model.fail("it has no links")
        if flag(model, "static"):
            text = f"model '{model.text('name', '')}': it is <static>, so SDFormat holds it still; here its joints move"
            self.remarks.append(Remark(f"{model.where}: {text}"))
        self.poses = Poses(model, self.remarks)
        self.kinds = {node.text("name"): node.text("type", "") for node in joints}
        for node in links:
            self.links.append(self._link(node))
        self.children: set[str] = set()
        self.joined: dict[str, str] = {}
        for node in joints:
            self._joint(node)

    def place_base(self, base: str) -> None:
        """Mount the root link where the model is in the world, or let it float."""
        children = {joint.child for joint in self.joints}
        roots = [link.name for link in self.links if link.name not in children]
        on_world = any(joint.parent == WORLD for joint in self.joints)
        if base == "free":
            if on_world:
                raise InputError(f"base must be 'fixed' for '{self.model.where}': one of its joints is on the world")
            return
        self.links.insert(0, Link(WORLD))
        if len(roots) == 1 and not on_world:
            pose = self.poses.pose(roots[0], WORLD)
            self.joints.insert(0, Connection(f"{WORLD}:{roots[0]}", WORLD, roots[0], Fixed(), pose))

    def _link(self, node: Tag) -> Link:
        inertial = node.child("inertial")
        if inertial is None:
            self.remarks.append(Remark(f"{node.where}: it has no <inertial>, so SDFormat gives it 1 kg and 1 kg m^2"))
            return Link(node.text("name"), Inertia.from_com(1.0, (0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1))))
        inertial = type(inertial)(inertial.element, node.where)
        if inertial.flag("auto"):
            inertial.fail("its inertia is auto, computed from shapes, which are not read; write mass and inertia")
        mass, moments = number(inertial, "mass", 1.0), inertial.child("inertia")
        if mass < 0:
            node.fail(f"<mass> is {mass:g}; a mass must be positive or zero")
        xx, yy, zz, xy, xz, yz = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        if moments is not None:
            xx, yy, zz = (number(moments, tag, 1.0) for tag in ("ixx", "iyy", "izz"))
            xy, xz, yz = (number(moments, tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
        _, pose = own_pose(inertial, self.remarks)
        inertia = Inertia.from_com(mass, pose.p, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), pose.R)
        return Link(node.text("name"), inertia)

    def _joint(self, node: Tag) -> None:
        name, kind = node.text("name"), node.text("type")
        if kind not in TYPES:
            node.fail(f"joint type '{kind}' is not one of {', '.join(TYPES)}")
        parent, child = (self.poses.link(text(node, tag)) for tag in ("parent", "child"))
        if child == WORLD:
            node.fail("its child is the world; exchange <parent> and <child>")
        joint = self._motion(node, kind)
        in_parent, in_child = (self.poses.pose(name, link) for link in (parent, child))
        if child in self.children or self._group(parent) == self._group(child):
            self._close(node, joint, (child, in_child), (None if parent == WORLD else parent, in_parent))
            return
        self.children.add(child)
        self.joined[self._group(child)] = self._group(parent)
        columns = self._columns(node, kind)
        limits = Limits(*(columns[side] for side in ("lower", "upper", "velocity", "effort")))
        drive = Drive(
            columns["damping"],
            columns["friction"],
            None if kind in TWO_AXES else self._mimic(node, "axis"),
            stiffness=columns["spring_stiffness"],
            rest=columns["spring_reference"],
        )
        if kind in TWO_AXES:
            self._couple_parts(node, name)
        child_in_joint = in_child.inverse().merged()
        between = child if child_in_joint == Transform() else f"{child}:{name}"
        self.joints.append(Connection(name, parent, between, joint, in_parent, limits, drive))
        if between != child:
            self.links.append(Link(between))
            self.joints.append(Connection(f"{child}:mount", between, child, Fixed(), child_in_joint))

    def _group(self, link: str) -> str:
        """The link that stands for all links that joints have joined so far."""
        while link in self.joined:
            link = self.joined[link]
        return link

    def _motion(self, node: Tag, kind: str) -> Joint | Composed:
        if kind == "fixed":
            return Fixed()
        if kind == "ball":
            return Spherical()
        axis = self._axis(node, "axis")
        if kind in TWO_AXES:
            second = self._axis(node, "axis2")
            if kind == "revolute2":
                return Composite((Revolute(axis), Revolute(second)), PARTS)
            try:
                return Universal(axis, second)
            except ModelError as error:
                node.fail(str(error))
        if kind != "screw":
            return Prismatic(axis) if kind == "prismatic" else Revolute(axis)
        if node.child("screw_thread_pitch") is not None:  # metres a turn, right-handed
            return Helical(axis, number(node, "screw_thread_pitch", 1.0) / (2 * math.pi))
        per_metre = number(node, "thread_pitch", 1.0)  # radians a metre, left-handed
        if abs(per_metre) < 1e-9:
            node.fail(f"<thread_pitch> is {per_metre:g} radians a metre; give <screw_thread_pitch>, in metres a turn")
        return Helical(axis, -1 / per_metre)

    def _axis(self, node: Tag, tag: str) -> Vector:
        """The unit axis in the joint's frame."""
        element = node.required(tag, f"<{tag}><xyz>0 0 1</xyz></{tag}>")
        components = vector(element, "xyz", (0, 0, 1))
        length = math.hypot(*components)
        if not 1e-9 < length < math.inf:
            node.fail(f"<{tag}> has the axis {components}, which has no direction; give a vector of length one")
        direction = Vector(x / length for x in components)
        xyz = element.child("xyz")
        frame = xyz.text("expressed_in", "") if xyz else ""
        if self.old or flag(element, "use_parent_model_frame"):
            frame = "__model__"
        if frame:
            direction = self.poses.pose(frame, node.text("name")).R @ direction
        return unit_axis(direction)

    def _columns(self, node: Tag, kind: str) -> dict[str, tuple[float, ...]]:
        """Limits and drive data, a number for each axis; empty if all have their defaults."""
        count = 2 if kind in TWO_AXES else 0 if kind in ("fixed", "ball") else 1
        axes = [node.required(tag, f"<{tag}>") for tag in ("axis", "axis2")[:count]]
        defaults = LIMITS | DRIVE
        columns = {tag: [_axis_value(axis, kind, tag, default) for axis in axes] for tag, default in defaults.items()}
        low, high = columns["lower"], columns["upper"]
        if any(lower > upper for lower, upper in zip(low, high, strict=True)):
            text = (
                f"{node.where}: <limit> has lower={low} and upper={high}, with no position between; the joint is "
                "loaded without position limits"
            )
            self.remarks.append(Remark(text))
            columns["lower"] = columns["upper"] = []
        return {
            tag: () if all(value == defaults[tag] for value in values) else tuple(values)
            for tag, values in columns.items()
        }

    def _couple_parts(self, node: Tag, name: str) -> None:
        """Closures for mimicking axes of a joint with two axes, since a joint has only one `Drive.mimic`."""
        for part, tag in zip(PARTS, ("axis", "axis2"), strict=True):
            if mimic := self._mimic(node, tag):
                if mimic.joint not in self._axes():
                    node.fail(f"its {tag} mimics '{mimic.joint}', which is no joint with an axis; correct the name")
                follower = f"{name}.{part}"
                self.closures.append(JointClosure(follower, mimic.joint, (mimic.offset, mimic.multiplier)))
                text = (
                    f"{node.where}: its {tag} mimics joint '{mimic.joint}', and the robot is without this coupling; it "
                    "is in Robot.closures, and robot.with_closures() couples them"
                )
                self.remarks.append(Remark(text, kept=True))

    def _axes(self) -> set[str]:
        """Names that a mimic may follow: joints with one axis, and each axis of a joint with two."""
        single = {name for name, kind in self.kinds.items() if kind not in (*TWO_AXES, "ball", "fixed")}
        return single | {f"{name}.{part}" for name, kind in self.kinds.items() if kind in TWO_AXES for part in PARTS}

    def _mimic(self, node: Tag, tag: str) -> Mimic | None:
        axis = node.child(tag)
        mimic = axis.child("mimic") if axis else None
        if mimic is None:
            return None
        leader, multiplier = mimic.text("joint"), number(mimic, "multiplier", 1.0)
        if self.kinds.get(leader) in TWO_AXES:
            leader = f"{leader}.{PARTS[mimic.text('axis', 'axis') == 'axis2']}"
        return Mimic(leader, multiplier, number(mimic, "offset", 0.0) - multiplier * number(mimic, "reference", 0.0))

    def _close(
        self, node: Tag, joint: Joint | Composed, a: tuple[str, Transform], b: tuple[str | None, Transform]
    ) -> None:
        """Add a loop closure: a joint between links that other joints have joined already."""
        turn = Transform()
        kind: type[AxisClosure] | type[FrameClosure] | type[PointClosure] | None = None
        if isinstance(joint, Revolute):
            kind, turn = AxisClosure, Transform(Rotation((with_z_along(joint.axis),)))
        elif isinstance(joint, Spherical):
            kind = PointClosure
        elif isinstance(joint, Fixed):
            kind = FrameClosure
        if kind is None:
            node.fail(
                f"link '{a[0]}' is held by other joints too, and only revolute, ball and fixed joints close loops; "
                "let another joint of the loop come later"
            )
        at_a, at_b = ((place @ turn).merged() for _, place in (a, b))
        self.closures.append(kind(a[0], b[0], at_a, at_b))
        text = (
            f"{node.where}: it closes a loop, and the robot is the tree without it; it is in Robot.closures, without "
            "its limits and drive, and robot.with_closures() keeps the loop closed"
        )
        self.remarks.append(Remark(text, kept=True))


def _axis_value(axis: Tag, kind: str, tag: str, default: float) -> float:
    inner = axis.child("limit" if tag in LIMITS else "dynamics")
    if inner is None or (kind == "continuous" and tag in ("lower", "upper")):
        return default
    value = number(inner, tag, default, infinite=tag in LIMITS)
    unlimited = abs(value) >= ENDLESS or (tag in ("velocity", "effort") and value < 0)
    return default if tag in LIMITS and unlimited else value
