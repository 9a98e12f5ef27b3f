"""One integration step from one instant to the next."""

from __future__ import annotations

from revolute.machine.machine import Array
from revolute.simulate.adaptive import Rates

__all__ = ["runge_kutta_4"]


def runge_kutta_4(rates: Rates, span: tuple[float, float], q: Array, qd: Array) -> tuple[Array, Array]:
    """One step of the classical method of order 4."""
    start, h = span[0], span[1] - span[0]
    k1 = rates(start, q, qd)
    k2 = rates(start + h / 2, q + h / 2 * k1[0], qd + h / 2 * k1[1])
    k3 = rates(start + h / 2, q + h / 2 * k2[0], qd + h / 2 * k2[1])
    k4 = rates(start + h, q + h * k3[0], qd + h * k3[1])
    dq, dqd = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return q + dq, qd + dqd
