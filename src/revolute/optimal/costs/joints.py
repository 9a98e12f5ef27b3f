"""Costs of joints: the state, forces and accelerations, limits."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError
from revolute.model.columns import limit_column
from revolute.optimal.costs.cost import Array, Between, CostNode, Weighted
from revolute.spatial.scalar import Scalar, Scalars, select


@dataclass(frozen=True, eq=False)
class StateCost(Weighted):
    """Deviation of the state from a goal: nv errors of positions [rad, m], then nv of velocities [rad/s, m/s].

    The goal is (nq + nv,), positions and velocities: by default the neutral configuration at rest. Errors of positions
    are `difference(q_goal, q)`: for a free joint, the screw from the goal, in the frame of the goal, rotation first.
    """

    word: ClassVar[str] = "state"

    def size(self, dynamics: Dynamics) -> int:
        return 2 * dynamics.space.nv

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (dynamics.space.nq + dynamics.space.nv,)

    def default_goal(self, dynamics: Dynamics) -> Array:
        return np.array(dynamics.rest()[: dynamics.space.nq + dynamics.space.nv])

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return dynamics.difference(goal, [*node.q, *node.qd])


@dataclass(frozen=True, eq=False)
class TorqueCost(Weighted):
    """Deviation of joint forces from a goal: nv errors [N m, N]. The goal is (nv,), zero by default."""

    word: ClassVar[str] = "torque"
    of_forces: ClassVar[bool] = True
    zero_goal: ClassVar[bool] = True

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (dynamics.space.nv,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return [x - y for x, y in zip(node.tau, goal, strict=True)]


@dataclass(frozen=True, eq=False)
class TorqueRateCost(TorqueCost):
    """Deviation of the rates of joint forces from a goal: nv errors [N m/s, N/s].

        e = (tau_t - tau_t-1) / dt

    The goal is (nv,), zero by default.
    `tau0` of `OptimalControl.solve` gives the forces before the first node. The forces of the previous step become part
    of the state, so the gains of the plan have nv more columns.
    """

    word: ClassVar[str] = "torque rate"
    remembers: ClassVar[bool] = True

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        h = select(node.h > 0, node.h, 1.0)  # the last node has no time step
        return [(x - y) / h - z for x, y, z in zip(node.tau, node.before, goal, strict=True)]


@dataclass(frozen=True, eq=False)
class AccelerationCost(TorqueCost):
    """Deviation of joint accelerations from a goal: nv errors [rad/s^2, m/s^2]. The goal is (nv,), by default zero."""

    word: ClassVar[str] = "acceleration"

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return [x - y for x, y in zip(node.qdd, goal, strict=True)]


@dataclass(frozen=True, eq=False)
class LimitCost(Weighted):
    """Excess of joint positions [rad, m], or velocities [rad/s, m/s], over limits: one error per joint with one axis.

    With `hard=True`, limits hold to the tolerance `violation` of `solve`; otherwise the weight penalizes the
    excess. The goal is (2, n), lower and upper limits of these joints: by default the limits of the robot. Joints with
    quaternions have no limits.

    Example:
        >>> from revolute.optimal import LimitCost
        >>> LimitCost(100.0, "velocity", hard=True).called()
        'velocity limits'
    """

    kind: str = "position"
    word: ClassVar[str] = "limits"

    def called(self) -> str:
        return self.name or f"{self.kind} limits"

    def check(self, dynamics: Dynamics) -> None:
        if self.kind not in ("position", "velocity"):
            raise InputError(f"LimitCost: kind must be 'position' or 'velocity', not {self.kind!r}")

    def joints(self, dynamics: Dynamics) -> list[int]:
        """Indices of the limited joints in q, or in qd."""
        space = dynamics.space
        index = space.q_index if self.kind == "position" else space.v_index
        return [at.start for body, at in zip(space.bodies, index, strict=True) if body.joint.nq == body.joint.nv == 1]

    def size(self, dynamics: Dynamics) -> int:
        return len(self.joints(dynamics))

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (2, self.size(dynamics))

    def default_goal(self, dynamics: Dynamics) -> Array:
        if self.kind == "velocity":
            fastest = limit_column(dynamics.space, "velocity", "nv", math.inf)
            limits = [-fastest, fastest]
        else:
            limits = [limit_column(dynamics.space, x, "nq", y) for x, y in (("lower", -math.inf), ("upper", math.inf))]
        return np.array(limits)[:, self.joints(dynamics)]

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Between]:
        values = node.q if self.kind == "position" else node.qd
        places, n = self.joints(dynamics), self.size(dynamics)
        return [Between(values[k], low, high) for k, low, high in zip(places, goal[:n], goal[n:], strict=True)]
