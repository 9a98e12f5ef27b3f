"""One step of a policy along a plan, over any scalar. Mastalli et al. 2020 (FDDP): gaps close in proportion."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.optimal.box import Box, clamped
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar, select

__all__ = ["Stepped", "kept", "shoot"]

Vec = Sequence[Scalar]

FAR = 1e6
"""Largest state that is integrated. Larger ones become neutral, and the row is marked, before numbers overflow."""


@dataclass(frozen=True)
class Stepped:
    """Results of a step of a policy.

    Attributes:
        x: the next state.
        tau, qdd: forces and accelerations of this node.
        gap: the difference from `x` to the state where the step arrived.
        lost: 1 if the next state was too large, otherwise 0.
    """

    x: Vec
    tau: Vec
    qdd: Vec
    gap: Vec
    lost: Scalar


def shoot(
    dynamics: Dynamics, x: Vec, near: Vec, tau: Vec, K: Sequence[Vec], k: Vec, gap: Vec, share: Scalar, h: Scalar,
    box: Box | None = None,
) -> Stepped:
    """The forces tau + share k + K (x - near), and the state after a step with them, moved back by (1 - share) gap.

    Args:
        dynamics: the robot.
        x, near: the state (q, qd), and the state of the previous plan.
        tau: forces of the previous plan.
        K, k: nv rows of 2 nv, and nv numbers.
        gap: into the next node, of the previous plan.
        share: step length as a fraction, from 0 to 1.
        h: time of the step.
        box: bounds of forces.
    """
    nq = dynamics.space.nq
    dx = dynamics.difference(near, x)
    forces = [
        a + share * b + sum(c * d for c, d in zip(row, dx, strict=True))
        for a, b, row in zip(tau, k, K, strict=True)
    ]
    if box is not None:
        forces = clamped(forces, box)
    q, qd = x[:nq], x[nq:]
    qdd = dynamics.accelerations(q, qd, forces)
    arrived = [y for part in dynamics.step(q, qd, qdd, h) for y in part]
    after = dynamics.moved(arrived, [(share - 1) * g for g in gap])
    after, lost = kept(dynamics, after)
    return Stepped(after, forces, qdd, dynamics.difference(after, arrived), lost)


def kept(dynamics: Dynamics, x: Vec) -> tuple[list[Scalar], Scalar]:
    """The state and 0; the neutral state and 1 if it is too large to continue, or NaN."""
    largest = 0.0
    for y in x:
        largest = select(abs(y) <= FAR, largest, FAR * 2)
    near = largest <= FAR
    rest = dynamics.rest()
    return [select(near, y, still) for y, still in zip(x, rest, strict=True)], select(near, 0.0, 1.0)
