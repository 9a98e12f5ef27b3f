"""Integration from one instant to the next: by SciPy's adaptive solvers, or by one Runge-Kutta step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import RevoluteError, SimulationError, extra
from revolute.simulate.slopes import differences

__all__ = ["ADAPTIVE", "Rates", "SolverStopped", "adaptive", "runge_kutta_4"]

Rates = Callable[[float, Array, Array], tuple[Array, Array]]
"""(time, q, qd) -> (dq/dt, qdd)."""
Observe = Callable[[float, Array, Array], None]
"""(time, q, qd)."""

IMPLICIT = ("Radau", "BDF", "LSODA")
"""Methods that need derivatives of the right-hand side."""

ADAPTIVE = ("RK45", "DOP853", "Radau", "BDF", "LSODA")

MOST = 50_000
"""Maximum number of evaluations between two instants: a diverging motion takes ever smaller steps."""

ROUNDINGS = 4.0
"""Rounding error of the positions that an implicit method solves for, in units in the last place."""


class SolverStopped(SimulationError):
    """The solver itself failed, not the torque function."""


def adaptive(
    rates: Rates, span: tuple[float, float], q: Array, qd: Array, method: str, rtol: float, atol: float | Array,
    observe: Observe | None = None, slopes: Callable[[float, Array, Array], Array] | None = None,
) -> tuple[Array, Array]:
    """The state at the end of an interval, by one of SciPy's adaptive solvers.

    `observe` is called with every state of the solver, including the first, and may raise. `slopes` returns the
    flattened Jacobian of the state derivative; without it implicit methods use central differences.

    Raises:
        MissingExtraError: SciPy is not installed.
        SolverStopped: the solver failed, or needs more than `MOST` evaluations.
    """
    with extra("adaptive simulation needs SciPy", "scipy"):
        from scipy.integrate import solve_ivp
    if not q.size + qd.size:
        return q, qd
    calls, stiff = 0, "" if method == "Radau" else " try 'Radau',"

    def flat(time: float, y: Array) -> Array:
        nonlocal calls
        calls += 1
        if calls > MOST:
            raise SolverStopped(
                f"simulate: {method} needs more than {MOST:,} evaluations near t={time:g} s: the motion "
                f"diverges, or is stiff; check the forces,{stiff} or use closer instants"
            )
        dq, dqd = rates(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))
        return np.concatenate([dq.ravel(), dqd.ravel()])

    def jacobian(time: float, y: Array) -> Array:
        if slopes is None:
            return differences(partial(flat, time), y)
        return slopes(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))

    def seen(time: float, y: Array) -> float:
        observe(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))  # type: ignore[misc]
        return 1.0  # SciPy detects events by sign changes, which do not occur here

    start, events = np.concatenate([q.ravel(), qd.ravel()]), seen if observe else None
    options: dict[str, Any] = {}
    try:
        if method in IMPLICIT:
            options["jac"] = jacobian
            atol = _least_tolerances(jacobian(span[0], start), q, rtol, atol)
        solution = solve_ivp(flat, span, start, method=method, rtol=rtol, atol=atol, events=events, **options)
    except RevoluteError:
        raise
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:  # derivatives that are not finite
        raise SolverStopped(f"simulate: {method} stopped after t={span[0]:g} s: {error}") from error
    if not solution.success:
        raise SolverStopped(f"simulate: {method} stopped after t={solution.t[-1]:g} s: {solution.message}")
    end = solution.y[:, -1]
    return end[: q.size].reshape(q.shape), end[q.size :].reshape(qd.shape)


def _least_tolerances(slopes: Array, q: Array, rtol: float, atol: float | Array) -> Array:
    """Tolerances above rounding error, for each number of the state.

    An implicit method solves its equations to sqrt(rtol) of the tolerances. Rounding changes positions by eps, and the
    velocities of a stiff motion with rate w by w eps.
    """
    rate = np.sqrt(np.abs(slopes[q.size :, : q.size]).max(initial=0.0))
    moved = ROUNDINGS * np.finfo(float).eps * np.abs(q).max(initial=0.0) / min(0.03, np.sqrt(rtol))
    scales = np.repeat([1.0, rate], [q.size, len(slopes) - q.size])
    tolerances: Array = np.maximum(atol, moved * scales)
    return tolerances


def runge_kutta_4(rates: Rates, span: tuple[float, float], q: Array, qd: Array) -> tuple[Array, Array]:
    """The state at the end of an interval, by one step of the classical method of order 4."""
    start, h = span[0], span[1] - span[0]
    k1 = rates(start, q, qd)
    k2 = rates(start + h / 2, q + h / 2 * k1[0], qd + h / 2 * k1[1])
    k3 = rates(start + h / 2, q + h / 2 * k2[0], qd + h / 2 * k2[1])
    k4 = rates(start + h, q + h * k3[0], qd + h * k3[1])
    dq, dqd = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return q + dq, qd + dqd
