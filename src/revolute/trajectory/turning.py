"""Angular velocities at waypoints of a cubic spline of orientations, with continuous angular acceleration.

In each piece, the rotation vector phi from its start is cubic in time. Over piece k, of duration h_k, phi reaches
theta_k. With angular velocities w_k at waypoints, phi'(h_k) = J_k^-1 w_{k+1}, and J_k = J(theta_k) of
`coordinates.spin_matrix`,

    start of piece k:  wd = 6 theta_k/h_k^2 - 4 w_k/h_k - 2 J_k^-1 w_{k+1}/h_k
    its end:           wd = -6 theta_k/h_k^2 + 2 J_k w_k/h_k + 4 w_{k+1}/h_k + n_k(w_{k+1})

where n_k is quadratic. Equal accelerations at inner waypoints lead to a block tridiagonal system for Newton's method.
Park & Ravani 1997 solve it from start to end, without conditions at the end.
"""

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError, extra
from revolute.trajectory.coordinates import spin, spin_matrix

MOST = 50  # maximum number of Newton steps; about five usually suffice


def turning_rates(turn: Array, h: Array, ends: str) -> tuple[Array, Array]:
    """(m, 3) time derivatives of the rotation vectors at the starts and ends of m pieces of (m,) durations h.

    `turn` contains the (m, 3) rotation vectors of whole pieces, smaller than pi. Raise `TrajectoryError` if rotations
    are too large for a solution.
    """
    J = spin_matrix(turn)
    back = np.linalg.inv(J)
    mean = turn / h[:, None]
    first, last = (0 * mean[0], 0 * mean[0]) if ends == "clamped" else (mean[0], mean[-1])
    w = np.concatenate([[first], (mean[1:] + mean[:-1]) / 2, [last]])
    for _ in range(MOST):
        step = _newton_step(turn, h[:, None, None], J, back, w, ends)
        w = w + step
        if not np.isfinite(w).all():
            break
        if np.abs(step).max() <= 1e-13 * max(np.abs(w).max(), np.abs(mean).max(), 1e-300):
            return w[:-1], (back @ w[1:, :, None])[..., 0]
    raise TrajectoryError("spline: orientations rotate too far between waypoints; add intermediate waypoints")


def _newton_step(turn: Array, h: Array, J: Array, back: Array, w: Array, ends: str) -> Array:
    with extra("a spline of orientations needs SciPy", "scipy"):
        import scipy
    m, one = len(turn), np.broadcast_to(np.eye(3), (len(turn), 3, 3))
    quadratic, slope = _carried(turn, back, w[1:])
    theta = 6 * turn[..., None] / h**2
    at, to = w[:-1, :, None], w[1:, :, None]
    # angular accelerations at both ends of pieces, and their derivatives with respect to w at both ends
    start = (theta - 4 * at / h - 2 * back @ to / h)[..., 0]
    end = (-theta + 2 * J @ at / h + 4 * to / h)[..., 0] + quadratic
    start_slopes, end_slopes = (-4 * one / h, -2 * back / h), (2 * J / h, 4 * one / h + slope)
    inner = np.arange(1, m)
    one0, wrong = np.eye(3)[None], np.zeros((m + 1, 3))
    wrong[1:m] = end[:-1] - start[1:]
    blocks = [
        (inner, inner - 1, end_slopes[0][:-1]),
        (inner, inner, end_slopes[1][:-1] - start_slopes[0][1:]),
        (inner, inner + 1, -start_slopes[1][1:]),
    ]
    first, last = np.array([0]), np.array([m])
    if ends == "clamped":
        wrong[0], wrong[m] = w[0], w[m]
        blocks += [(first, first, one0), (last, last, one0)]
    else:
        blocks += [(last, last - 1, end_slopes[0][-1:]), (last, last, end_slopes[1][-1:])]
    if ends == "natural":
        wrong[0], wrong[m] = start[0], end[-1]
        blocks += [(first, first, start_slopes[0][:1]), (first, first + 1, start_slopes[1][:1])]
    elif ends == "periodic":
        wrong[0], wrong[m] = w[0] - w[m], end[-1] - start[0]
        blocks += [(first, first, one0), (first, last, -one0)]
        blocks += [(last, first, -start_slopes[0][:1]), (last, first + 1, -start_slopes[1][:1])]
    row, column = (np.concatenate([np.ravel(_entries(x[k], k)) for x in blocks]) for k in (0, 1))
    entries = np.concatenate([np.ravel(x[2]) for x in blocks])
    matrix = scipy.sparse.coo_array((entries, (row, column)), shape=(3 * m + 3, 3 * m + 3))  # equal indices add up
    return np.reshape(scipy.sparse.linalg.spsolve(matrix.tocsc(), -wrong.ravel()), (m + 1, 3))


def _entries(block: Array, axis: int) -> Array:
    """(n, 3, 3) row or column indices of the entries of n blocks."""
    place = 3 * block[:, None, None] + np.arange(3).reshape((3, 1) if axis == 0 else (1, 3))
    return np.broadcast_to(place, (len(block), 3, 3))


def _carried(turn: Array, back: Array, w: Array) -> tuple[Array, Array]:
    """(m, 3) n(w), the angular accelerations at the ends of pieces if phi'' = 0, and (m, 3, 3) derivatives dn/dw."""
    # n is a quadratic form, so n(w + e) - n(w) - n(e) is its slope along e.

    def n(x: Array) -> Array:
        dphi = (back @ x[..., None])[..., 0]
        return spin(turn, dphi, np.zeros_like(dphi))[1]

    units = np.broadcast_to(np.eye(3)[:, None], (3, *w.shape))
    value = n(w)
    return value, np.stack([n(w + e) - value - n(e) for e in units], axis=-1)
