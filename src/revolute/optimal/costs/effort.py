"""Small forces, and small accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.optimal.costs.cost import Array, CostNode, Weighted
from revolute.spatial.scalar import Scalar

__all__ = ["AccelerationCost", "EffortCost"]


@dataclass(frozen=True, eq=False)
class EffortCost(Weighted):
    """Difference of joint forces from a goal: nv errors [N m, N]. Its goal is (nv,), zero by default."""

    word: ClassVar[str] = "effort"
    of_forces: ClassVar[bool] = True

    def size(self, dynamics: Dynamics) -> int:
        return dynamics.space.nv

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (dynamics.space.nv,)

    def default_goal(self, dynamics: Dynamics) -> Array:
        return np.zeros(dynamics.space.nv)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Sequence[Scalar]) -> list[Scalar]:
        return [x - y for x, y in zip(node.tau, goal, strict=True)]


@dataclass(frozen=True, eq=False)
class AccelerationCost(EffortCost):
    """Difference of joint accelerations from a goal: nv errors [rad/s^2, m/s^2]. Its goal is (nv,), zero by default."""

    word: ClassVar[str] = "acceleration"

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Sequence[Scalar]) -> list[Scalar]:
        return [x - y for x, y in zip(node.qdd, goal, strict=True)]
