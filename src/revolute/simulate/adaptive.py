"""SciPy's adaptive solvers, from one instant to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import MissingExtraError, RevoluteError, SimulationError

__all__ = ["ADAPTIVE", "Rates", "SolverStopped", "adaptive"]

Array = NDArray[Any]
Rates = Callable[[float, Array, Array], tuple[Array, Array]]
"""(time, q, qd) -> (dq/dt, qdd)."""
Observe = Callable[[float, Array, Array], None]
"""(time, q, qd)."""

ADAPTIVE = ("RK45", "DOP853", "Radau", "BDF", "LSODA")

MOST = 50_000
"""Most evaluations between two instants: a motion that diverges takes ever smaller steps."""


class SolverStopped(SimulationError):
    """The solver itself failed, not the torque function."""


def adaptive(
    rates: Rates,
    span: tuple[float, float],
    q: Array,
    qd: Array,
    method: str,
    rtol: float,
    atol: float,
    observe: Observe | None = None,
) -> tuple[Array, Array]:
    """The state at the end of a span, by one of SciPy's adaptive solvers.

    `observe` gets the states that the solver goes through, the first one too, and may raise.

    Raises:
        MissingExtraError: SciPy is not installed.
        SolverStopped: the solver failed, or takes more than `MOST` evaluations.
    """
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise MissingExtraError("adaptive simulation needs SciPy", "trajectory") from None

    if not q.size + qd.size:
        return q, qd
    calls, stiff = 0, "" if method == "Radau" else " try 'Radau',"

    def flat(time: float, y: Array) -> Array:
        nonlocal calls
        calls += 1
        if calls > MOST:
            raise SolverStopped(
                f"simulate: {method} needs more than {MOST:,} evaluations near t={time:g} s: the motion "
                f"diverges, or is stiff; look at the forces,{stiff} or ask for instants that are closer"
            )
        dq, dqd = rates(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))
        return np.concatenate([dq.ravel(), dqd.ravel()])

    def seen(time: float, y: Array) -> float:
        observe(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))  # type: ignore[misc]
        return 1.0  # SciPy's own events are changes of sign: there are none

    start, events = np.concatenate([q.ravel(), qd.ravel()]), seen if observe else None
    try:
        solution = solve_ivp(flat, span, start, method=method, rtol=rtol, atol=atol, events=events)
    except RevoluteError:
        raise
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:  # rates that are not finite
        raise SolverStopped(f"simulate: {method} stopped after t={span[0]:g} s: {error}") from error
    if not solution.success:
        raise SolverStopped(f"simulate: {method} stopped after t={solution.t[-1]:g} s: {solution.message}")
    end = solution.y[:, -1]
    return end[: q.size].reshape(q.shape), end[q.size :].reshape(qd.shape)
