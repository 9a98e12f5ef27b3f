"""Integration between two instants by SciPy's adaptive solvers, with Jacobians, or by one Runge-Kutta step."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import RevoluteError, SimulationError, extra
from revolute.model.model import Model
from revolute.simulate.record import Advance
from revolute.simulate.request import MotionTask
from revolute.simulate.torque import Torque
from revolute.simulate.watching import State

Rates = Callable[[float, Array, Array], State]
"""Right-hand side of the ODE: (time, q, qd) -> (dq/dt, qdd)."""

ForcedRates = Callable[[float, Array, Array, Array], State]
"""As `Rates`, with joint forces as the last argument."""

IMPLICIT = ("Radau", "BDF", "LSODA")
"""Integration methods that need derivatives of the right-hand side."""

ADAPTIVE = ("RK45", "DOP853", "Radau", "BDF", "LSODA")

MOST = 50_000
"""Maximum number of evaluations between two instants, since the steps of a diverging motion shrink without end."""

ROUNDINGS = 4.0
"""Allowance for rounding errors of positions in implicit methods [units in the last place]."""

Slopes = Callable[[int, float, Array, Array], Array]
"""Jacobian: (index of the span, time, q, qd) -> derivatives of (dq/dt, qdd) with respect to (q, qd), as rows."""

STEP = 1e-6
"""Step of central differences: absolute for numbers below 1, relative for numbers above 1."""


class SolverStopped(SimulationError):
    """Raised if the solver itself fails, not the torque function."""


def solver(task: MotionTask, rates: ForcedRates, slopes: Slopes | None = None) -> Advance:
    """A function that advances to the next instant: one Runge-Kutta step under constant forces, or SciPy's solver."""

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, held: Array) -> State:
        if task.request.method == "runge_kutta_4":
            return runge_kutta_4(lambda time, q, qd: rates(time, q, qd, held), span, q, qd)

        def under_forces(time: float, q: Array, qd: Array) -> State:
            return rates(time, q, qd, task.forces(k, time, q, qd))

        return adaptive(task, under_forces, span, q, qd, slopes and partial(slopes, k))

    return advance


def adaptive(
    task: MotionTask, rates: Rates, span: tuple[float, float], q: Array, qd: Array,
    slopes: Callable[[float, Array, Array], Array] | None,
) -> State:
    """The state at the end of an interval, by one of SciPy's adaptive solvers; `SolverStopped` if it fails.

    Events are checked at every state of the solver, including the first, and may raise `Crossed`. `slopes` returns the
    flattened Jacobian of the state derivative; if it is None, implicit methods use central differences.
    """
    with extra("adaptive simulation needs SciPy", "scipy"):
        from scipy.integrate import solve_ivp
    if not q.size + qd.size:
        return q, qd
    method, rtol, atol = task.request.method, task.request.rtol, task.request.atol
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
        assert task.events is not None
        task.events.observe(time, y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape))
        return 1.0  # a constant sign, so SciPy detects no event

    start, events = np.concatenate([q.ravel(), qd.ravel()]), seen if task.events else None
    options: dict[str, Any] = {"atol": atol}
    try:
        if method in IMPLICIT:
            options["jac"] = jacobian
            options["atol"] = _least_tolerances(jacobian(span[0], start), q, rtol, atol)
        solution = solve_ivp(flat, span, start, method=method, rtol=rtol, events=events, **options)
    except RevoluteError:
        raise
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:  # derivatives are not finite
        raise SolverStopped(f"simulate: {method} stopped after t={span[0]:g} s: {error}") from error
    if not solution.success:
        raise SolverStopped(f"simulate: {method} stopped after t={solution.t[-1]:g} s: {solution.message}")
    end = solution.y[:, -1]
    return end[: q.size].reshape(q.shape), end[q.size :].reshape(qd.shape)


def _least_tolerances(slopes: Array, q: Array, rtol: float, atol: float) -> Array:
    """Absolute tolerances above rounding errors, one for each component of the state."""
    # An implicit method solves its equations to sqrt(rtol) times the tolerances. Rounding changes positions by eps, and
    # velocities of a stiff motion with the rate w by w eps.
    rate = np.sqrt(np.abs(slopes[q.size :, : q.size]).max(initial=0.0))
    moved = ROUNDINGS * np.finfo(float).eps * np.abs(q).max(initial=0.0) / min(0.03, np.sqrt(rtol))
    scales = np.repeat([1.0, rate], [q.size, len(slopes) - q.size])
    return np.asarray(np.maximum(atol, moved * scales))


def runge_kutta_4(rates: Rates, span: tuple[float, float], q: Array, qd: Array) -> State:
    """The state at the end of an interval, by one step of the classical fourth-order Runge-Kutta method."""
    start, h = span[0], span[1] - span[0]
    slopes = [rates(start, q, qd)]
    for part in (h / 2, h / 2, h):
        slopes.append(rates(start + part, q + part * slopes[-1][0], qd + part * slopes[-1][1]))
    q, qd = (x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip((q, qd), *slopes, strict=True))
    return q, qd


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

    At (q, qd, applied forces), `linear` returns A of `Robot.linearize`, and `rate` dq/dt and qdd. `held` means that
    forces are independent of the state.
    """
    nq, nv = space.nq, space.nv
    rates_are_velocities = all(body.joint.nv <= 1 for body in space.bodies)

    def of_mechanism(q: Array, qd: Array, applied: Array) -> Array:
        """(..., nq + nv, nq + nv) Jacobian under the applied forces."""
        A = linear(q, qd, applied)
        if rates_are_velocities:
            return A
        # a small change of q is T(q) times a tangent vector, just as dq/dt = T(q) qd
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
        """Block-diagonal Jacobian of the state derivatives of all rows of a batch."""
        at = np.concatenate(
            [np.arange(rows * nq).reshape(rows, nq), rows * nq + np.arange(rows * nv).reshape(rows, nv)], axis=1
        )
        found = np.zeros((at.size, at.size))
        found[at[:, :, None], at[:, None, :]] = blocks.reshape(rows, nq + nv, nq + nv)
        return found

    return slopes
