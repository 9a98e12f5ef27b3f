"""A link frame at a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from revolute.dynamics.optimal.screw_error import screw_error
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.optimal.costs.cost import CostNode, OfFrame
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar

__all__ = ["PoseCost"]


@dataclass(frozen=True, eq=False)
class PoseCost(OfFrame):
    """Deviation of a link frame from a pose: its errors are the six components of the screw between them.

        e = log(T_goal^-1 T),    angular part first [rad, m]

    Its goal is a (4, 4) matrix, or a `Transform`. There may be six weights, for rotations and displacements.

    Example:
        >>> from revolute.optimal import PoseCost
        >>> PoseCost("tool0", [1, 1, 1, 100, 100, 100]).called()
        'pose of tool0'
    """

    word: ClassVar[str] = "pose"

    def size(self, dynamics: Dynamics) -> int:
        return 6

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (4, 4)

    def converted_goal(self, what: str, goal: Any) -> Any:
        return goal.matrix() if isinstance(goal, Transform) else goal

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Sequence[Scalar]) -> list[Scalar]:
        return screw_error(dynamics.tree, node.joints, goal, self.frame)
