"""Joints of SDF that follow others: <mimic>, and gearboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from revolute.dynamics.closures import JointClosure
from revolute.io.description import Remark
from revolute.io.sdf_axes import PARTS, TWO_AXES, axis
from revolute.io.sdf_models import Scope
from revolute.io.sdf_poses import Poses
from revolute.io.sdf_values import number, text
from revolute.io.xml import Tag
from revolute.model.assemble import Connection
from revolute.model.body import Mimic
from revolute.spatial.vectors import Vector, dot

__all__ = ["Couplings"]

PARALLEL = 1e-6
"""Tolerance of the cosine between parallel axes: files have about six digits."""


class Couplings:
    """Reader of couplings between joints.

    Attributes:
        kinds: the types of all joints, by name.
        closures: couplings that no `Drive.mimic` can hold.
        remarks: on these.
    """

    def __init__(self, kinds: Mapping[str, str], poses: Poses) -> None:
        self.kinds, self.poses = kinds, poses
        self.hinges: dict[tuple[str, str], tuple[str, Vector]] = {}
        """By parent and child link: the name of a revolute joint, and its axis in the joint's frame."""
        self.closures: list[JointClosure] = []
        self.remarks: list[Remark] = []

    def mimic(self, node: Tag, tag: str, scope: Scope) -> Mimic | None:
        """The <mimic> of an axis."""
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
        """Closures for mimicking axes of a joint with two axes, since a joint has only one `Drive.mimic`."""
        for part, tag in zip(PARTS, ("axis", "axis2"), strict=True):
            if mimic := self.mimic(node, tag, scope):
                if mimic.joint not in self._axes():
                    node.fail(f"its {tag} mimics '{mimic.joint}', which is no joint with an axis; correct the name")
                self._close(node, f"its {tag} mimics joint '{mimic.joint}'", f"{name}.{part}", mimic)

    def hinge(self, joint: str, parent: str, child: str, direction: Vector) -> None:
        """Record a revolute joint of the tree, for gearboxes; `direction` is in the joint's frame."""
        self.hinges[parent, child] = (joint, direction)

    def gearbox(self, node: Tag, scope: Scope, joints: list[Connection]) -> None:
        """Couple two joints: theta_2 = -ratio theta_1, the angles of child and parent relative to the reference body.

        http://sdformat.org/spec?elem=joint#joint_gearbox_ratio
        """
        written = text(node, "gearbox_reference_body")
        links = [self.poses.link(scope.full(name)) for name in (text(node, "parent"), text(node, "child"), written)]
        parent, child, reference = links
        if reference not in self.poses.frames:
            node.fail(f"its <gearbox_reference_body> is '{written}', which is no link; correct the name")
        if parent == child:
            node.fail(f"its parent and its child are one link, '{parent}'; a gearbox couples two")
        ratio = number(node, "gearbox_ratio", 1.0)
        if ratio == 0:
            node.fail("<gearbox_ratio> is 0; a gearbox turns both of its links")
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
        """The joint between a link and the reference body, and the sign of the link's angle about <axis> by its q."""
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
            f"a gearbox couples the angles of '{parent}' and '{child}' against '{reference}', and no revolute joint is "
            f"between '{reference}' and '{link}'; add one, or write the coupling as <mimic>"
        )

    def _close(self, node: Tag, what: str, follower: str, mimic: Mimic) -> None:
        self.closures.append(JointClosure(follower, mimic.joint, (mimic.offset, mimic.multiplier)))
        words = (
            f"{node.where}: {what}, and the robot is without this coupling; it is in Robot.closures, and "
            "robot.with_closures() couples them"
        )
        self.remarks.append(Remark(words, kept=True))

    def _axes(self) -> set[str]:
        """Names that a mimic may follow: joints with one axis, and each axis of a joint with two."""
        single = {name for name, kind in self.kinds.items() if kind not in (*TWO_AXES, "ball", "fixed", "gearbox")}
        return single | {f"{name}.{part}" for name, kind in self.kinds.items() if kind in TWO_AXES for part in PARTS}
