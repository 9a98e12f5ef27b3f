"""Control in joint space: computed torque, gravity compensation, feedforward, state feedback; for any scalar type."""

from collections.abc import Mapping, Sequence

from revolute.dynamics.control.tracking import times, tracking
from revolute.dynamics.newton_euler import gravity_forces, newton_euler
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars


def computed_torque(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars, K_p: Scalars, K_d: Scalars
) -> list[Scalar]:
    """tau = M(q) (a - K_d ed - K_p e) + C(q, qd) qd + g(q). LP 11.35-11.37; SHV (2006) section 8.3; BP 5.1.1.

    Also called inverse dynamics control. With e, ed and a of `tracking`, the closed loop is edd = -K_d ed - K_p e.
    K_p [1/s^2] and K_d [1/s] have nv diagonal entries, or nv^2 entries row by row.
    """
    error = tracking(model, q, qd, q_ref, qd_ref, qdd_ref)
    parts = zip(error.a, times(K_d, error.ed), times(K_p, error.e), strict=True)
    return newton_euler(model, q, qd, [a - d - p for a, d, p in parts])


def pd_with_gravity(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, K_p: Scalars, K_d: Scalars
) -> list[Scalar]:
    """tau = g(q) - K_p e - K_d ed; see `tracking`. Takegaki & Arimoto 1981; SHV (2006) section 8.2; LP section 11.4.2.

    K_p [N m/rad, N/m] and K_d [N m s/rad, N s/m] have nv diagonal entries, or nv^2 entries row by row.
    """
    error = tracking(model, q, qd, q_ref, qd_ref, (0,) * model.nv)
    parts = zip(gravity_forces(model, q), times(K_p, error.e), times(K_d, error.ed), strict=True)
    return [g - p - d for g, p, d in parts]


def feedforward_pd(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars, K_p: Scalars, K_d: Scalars
) -> list[Scalar]:
    """tau = M(q_ref) qdd_ref + C(q_ref, qd_ref) qd_ref + g(q_ref) - K_p e - K_d ed. Kelly & Santibanez 2005, 12.

    For the arguments see `computed_torque`, for the gains `pd_with_gravity`.
    """
    error = tracking(model, q, qd, q_ref, qd_ref, qdd_ref)
    forward = newton_euler(model, q_ref, qd_ref, qdd_ref)
    return [f - p - d for f, p, d in zip(forward, times(K_p, error.e), times(K_d, error.ed), strict=True)]


Rows = Sequence[Mapping[int, Scalar]]  # a sparse matrix as a list of rows, each a mapping {column: nonzero entry}


def state_feedback(
    tau: Scalars, K_p: Rows, K_d: Rows, q: Scalars, q_ref: Scalars, qd: Scalars, qd_ref: Scalars
) -> list[Scalar]:
    """The forces tau - K_p (q - q_ref) - K_d (qd - qd_ref)."""
    forces = list(tau)
    for gains, x, reference in ((K_p, q, q_ref), (K_d, qd, qd_ref)):
        errors = [a - b for a, b in zip(x, reference, strict=True)]
        for k, row in enumerate(gains):
            for column, gain in row.items():
                forces[k] = forces[k] - gain * errors[column]
    return forces
