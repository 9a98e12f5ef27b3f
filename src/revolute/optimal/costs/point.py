"""The origin of a link frame at a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.plant import Plant
from revolute.optimal.costs.cost import Node, OfFrame
from revolute.spatial.scalar import Scalar

__all__ = ["PointCost"]


@dataclass(frozen=True, eq=False)
class PointCost(OfFrame):
    """The origin of a link frame away from a point: three errors [m], along the base's axes. Its goal is (3,)."""

    word: ClassVar[str] = "point"

    def size(self, plant: Plant) -> int:
        return 3

    def goal_shape(self, plant: Plant) -> tuple[int, ...]:
        return (3,)

    def errors(self, plant: Plant, node: Node, goal: Sequence[Scalar]) -> list[Scalar]:
        place = frame_pose(plant.tree, node.joints, self.frame).p
        return [x - y for x, y in zip(place, goal, strict=True)]
