"""Linear models of a robot about a state, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.forward_dynamics_partials import forward_dynamics_partials
from revolute.robot import Robot
from revolute.scalar import Scalar

__all__ = ["brackets", "linearize"]

Rows = list[list[Scalar]]


def linearize(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]) -> tuple[Rows, Rows]:
    """A and B of d/dt (dq, dqd) = A (dq, dqd) + B dtau. BP 7.2.2, 7.2.3.

        A = | -ad        1        |    B = | 0    |
            | dqdd/dq    dqdd/dqd |        | M^-1 |

    BP has zero for -ad, which holds where velocities are rates of positions. A small motion
    dq of a free joint is a twist along the body's own axes, q exp(dq), and those axes turn:
    with q' = q V the variation of both sides gives d/dt dq = dV - V x dq.

    Args:
        robot: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        tau: (nv,) joint forces [N m, N].

    Returns:
        A, 2 nv rows of 2 nv scalars, and B, 2 nv rows of nv.
    """
    n = robot.nv
    by_q, by_qd, inverse_M = forward_dynamics_partials(robot, q, qd, tau)
    A = [[-x for x in row] + [int(i == j) for j in range(n)] for i, row in enumerate(brackets(robot, qd))]
    A += [[*left, *right] for left, right in zip(by_q, by_qd, strict=True)]
    return A, [[0] * n for _ in range(n)] + inverse_M


def brackets(robot: Robot, qd: Sequence[Scalar]) -> Rows:
    """ad of all joints, nv rows of nv scalars: see `Joint.bracket`."""
    ad: Rows = [[0] * robot.nv for _ in range(robot.nv)]
    for body, at in zip(robot.bodies, robot.v_index, strict=True):
        for k, row in enumerate(body.joint.bracket(qd[at]), at.start):
            ad[k][at] = row
    return ad
