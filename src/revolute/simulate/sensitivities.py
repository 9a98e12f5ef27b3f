"""Sensitivities: a motion and its derivatives with respect to parameters. BP section 7.2; Khalil 2002, 3.3."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from revolute.arguments import Array, instances, wrenches_by_link
from revolute.dynamics.steps import check_method
from revolute.errors import InputError, SimulationError
from revolute.simulate.adaptive import ADAPTIVE, solver
from revolute.simulate.feedback import Law
from revolute.simulate.forced_machine import ForcedMachine
from revolute.simulate.owner import Mechanism
from revolute.simulate.record import Record, march
from revolute.simulate.request import Request, prepare, start
from revolute.simulate.watching import State

METHODS = ("runge_kutta_4", *ADAPTIVE)
WHAT = "simulate_sensitivities"


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """A motion of T instants, or a batch of such motions, and its derivatives with respect to robot parameters.

    Attributes:
        t: (T,) times [s].
        q: (..., T, nq) joint positions [rad, m].
        qd: (..., T, nv) joint velocities [rad/s, m/s].
        dq_dpi: (..., T, nv, k) derivatives of the positions, as tangent vectors, with respect to the parameters.
        dqd_dpi: (..., T, nv, k) derivatives of the velocities with respect to the parameters.
        columns: (k,) indices of the parameters in `inertial_parameters.ravel()`, or with drives, in `parameters`.
    """

    t: Array
    q: Array
    qd: Array
    dq_dpi: Array
    dqd_dpi: Array
    columns: Array


def simulate_sensitivities(
    mechanism: Mechanism, request: Request, acting: Mapping[str, bool], parameters: int, columns: Sequence[int] | None
) -> Sensitivities:
    """See `Robot.simulate_sensitivities`; `parameters` is the number of parameters, `acting` are kernel options.

        S' = A S + B,    S = d(q, qd)/dpi,    B = (0, dqdd/dpi),    S = 0 at the start
    """
    check_method(WHAT, request.method, METHODS)
    _require_held(request)
    space, nv, chosen = mechanism.space, mechanism.space.nv, _columns(columns, parameters)
    task = prepare(request, METHODS, space, start(space, request.q0, request.qd0, WHAT), mechanism.scene)
    size = (2 * nv, len(chosen))
    task = replace(task, qd=_beside(task.qd, np.zeros((*task.batch, *size))))
    rate = ForcedMachine(mechanism, task, acting, {}).kernel("sensitivity_rate")

    def rates(time: float, q: Array, y: Array, forces: Array) -> State:
        q_rate, qdd, A, by_parameters = rate(q, y[..., :nv], forces)
        S_rate = A @ y[..., nv:].reshape(*y.shape[:-1], *size)
        S_rate[..., nv:, :] += by_parameters[..., chosen]
        return q_rate, _beside(qdd, S_rate)

    step, record = solver(task, rates), Record(task)

    def advance(k: int, span: tuple[float, float], q: Array, y: Array, forces: Array) -> State:
        q, y = step(k, span, q, y, forces)
        if not np.isfinite(y[..., nv:]).all():
            raise SimulationError(f"{WHAT}: the derivatives diverge before t={span[1]:g} s; use smaller steps")
        return space.normalize(q), y

    def result() -> Sensitivities:
        t, q, y, _ = record.reached()
        q, y = (np.moveaxis(x, 0, -2) for x in (q, y))
        S = y[..., nv:].reshape(*y.shape[:-1], *size)
        return Sensitivities(t, q, y[..., :nv], S[..., :nv, :], S[..., nv:, :], chosen)

    return march(record, advance, result)


def _beside(qd: Array, S: Array) -> Array:
    """y = (qd, S), with the entries of S as one row."""
    return np.concatenate([qd, S.reshape(*S.shape[:-2], S.shape[-2] * S.shape[-1])], axis=-1)


def _require_held(request: Request) -> None:
    """Raise `InputError` if forces depend on the state."""
    wrenches = zip(*wrenches_by_link(request.wrenches), strict=True)
    for name, given in (("torque", request.torque), *((f"wrenches['{link}']", x) for link, x in wrenches)):
        if callable(given) or isinstance(given, Law) or callable(getattr(given, "torque", None)):
            raise InputError(
                f"{WHAT}: {name} must be constant or a table over time, not a function or feedback, whose dependence "
                "on the state would be part of the derivatives"
            )


def _columns(columns: Any, count: int) -> Array:
    """(k,) checked indices of the selected parameters."""
    if columns is None:
        return np.arange(count)
    places: tuple[Any, ...] = instances(f"{WHAT}: columns", columns, object)
    whole = all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in places)
    if not whole or not all(0 <= k < count for k in places) or len(set(places)) != len(places):
        raise InputError(f"{WHAT}: columns must be distinct numbers in 0 ... {count - 1}, not {columns!r}")
    return np.array(places, dtype=int)
