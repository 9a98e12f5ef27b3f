"""Small forces, forces that change little, and small accelerations."""

from dataclasses import dataclass
from typing import ClassVar

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.optimal.costs.cost import CostNode, Weighted
from revolute.spatial.scalar import Scalar, Scalars, select


@dataclass(frozen=True, eq=False)
class EffortCost(Weighted):
    """Difference of joint forces from a goal: nv errors [N m, N]. Its goal is (nv,), zero by default."""

    word: ClassVar[str] = "effort"
    of_forces: ClassVar[bool] = True
    zero_goal: ClassVar[bool] = True

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (dynamics.space.nv,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return [x - y for x, y in zip(node.tau, goal, strict=True)]


@dataclass(frozen=True, eq=False)
class EffortRateCost(EffortCost):
    """Rates of joint forces from node to node away from others: nv errors [N m/s, N/s].

        e = (tau_t - tau_t-1) / dt

    Its goal is (nv,), zero by default.
    `tau0` of `OptimalControl.solve` has the forces before the first node. They become a part of the state, so the gains
    of the plan have nv more columns.
    """

    word: ClassVar[str] = "effort rate"
    remembers: ClassVar[bool] = True

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        h = select(node.h > 0, node.h, 1.0)  # the end has no step
        return [(x - y) / h - z for x, y, z in zip(node.tau, node.before, goal, strict=True)]


@dataclass(frozen=True, eq=False)
class AccelerationCost(EffortCost):
    """Difference of joint accelerations from a goal: nv errors [rad/s^2, m/s^2]. Its goal is (nv,), zero by default."""

    word: ClassVar[str] = "acceleration"

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return [x - y for x, y in zip(node.qdd, goal, strict=True)]
