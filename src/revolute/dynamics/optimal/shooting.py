"""One step of a policy along a plan, over any scalar. Mastalli et al. 2020 (FDDP): gaps close in proportion."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.spatial.scalar import Scalar, select

__all__ = ["kept", "moved_on"]

Vec = Sequence[Scalar]

FAR = 1e6
"""States beyond this are replaced by neutral ones, and the row is marked as lost, before numbers overflow."""


def moved_on(
    dynamics: Dynamics, x: Vec, tau: Vec, qdd: Vec, gap: Vec, share: Scalar, h: Scalar
) -> tuple[list[Scalar], list[Scalar], Scalar]:
    """The state after a step, moved back by (1 - share) of the gap into it.

    Args:
        dynamics: the robot.
        x, tau, qdd: the state, forces, and the accelerations under them.
        gap: into the next node, of the previous plan.
        share: length of the step of the policy, from 0 to 1.
        h: time of the step.

    Returns:
        the next state, the way from it to where the step arrived, and 1 if it was given up, else 0.
    """
    arrived = dynamics.step(x, tau, qdd, h)
    after, lost = kept(dynamics, dynamics.moved(arrived, [(share - 1) * g for g in gap]))
    return after, dynamics.difference(after, arrived), lost


def kept(dynamics: Dynamics, x: Vec) -> tuple[list[Scalar], Scalar]:
    """The state and 0; the neutral state and 1 if it is too large to continue, or NaN."""
    largest = 0.0
    for y in x:
        largest = select(abs(y) <= FAR, largest, FAR * 2)
    near = largest <= FAR
    rest = dynamics.rest()
    return [select(near, y, still) for y, still in zip(x, rest, strict=True)], select(near, 0.0, 1.0)
