"""Partial derivatives of forward dynamics, on the whole tree, for any scalar type."""

from collections.abc import Mapping, Sequence

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import Factors
from revolute.model.joints import Free
from revolute.model.model import Model
from revolute.spatial import Rows, Scalar, Scalars, Vector, Wrenches, tilde, transposed


def forward_dynamics_partials(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and M^-1 = dqdd/dtau. BP 7.2.1-7.2.3, solved for the accelerations.

    tau = ID(q, qd, qdd) holds for all states, so at constant tau

        0 = dID/dq dq + dID/dqd dqd + M dqdd

    at qdd = M^-1 (tau - bias). Columns are as in `inverse_dynamics_partials`; those in
    `known_columns` are not solved for.
    """
    factors = mass_matrix_factors(model, q)
    bias = newton_euler(model, q, qd, (0,) * model.nv, wrenches)
    qdd = factors.solve([force - b for force, b in zip(tau, bias, strict=True)])
    by_q, by_qd, _ = inverse_dynamics_partials(model, q, qd, qdd, wrenches)
    known_q, known_qd = known_columns(model, q, qd)
    return (
        acceleration_partials(factors, by_q, known_q),
        acceleration_partials(factors, by_qd, known_qd),
        factors.inverse(),
    )


def acceleration_partials(
    factors: Factors, force_partials: Sequence[Scalars], known: Mapping[int, Scalars] | None = None
) -> Rows:
    """-M^-1 A: partial derivatives of accelerations, from A, the rows of derivatives of forces, and the factors of M.

    `known` is {index: column of the result} for columns that need not be solved for.
    """
    columns: list[Scalars] = [*transposed(force_partials)]
    wanted = [k for k in range(len(columns)) if k not in (known or {})]
    solved = factors.solve_columns([columns[k] for k in wanted], negative=True)
    for k, column in [*(known or {}).items(), *zip(wanted, solved, strict=True)]:
        columns[k] = column
    return transposed(columns)


def known_columns(model: Model, q: Scalars, qd: Scalars) -> tuple[dict[int, list[Scalar]], dict[int, list[Scalar]]]:
    """{index: column} of dqdd/dq and of dqdd/dqd, for bodies that a free joint connects to the base.

    The motion of a floating tree does not depend on its position, orientation and linear velocity, and gravity
    accelerates all its bodies equally. So of all accelerations only vd of the free body, the time derivative of the
    components of its velocity in its frame, depends on its pose (R, p) and on v:

        vd = R^T g - w x v + ...,    dvd/dp = 0,    dvd/dturn = (R^T g) x,    dvd/dv = -w x

    Wrenches rotate with their links.
    """
    by_q: dict[int, list[Scalar]] = {}
    by_qd: dict[int, list[Scalar]] = {}
    for i, body in enumerate(model.bodies[1:], 1):
        if body.parent > 0 or not isinstance(body.joint, Free):
            continue
        at = model.v_index[i].start
        R = (body.placement @ body.joint.transform(q[model.q_index[i]])).R
        turned, drifting = tilde(R.T @ model.gravity), tilde(Vector(qd[at : at + 3]))
        for k in range(3):
            before, after = [0] * (at + 3), [0] * (model.nv - at - 6)
            by_q[at + k] = [*before, *(row[k] for row in turned), *after]
            by_q[at + 3 + k] = [0] * model.nv
            by_qd[at + 3 + k] = [*before, *(-row[k] for row in drifting), *after]
    return by_q, by_qd
