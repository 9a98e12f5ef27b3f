"""The state near a goal state."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.dynamics.pose_error import rotation_vector
from revolute.optimal.costs.cost import Array, CostNode, Weighted
from revolute.spatial import Vector, quaternion
from revolute.spatial.scalar import Scalar, Scalars, select


@dataclass(frozen=True, eq=False)
class StateCost(Weighted):
    """Difference of the state from a goal: nv errors of positions, then nv of velocities [rad, m, s].

    Its goal is (nq + nv,), positions and velocities: by default the neutral configuration at rest. Errors of
    orientations are rotation vectors; those of a free joint's position are expressed in the frame of the goal.
    """

    word: ClassVar[str] = "state"

    def size(self, dynamics: Dynamics) -> int:
        return 2 * dynamics.space.nv

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (dynamics.space.nq + dynamics.space.nv,)

    def default_goal(self, dynamics: Dynamics) -> Array:
        return np.array(dynamics.rest()[: dynamics.space.nq + dynamics.space.nv])

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        space, errors = dynamics.space, []
        for body, at in zip(space.bodies, space.q_index, strict=True):
            x, y, turns = node.q[at], goal[at], body.joint.quaternion_at
            if turns is None:
                errors += [a - b for a, b in zip(x, y, strict=True)]
                continue
            *v, w = quaternion.normalized(y[turns:])
            turn = quaternion.product((*(-a for a in v), w), quaternion.normalized(x[turns:]))
            shortest = select(turn[3] < 0, -1.0, 1.0)
            errors += rotation_vector([a * shortest for a in turn])
            if turns:
                errors += quaternion.rotation(y[turns:]).T @ (Vector(x[:turns]) - Vector(y[:turns]))
        return [*errors, *(a - b for a, b in zip(node.qd, goal[space.nq :], strict=True))]
