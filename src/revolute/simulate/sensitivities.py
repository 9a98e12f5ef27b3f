"""Trajectory sensitivities: a motion and its derivatives with respect to parameters. BP 7.2; Khalil 2002, 3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, instances, wrenches_by_link
from revolute.dynamics.steps import check_method
from revolute.errors import InputError, SimulationError
from revolute.model.configurations import normalize
from revolute.model.model import Model
from revolute.simulate.adaptive import ADAPTIVE, adaptive, runge_kutta_4
from revolute.simulate.course import CourseSteps
from revolute.simulate.feedback import Law
from revolute.simulate.record import Record, march, position_names
from revolute.simulate.run import check_tolerances, instants, start, with_loads
from revolute.simulate.torque import joined, source, wrench_sources

State = tuple[Array, Array, Array]
"""Positions q, velocities qd, and their sensitivities S: (..., 2 nv, parameters)."""
Rates = Callable[[float, Array, Array, Array], State]

METHODS = ("runge_kutta_4", *ADAPTIVE)


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """A motion and its derivatives with respect to robot parameters: T instants for every state of a batch.

    Attributes:
        t: (T,) times [s].
        q: (..., T, nq) joint positions [rad, m].
        qd: (..., T, nv) joint velocities [rad/s, m/s].
        dq_dpi: (..., T, nv, k) derivatives of the positions, as tangent vectors, with respect to the parameters.
        dqd_dpi: (..., T, nv, k) derivatives of the velocities with respect to the parameters.
        columns: (k,) indices of the parameters in `inertial_parameters.ravel()`, or in `parameters` with drives.
    """

    t: Array
    q: Array
    qd: Array
    dq_dpi: Array
    dqd_dpi: Array
    columns: Array


def simulate_sensitivities(
    robot: Any, space: Model, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str, *,
    parameters: int, columns: Any, acting: Mapping[str, bool], wrenches: Mapping[str, Any] | None, rtol: float,
    atol: float,
) -> Sensitivities:
    """See `Robot.simulate_sensitivities`; `space` has the joints whose positions are q; `parameters` is their number.

        S' = A S + B,    S = d(q, qd)/dpi,    B = (0, dqdd/dpi),    S = 0 at the start
    """
    what = "simulate_sensitivities"
    check_method(what, method, METHODS)
    options: dict[str, Any] = dict(acting)
    links, _ = wrenches_by_link(wrenches)
    if links:
        options["wrenches"] = links
    for name, given in (("torque", torque), *((f"wrenches['{link}']", x) for link, x in (wrenches or {}).items())):
        if callable(given) or isinstance(given, Law) or callable(getattr(given, "torque", None)):
            raise InputError(
                f"{what}: {name} must be constant or a table over time, not a function or feedback, whose dependence "
                "on the state would be part of the derivatives"
            )
    chosen = _columns(what, columns, parameters)
    times = instants(t)
    q, qd = start(space, q0, qd0, what)
    check_tolerances(rtol, atol)
    batch, nv = q.shape[:-1], space.nv
    forces = joined([source(space, torque, times, batch), *wrench_sources(wrenches or {}, times, batch)])
    rate = with_loads(robot.kernel("sensitivity_rate", **options), nv, links)

    def under(applied: Array) -> Rates:
        def rates(time: float, q: Array, qd: Array, S: Array) -> State:
            q_rate, qdd, A, by_parameters = rate(q, qd, applied)
            S_rate = A @ S
            S_rate[..., nv:, :] += by_parameters[..., chosen]
            return q_rate, qdd, S_rate

        return rates

    path = [np.zeros((*batch, 2 * nv, len(chosen)))]

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, applied: Array) -> tuple[Array, Array]:
        state = (q, qd, path[-1])
        if method == "runge_kutta_4":
            q, qd, S = runge_kutta_4(under(applied), span, *state)
        else:
            q, qd, S = _adaptive(under(applied), span, state, method, rtol, atol)
        if not np.isfinite(S).all():
            raise SimulationError(f"{what}: the derivatives diverge before t={span[1]:g} s; use smaller steps")
        path.append(S)
        return normalize(space, q), qd

    names = (position_names(space), space.coordinate_names)
    record = Record(CourseSteps.plain(times), names, nv + 6 * len(links), batch, forces)

    def result() -> Sensitivities:
        t, q, qd, _ = record.reached()
        S = np.stack(path[: len(t)], axis=-3) if len(t) else np.zeros((*batch, 0, 2 * nv, len(chosen)))
        q, qd = (np.moveaxis(x, 0, -2) for x in (q, qd))
        return Sensitivities(t, q, qd, S[..., :nv, :], S[..., nv:, :], chosen)

    return march(q, qd, record, advance, result)


def _columns(what: str, columns: Any, count: int) -> Array:
    """The indices of the selected parameters."""
    if columns is None:
        return np.arange(count)
    places: tuple[Any, ...] = instances(f"{what}: columns", columns, object)
    whole = all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in places)
    if not whole or not all(0 <= k < count for k in places) or len(set(places)) != len(places):
        raise InputError(f"{what}: columns must be distinct numbers in 0 ... {count - 1}, not {columns!r}")
    return np.array(places, dtype=int)


def _adaptive(rates: Rates, span: tuple[float, float], state: State, method: str, rtol: float, atol: float) -> State:
    """SciPy's solver for the state together with its derivatives."""
    q, qd, S = state
    nv = qd.shape[-1]

    def beside(qd: Array, S: Array) -> Array:
        return np.concatenate([qd, S.reshape(*S.shape[:-2], S.shape[-2] * S.shape[-1])], axis=-1)

    def together(time: float, q: Array, y: Array) -> tuple[Array, Array]:
        q_rate, *others = rates(time, q, y[..., :nv], y[..., nv:].reshape(S.shape))
        return q_rate, beside(*others)

    q, y = adaptive(together, span, q, beside(qd, S), method, rtol, atol)
    return q, y[..., :nv], y[..., nv:].reshape(S.shape)
