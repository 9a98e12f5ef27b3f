"""From one instant to the next: the motion of (q, qd) under given rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import MissingExtraError, SimulationError
from revolute.simulate.run import Patience

__all__ = ["adaptive", "runge_kutta_4"]

Array = NDArray[Any]
Rates = Callable[[float, Array, Array], tuple[Array, Array]]
"""(time, q, qd) -> (dq/dt, qdd)."""


def runge_kutta_4(rates: Rates, span: tuple[float, float], q: Array, qd: Array) -> tuple[Array, Array]:
    """One step of the classical method of order 4."""
    start, h = span[0], span[1] - span[0]
    k1 = rates(start, q, qd)
    k2 = rates(start + h / 2, q + h / 2 * k1[0], qd + h / 2 * k1[1])
    k3 = rates(start + h / 2, q + h / 2 * k2[0], qd + h / 2 * k2[1])
    k4 = rates(start + h, q + h * k3[0], qd + h * k3[1])
    dq, dqd = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return q + dq, qd + dqd


def adaptive(
    rates: Rates, span: tuple[float, float], q: Array, qd: Array, method: str, rtol: float, atol: float
) -> tuple[Array, Array]:
    """As many steps of one of SciPy's solvers as its tolerances take.

    Raises:
        MissingExtraError: SciPy is not there.
        SimulationError: the solver gave up.
    """
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise MissingExtraError("adaptive simulation needs SciPy", "trajectory") from None

    calls = Patience(method)

    def flat(time: float, y: Array) -> Array:
        calls.count(time)
        dq, dqd = rates(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))
        return np.concatenate([dq.ravel(), dqd.ravel()])

    found = solve_ivp(flat, span, np.concatenate([q.ravel(), qd.ravel()]), method=method, rtol=rtol, atol=atol)
    if not found.success:
        raise SimulationError(f"{method} stopped after t={found.t[-1]:g} s: {found.message}")
    end = found.y[:, -1]
    return end[: q.size].reshape(q.shape), end[q.size :].reshape(qd.shape)
