"""Joints of SDF that follow others: <mimic>, and gearboxes."""

from __future__ import annotations

from collections.abc import Mapping

from revolute.dynamics.closures import JointClosure
from revolute.io.description import Remark
from revolute.io.sdf_axes import PARTS, TWO_AXES
from revolute.io.sdf_models import Scope
from revolute.io.sdf_poses import Poses
from revolute.io.sdf_values import number
from revolute.io.xml import Tag
from revolute.model.body import Mimic
from revolute.spatial.vectors import Vector

__all__ = ["Couplings"]

PARALLEL = 1e-6
"""How far the cosine between parallel axes may be from one: files print some six digits."""


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

    def _close(self, node: Tag, what: str, follower: str, mimic: Mimic) -> None:
        self.closures.append(JointClosure(follower, mimic.joint, (mimic.offset, mimic.multiplier)))
        text = (
            f"{node.where}: {what}, and the robot is without this coupling; it is in Robot.closures, and "
            "robot.with_closures() couples them"
        )
        self.remarks.append(Remark(text, kept=True))

    def _axes(self) -> set[str]:
        """Names that a mimic may follow: joints with one axis, and each axis of a joint with two."""
        single = {name for name, kind in self.kinds.items() if kind not in (*TWO_AXES, "ball", "fixed", "gearbox")}
        return single | {f"{name}.{part}" for name, kind in self.kinds.items() if kind in TWO_AXES for part in PARTS}
