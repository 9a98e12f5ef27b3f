"""Partial derivatives of forward dynamics, on the whole tree, over any scalar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import Factors
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = ["acceleration_partials", "forward_dynamics_partials"]

Rows = list[list[Scalar]]


def forward_dynamics_partials(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Mapping[str, Sequence[Scalar]] | None = None,
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and M^-1 = dqdd/dtau. BP 7.2.1-7.2.3, solved for the accelerations.

    tau = ID(q, qd, qdd) holds for all states, so at constant tau

        0 = dID/dq dq + dID/dqd dqd + M dqdd

    at qdd = M^-1 (tau - bias). Columns are solved by the sparse factors of M.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        tau: (nv,) joint forces [N m, N].
        wrenches: from the environment: see `inverse_dynamics_partials`.

    Returns:
        three matrices of nv rows of nv scalars; columns as in `inverse_dynamics_partials`.
    """
    factors = mass_matrix_factors(model, q)
    bias = newton_euler(model, q, qd, (0,) * model.nv, wrenches)
    qdd = factors.solve([force - b for force, b in zip(tau, bias, strict=True)])
    by_q, by_qd, _ = inverse_dynamics_partials(model, q, qd, qdd, wrenches)
    return acceleration_partials(factors, by_q), acceleration_partials(factors, by_qd), factors.inverse()


def acceleration_partials(factors: Factors, force_partials: Sequence[Sequence[Scalar]]) -> Rows:
    """-M^-1 A: partial derivatives of accelerations from those of forces, A."""
    columns = factors.solve_columns([[-x for x in column] for column in _transposed(force_partials)])
    return _transposed(columns)


def _transposed(A: Sequence[Sequence[Scalar]]) -> Rows:
    return [list(row) for row in zip(*A, strict=True)]
