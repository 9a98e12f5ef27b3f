"""The Jacobian of the state derivative, for implicit solvers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from revolute.arguments import Array
from revolute.model.model import Model
from revolute.simulate.torque import Torque

__all__ = ["Slopes", "differences", "state_slopes"]

Slopes = Callable[[int, float, Array, Array], Array]
"""(number of the span, time, q, qd) -> derivatives of (dq/dt, qdd) with respect to (q, qd), in one row each."""

STEP = 1e-6
"""Step of central differences: absolute for numbers below 1, relative for larger ones."""


def differences(f: Callable[[Array], Array], y: Array) -> Array:
    """(m, n) df/dy for (n,) y, by central differences. Unlike in SciPy, steps do not vanish with y."""
    columns = []
    for k, h in enumerate(STEP * np.maximum(np.abs(y), 1.0)):
        low, high = y.copy(), y.copy()
        low[k] -= h
        high[k] += h
        columns.append((f(high) - f(low)) / (high[k] - low[k]))
    return np.stack(columns, axis=-1)


def state_slopes(
    space: Model, linear: Callable[..., Array], rate: Callable[..., tuple[Array, Array]], forces: Torque, held: bool
) -> Slopes:
    """Jacobian of a mechanism's state derivative, from its linear model and central differences of its forces.

    Args:
        space: a model with the motion's coordinates.
        linear: (q, qd, applied) -> A: see `Robot.linearize`.
        rate: (q, qd, applied) -> dq/dt and qdd.
        forces: the applied forces.
        held: whether the forces are independent of the state.
    """
    nq, nv = space.nq, space.nv
    rates_are_velocities = all(body.joint.nv <= 1 for body in space.bodies)

    def of_mechanism(q: Array, qd: Array, applied: Array) -> Array:
        """(..., nq + nv, nq + nv)."""
        A = linear(q, qd, applied)
        if rates_are_velocities:
            return A
        # a small change of q is T times a small motion along velocities, and dq/dt = T(q) qd
        q, qd, applied = q[..., None, :], qd[..., None, :], applied[..., None, :]
        moves = STEP * np.eye(nq)
        turns = (rate(q + moves, qd, applied)[0] - rate(q - moves, qd, applied)[0]) / (2 * STEP)
        T = np.swapaxes(rate(q, np.eye(nv), applied)[0], -1, -2)
        top = np.concatenate([np.swapaxes(turns, -1, -2), T], axis=-1)
        return np.concatenate([top, np.concatenate([A[..., nv:, :nv] @ np.linalg.pinv(T), A[..., nv:, nv:]], -1)], -2)

    def slopes(k: int, time: float, q: Array, qd: Array) -> Array:
        found = whole(of_mechanism(q, qd, forces(k, time, q, qd)), q.size // nq)
        if held:
            return found

        def under(y: Array) -> Array:
            applied = forces(k, time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))
            return np.concatenate([np.zeros(q.size), rate(q, qd, applied)[1].ravel()])

        return found + differences(under, np.concatenate([q.ravel(), qd.ravel()]))

    def whole(blocks: Array, rows: int) -> Array:
        """Block-diagonal Jacobian of all rows of a batch."""
        at = np.concatenate(
            [np.arange(rows * nq).reshape(rows, nq), rows * nq + np.arange(rows * nv).reshape(rows, nv)], axis=1
        )
        found = np.zeros((at.size, at.size))
        found[at[:, :, None], at[:, None, :]] = blocks.reshape(rows, nq + nv, nq + nv)
        return found

    return slopes
