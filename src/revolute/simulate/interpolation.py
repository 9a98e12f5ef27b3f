"""Interpolation of states between instants of a motion, by a cubic in the tangent space of the previous instant.

    q(s) = q_k exp(x(s)),    x(0) = 0,    x(h) = log(q_k^-1 q_k+1)
    qd   = dexp_-x x' = x' - [x, x'] / 2! + [x, [x, x']] / 3! - ...

x is the cubic whose derivatives at both ends match the velocities: positions of order 4, velocities of order 3. For
one-axis joints, this is the cubic Hermite spline; a constant twist is reproduced exactly, also for quaternions. LP
section 3.2.3.3; Iserles et al., Lie-group methods, 2000.
"""

from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.model.model import Model

TERMS = 30
"""Number of terms of the series of dexp; the next term, at most pi^n / (n + 1)!, is below rounding errors."""


def between(t: Array, times: Array) -> tuple[Array, Array, Array]:
    """For each time: the previous instant, the length of its interval, and the elapsed fraction of the interval."""
    before = np.clip(np.searchsorted(t, times, side="right") - 1, 0, max(len(t) - 2, 0))
    after = np.minimum(before + 1, len(t) - 1)
    length = np.where(after > before, t[after] - t[before], 1.0)
    return before, length, (times - t[before]) / length


def hermite(robot: Any, t: Array, q: Array, qd: Array, times: Array) -> tuple[Array, Array]:
    """q (..., n, nq) and qd (..., n, nv) at n times within a motion of T instants; robot is None if q is a vector."""
    k, h, s = between(t, times)
    after = np.minimum(k + 1, len(t) - 1)
    h, s = h[:, None], s[:, None]
    q0, q1, v0, v1 = q[..., k, :], q[..., after, :], qd[..., k, :], qd[..., after, :]
    whole = q1 - q0 if robot is None else robot.difference(q0, q1)
    end = v1 if robot is None else np.linalg.solve(_dexp(robot, whole), v1[..., None])[..., 0]
    x = s * (1 - s) ** 2 * h * v0 + s**2 * (3 - 2 * s) * whole + s**2 * (s - 1) * h * end
    rate = (1 - s) * (1 - 3 * s) * v0 + 6 * s * (1 - s) / h * whole + s * (3 * s - 2) * end
    if robot is None:
        return q0 + x, rate
    return robot.integrate(q0, x), (_dexp(robot, x) @ rate[..., None])[..., 0]


def _dexp(model: Model, x: Array) -> Array:
    """(..., nv, nv) block-diagonal matrices dexp_-x."""
    matrices = np.zeros((*x.shape, x.shape[-1]))
    matrices[...] = np.eye(x.shape[-1])
    for body, at in zip(model.bodies, model.v_index, strict=True):
        rows = body.joint.bracket(list(np.moveaxis(x[..., at], -1, 0)))
        if not any(np.any(entry) for row in rows for entry in row):
            continue
        ad = np.stack([np.stack(np.broadcast_arrays(x[..., 0], *row)[1:], axis=-1) for row in rows], axis=-2)
        total = term = np.broadcast_to(np.eye(ad.shape[-1]), ad.shape)
        for n in range(1, TERMS):
            term = -ad @ term / (n + 1)
            total = total + term
        matrices[..., at, at] = total
    return matrices
