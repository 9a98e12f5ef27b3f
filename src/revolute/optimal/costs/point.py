"""The origin of a link frame at a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.optimal.costs.cost import CostNode, OfFrame
from revolute.spatial.scalar import Scalar

__all__ = ["PointCost"]


@dataclass(frozen=True, eq=False)
class PointCost(OfFrame):
    """Distance of the origin of a link frame from a point: three errors [m] in the base frame. Its goal is (3,)."""

    word: ClassVar[str] = "point"

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (3,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Sequence[Scalar]) -> list[Scalar]:
        place = frame_pose(dynamics.tree, node.joints, self.frame).p
        return [x - y for x, y in zip(place, goal, strict=True)]
