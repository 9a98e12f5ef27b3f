"""Passivity-based control, for any scalar type. Slotine & Li 1987; SHV (2006) section 8.4; Ortega & Spong 1989.

With the errors of `tracking`,

    v = qd_r - L e,    a = dv/dt,    s = qd - v = ed + L e
    tau = M(q) a + C(q, qd) v + g(q) - K s        so that    M sd + C s = -K s
"""

from collections.abc import Sequence

from revolute.dynamics.control.tracking import Tracking, times, tracking
from revolute.dynamics.kinematics import twists
from revolute.dynamics.motions import Acceleration, reference_accelerations
from revolute.dynamics.newton_euler import inward
from revolute.dynamics.regressor import parameter_powers
from revolute.model import Model, from_vector
from revolute.spatial import Inertia, Scalar, Scalars, Transform, Wrench, select


def passivity_based(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars, slope: Scalars, K: Scalars
) -> list[Scalar]:
    """tau = M a + C v + g - K s.

    Args:
        slope: the diagonal of L, nv entries [1/s].
        K: nv diagonal entries, or nv^2 entries row by row [N m s/rad, N s/m].
    """
    s, X, A = _sliding(model, q, qd, tracking(model, q, qd, q_ref, qd_ref, qdd_ref), slope)
    return [f - k for f, k in zip(_forces(model, X, A), times(K, s), strict=True)]


def sliding_mode(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars, slope: Scalars,
    bound: Scalars, boundary: Scalars, K: Scalars,
) -> list[Scalar]:
    """tau = M a + C v + g - K s - rho sat(s / phi): a sliding term within a boundary layer. Slotine & Li 1991, 9.

    For other arguments see `passivity_based`.

    Args:
        bound: rho, nv bounds of unmodelled forces [N m, N].
        boundary: phi, nv widths of the layer, in which the term is linear [rad/s, m/s].
    """
    s, X, A = _sliding(model, q, qd, tracking(model, q, qd, q_ref, qd_ref, qdd_ref), slope)
    ratios = [_clipped(x / phi, -1, 1) for x, phi in zip(s, boundary, strict=True)]
    parts = zip(_forces(model, X, A), times(K, s), times(bound, ratios), strict=True)
    return [f - k - push for f, k, push in parts]


def adaptive(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars, slope: Scalars,
    rates: Scalars, lower: Scalars, upper: Scalars, h: Scalars, estimates: Scalars, K: Scalars,
) -> tuple[list[Scalar], list[Scalar]]:
    """tau = Y pi - K s, where the parameters pi follow dpi/dt = -Gamma Y^T s within bounds. Slotine & Li 1987.

    Y = Y(q, qd, v, a) is the regressor of GOA 16. It is not formed: a body's block of Y^T s is the power due to each of
    its parameters, from the body's acceleration and its twist at joint velocities s.

    For other arguments see `passivity_based`; the inertias of the model are not used.

    Args:
        rates: the diagonal of Gamma, 10 n entries.
        lower, upper: 10 n bounds of the parameters.
        h: (1,) length of the step [s].
        estimates: 10 n parameters.

    Returns:
        tau, and the parameters after the step.
    """
    s, X, A = _sliding(model, q, qd, tracking(model, q, qd, q_ref, qd_ref, qdd_ref), slope)
    inertias = [from_vector(estimates[10 * k : 10 * k + 10]) for k in range(model.n_joints)]
    forces = _forces(model, X, A, inertias)
    moving = zip(twists(model, X, s)[1:], A[1:], strict=True)
    descent = [power for V, at in moving for power in parameter_powers(V, at)]  # the product Y^T s
    following = [
        _clipped(x - h[0] * rate * y, low, high)
        for x, rate, y, low, high in zip(estimates, rates, descent, lower, upper, strict=True)
    ]
    return [f - k for f, k in zip(forces, times(K, s), strict=True)], following


def _sliding(
    model: Model, q: Scalars, qd: Scalars, error: Tracking, slope: Scalars
) -> tuple[list[Scalar], list[Transform], list[Acceleration]]:
    """s, and the poses and reference accelerations of all bodies at reference velocity v and acceleration a."""
    v = [x - l * e for x, l, e in zip(error.v, slope, error.e, strict=True)]
    a = [x - l * rate for x, l, rate in zip(error.a, slope, error.rate, strict=True)]
    s = [x - y for x, y in zip(qd, v, strict=True)]
    return s, *reference_accelerations(model, q, qd, v, a)


def _forces(
    model: Model, X: Sequence[Transform], A: Sequence[Acceleration], inertias: Sequence[Inertia] | None = None
) -> list[Scalar]:
    """The joint forces that produce the accelerations; `inertias`, if given, replace those of the model."""
    pairs = zip(inertias or [body.inertia for body in model.bodies[1:]], A[1:], strict=True)
    return inward(model, X, [Wrench(), *(inertia.momentum_rate(at.Omega, at.a) for inertia, at in pairs)])


def _clipped(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return select(x < low, low, select(high < x, high, x))
