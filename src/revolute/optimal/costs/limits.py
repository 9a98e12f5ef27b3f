"""Positions and velocities within their limits."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError
from revolute.model.columns import limit_column
from revolute.optimal.costs.cost import Array, Between, CostNode, Weighted
from revolute.spatial.scalar import Scalars

KINDS = ("position", "velocity")


@dataclass(frozen=True, eq=False)
class LimitCost(Weighted):
    """Positions, or velocities, beyond limits: an error for each joint with one axis [rad, m, s].

    With `hard=True` the limits hold, to the tolerance of `solve`; otherwise the weight is the penalty for exceeding
    them. Its goal is (2, n), lower and upper limits of these joints: by default those of the robot. Joints with
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
        if self.kind not in KINDS:
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
