"""The state near another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from revolute.dynamics.optimal.plant import Plant
from revolute.dynamics.optimal.screw_error import rotation_vector
from revolute.optimal.costs.cost import Array, Node, Weighted
from revolute.spatial import Vector, quaternion
from revolute.spatial.scalar import Scalar

__all__ = ["StateCost"]


@dataclass(frozen=True, eq=False)
class StateCost(Weighted):
    """The state away from another one: nv errors of positions, then nv of velocities [rad, m, s].

    Its goal is (nq + nv,), positions and velocities: by default the neutral configuration at rest. Errors of
    orientations are rotation vectors; those of a free joint's position are along the axes of the goal.
    """

    word: ClassVar[str] = "state"

    def size(self, plant: Plant) -> int:
        return 2 * plant.space.nv

    def goal_shape(self, plant: Plant) -> tuple[int, ...]:
        return (plant.space.nq + plant.space.nv,)

    def default_goal(self, plant: Plant) -> Array:
        space = plant.space
        return np.array([*(x for body in space.bodies for x in body.joint.neutral()), *np.zeros(space.nv)])

    def errors(self, plant: Plant, node: Node, goal: Sequence[Scalar]) -> list[Scalar]:
        space, errors = plant.space, []
        for body, at in zip(space.bodies, space.q_index, strict=True):
            x, y, turns = node.q[at], goal[at], body.joint.quaternion_at
            if turns is None:
                errors += [a - b for a, b in zip(x, y, strict=True)]
                continue
            *v, w = quaternion.normalized(y[turns:])
            errors += rotation_vector(quaternion.product((*(-a for a in v), w), quaternion.normalized(x[turns:])))
            if turns:
                errors += quaternion.rotation(y[turns:]).T @ (Vector(x[:turns]) - Vector(y[:turns]))
        return [*errors, *(a - b for a, b in zip(node.qd, goal[space.nq :], strict=True))]
