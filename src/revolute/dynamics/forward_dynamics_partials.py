"""Partial derivatives of forward dynamics, on the whole tree, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = ["forward_dynamics_partials"]

Rows = list[list[Scalar]]


def forward_dynamics_partials(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and M^-1 = dqdd/dtau. BP 7.2.1-7.2.3, solved for the accelerations.

    tau = ID(q, qd, qdd) holds for all states, so with tau held

        0 = dID/dq dq + dID/dqd dqd + M dqdd

    at qdd = M^-1 (tau - bias). Columns are solved by the sparse factors of M.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        tau: (nv,) joint forces [N m, N].

    Returns:
        three matrices of nv rows of nv scalars; columns as in `inverse_dynamics_partials`.
    """
    factors = mass_matrix_factors(model, q)
    bias = newton_euler(model, q, qd, (0,) * model.nv)
    qdd = factors.solve([force - held for force, held in zip(tau, bias, strict=True)])
    by_q, by_qd, _ = inverse_dynamics_partials(model, q, qd, qdd)
    dq, dqd = (
        _transposed(factors.solve_columns([[-x for x in column] for column in _transposed(by)]))
        for by in (by_q, by_qd)
    )
    return dq, dqd, factors.inverse()


def _transposed(A: Rows) -> Rows:
    return [list(row) for row in zip(*A, strict=True)]
