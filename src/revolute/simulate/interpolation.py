"""Interpolation of states between instants of a motion, by a cubic in the tangent space of the previous instant.

    q(s) = q_k exp(x(s)),    x(0) = 0,    x(h) = log(q_k^-1 q_k+1)
    qd   = dexp_-x x',       dexp_-x = 1 - ad / 2! + ad^2 / 3! - ...

x is the cubic whose derivatives at both ends match the velocities: positions are accurate to order 4, velocities to
order 3. For one-axis joints, this is the cubic Hermite spline; a constant twist is reproduced exactly, also for
quaternions. LP section 3.2.3.3; Iserles et al., Lie-group methods, 2000.
"""

from typing import Any

import numpy as np

from revolute.arguments import Array


def between(t: Array, times: Array) -> tuple[Array, Array, Array]:
    """For each time: the previous instant, the length of the interval that begins there, and its elapsed fraction."""
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
    end = v1 if robot is None else (robot.difference_partials(q0, q1)[1] @ v1[..., None])[..., 0]
    x = s * (1 - s) ** 2 * h * v0 + s**2 * (3 - 2 * s) * whole + s**2 * (s - 1) * h * end
    rate = (1 - s) * (1 - 3 * s) * v0 + 6 * s * (1 - s) / h * whole + s * (3 * s - 2) * end
    if robot is None:
        return q0 + x, rate
    return robot.integrate(q0, x), (robot.integrate_partials(q0, x)[1] @ rate[..., None])[..., 0]
