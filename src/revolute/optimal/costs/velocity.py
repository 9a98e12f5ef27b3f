"""The twist of a link frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.optimal.costs.cost import CostNode, OfFrame
from revolute.spatial import Motion
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO

__all__ = ["VelocityCost"]


@dataclass(frozen=True, eq=False)
class VelocityCost(OfFrame):
    """Difference of the twist of a link frame from a goal: six errors (w, v) at its origin, in the base frame.

    Its goal is (6,) [rad/s, m/s], zero by default.
    """

    word: ClassVar[str] = "velocity"
    zero_goal: ClassVar[bool] = True

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (6,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Sequence[Scalar]) -> list[Scalar]:
        columns = jacobian(dynamics.tree, node.joints, self.frame, "aligned")
        V = sum((S * v for S, v in zip(columns, node.rates, strict=True)), Motion(ZERO, ZERO))
        return [x - y for x, y in zip((*V.ang, *V.lin), goal, strict=True)]
