"""Simulation under joint forces, by compiled steps of fixed length or SciPy's adaptive solvers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import (
    broadcast_shapes,
    by_names,
    column_labels,
    float_copy,
    instance,
    swap_hint,
    wrenches_by_link,
)
from revolute.dynamics.steps import METHODS, check_method
from revolute.dynamics.sticking_friction import ROUNDS
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.model.configurations import normalize
from revolute.model.model import Model
from revolute.simulate.adaptive import ADAPTIVE, adaptive
from revolute.simulate.feedback import Feedback
from revolute.simulate.loop import machine_code_loads, simulated
from revolute.simulate.record import Advance, Diverged, Record, march, position_names
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Space, Torque, joined, source, wrench_sources
from revolute.simulate.unstable_step import Map, explained

if TYPE_CHECKING:
    from revolute.compiler.recurrence import Loop
    from revolute.compiler.signature import Signature

__all__ = ["ADAPTIVE", "FIXED", "check_tolerances", "instants", "simulate", "start", "with_loads"]

Array = NDArray[Any]

FIXED = tuple(METHODS)


class Mechanism(Protocol):
    """A robot, or one with its drives."""

    @property
    def kernel(self) -> Callable[..., Callable[..., Any]]:
        """Compiled `state_rate` and steps, by name."""

    def _motion_loop(
        self, method: str, feedback: Signature | None, options: Mapping[str, Any]
    ) -> tuple[Loop, Mapping[str, Array]]:
        """A loop of steps, under a law of `feedback` or forces "force"; and inputs of it that the machine has."""

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, /) -> Array:
        """Kinetic energy of a state [J]."""

    def potential_energy(self, q: ArrayLike, /) -> Array:
        """Potential energy of positions [J]."""


def simulate(
    robot: Mechanism,
    space: Model,
    q0: ArrayLike,
    qd0: ArrayLike,
    torque: Any,
    t: ArrayLike,
    method: str,
    *,
    damping: bool,
    wrenches: Mapping[str, Any] | None,
    rtol: float,
    atol: float,
    threads: int | None = None,
    driven: Sequence[str] | None = None,
    sticking: bool = False,
) -> Simulation:
    """See `Robot.simulate`.

    Args:
        robot: what is simulated.
        space: a robot with the same coordinates, or `robot` itself.
        q0, qd0, torque, t, method, damping, wrenches, rtol, atol, threads: see `Robot.simulate`.
        driven: names of the joint forces, where not every coordinate has one.
        sticking: see `DrivenRobot.simulate`.
    """
    check_method("simulate", method, FIXED + ADAPTIVE)
    options: dict[str, Any] = {"damping": True} if instance("simulate: damping", damping, (bool, np.bool_)) else {}
    if sticking:
        options["sticking"] = True
    links, _ = wrenches_by_link(wrenches)
    if links:
        options["wrenches"] = links
    times = _instants_beside(torque, t)
    q, qd = start(
        space,
        by_names("simulate: q0", q0, space.position_names, "q."),
        by_names("simulate: qd0", qd0, space.coordinate_names, "qd."),
    )
    check_tolerances(rtol, atol)
    batch = q.shape[:-1]
    driven = space.coordinate_names if driven is None else driven
    n = len(driven)
    torque = by_names("simulate: torque", torque, driven, "tau.")
    sources = [source(space, torque, times, batch, driven), *wrench_sources(wrenches or {}, times, batch)]
    names = (position_names(space), space.coordinate_names)
    if method in FIXED and (loads := machine_code_loads(sources, links)):
        feedback = sources[0].form if isinstance(sources[0], Feedback) else None
        loop, data = robot._motion_loop(method, feedback, options)
        try:
            return simulated(loop, times, (q, qd), {**data, **loads}, names, threads)
        except Diverged as error:
            raise _explained(error, robot, space, method, options, times, sources[0]) from None
    forces = joined(sources)
    rate = with_loads(_on_threads(robot.kernel("state_rate", **options), threads), n, links)
    record = Record(times, names, n + 6 * len(links), batch, forces)
    if method in FIXED:
        advance = _fixed(with_loads(_on_threads(robot.kernel(f"{method}_step", **options), threads), n, links))
    else:
        advance = _adaptive(method, rate, space, forces, rtol, atol)

    def motion() -> Simulation:
        t, q, qd, applied = record.reached()
        qdd, tau = rate(q, qd, applied)[1], applied[..., :n]
        return Simulation.of(t, q, qd, qdd, tau, robot.kinetic_energy(q, qd), robot.potential_energy(q))

    try:
        return march(times, q, qd, record, advance, motion)
    except Diverged as error:
        if method in ADAPTIVE:
            raise
        raise _explained(error, robot, space, method, options, times, sources[0]) from None


def _explained(
    error: Diverged, robot: Mechanism, space: Model, method: str, options: Mapping[str, Any], times: Array, tau: Torque
) -> SimulationError:
    """The error with advice on the step; feedback counts as part of the motion, other forces are held."""
    plain = {name: x for name, x in options.items() if name != "wrenches"}
    motion = error.partial
    if not isinstance(motion, Simulation) or not len(motion.t):
        return error
    held, batch = motion.tau[(*error.row, 0)], motion.q.shape[:-2]

    def forces(q: Array, qd: Array) -> Any:
        if not isinstance(tau, Feedback):
            return held
        shape = (len(q), *([1] * len(batch)), -1)
        full = (np.broadcast_to(x.reshape(shape), (len(x), *batch, x.shape[-1])) for x in (q, qd))
        return np.moveaxis(tau(0, times[0], *full), 0, -2)[error.row]

    def rate(q: Array, qd: Array) -> tuple[Array, Array]:
        found: tuple[Array, Array] = robot.kernel("state_rate", **plain)(q, qd, forces(q, qd))
        return found

    def step(h: float) -> Map:
        return lambda q, qd: robot.kernel(f"{method}_step", **plain)(q, qd, forces(q, qd), h)

    found = explained(error, motion, method, space, times, rate, step)
    if found is error and "sticking" in options:
        return SimulationError(f"{error}; or what slips and what sticks was not found in {ROUNDS} rounds", motion)
    return found


def instants(t: ArrayLike) -> Array:
    """A checked copy of the times; labels of a table's rows do not count."""
    times = float_copy("simulate: t [s]", t if column_labels(t) is None else np.asarray(t))
    if times.ndim != 1 or len(times) < 1 or not np.isfinite(times).all() or (times[1:] <= times[:-1]).any():
        raise InputError("simulate: t must be one row of finite, increasing times [s]")
    return times


def _instants_beside(torque: Any, t: ArrayLike) -> Array:
    """Checked times; the message says so where torque and t have changed places."""
    try:
        return instants(t)
    except InputError as error:
        try:
            instants(torque)
        except InputError:
            raise error from None
        raise InputError(f"{error}; torque and t seem to be swapped") from None


def start(
    space: Space,
    q0: ArrayLike,
    qd0: ArrayLike,
    method: str = "simulate",
    names: tuple[str, str] = ("q0", "qd0"),
    kind: str = "robot",
) -> tuple[Array, Array]:
    """The first state, checked and broadcast; method, names and kind are for messages."""
    q, qd = (float_copy(f"{method}: {name}", x) for name, x in zip(names, (q0, qd0), strict=True))
    for name, array, size in zip(names, (q, qd), (space.nq, space.nv), strict=True):
        if array.shape[-1:] != (size,):
            hint = swap_hint(names, (q.shape, qd.shape), ((space.nq,), (space.nv,)))
            raise ShapeError(
                f"{method}: {name} has shape {array.shape}, but {kind} '{space.name}' needs (..., {size}){hint}"
            )
        if not np.isfinite(array).all():
            raise InputError(f"{method}: {name} is not finite")
    try:
        batch = broadcast_shapes([q.shape[:-1], qd.shape[:-1]])
    except ValueError:
        shapes = f"{names[0]} {q.shape[:-1]} and {names[1]} {qd.shape[:-1]}"
        raise ShapeError(f"{method}: batches of {shapes} do not broadcast") from None
    return np.broadcast_to(q, (*batch, space.nq)).copy(), np.broadcast_to(qd, (*batch, space.nv)).copy()


def with_loads(kernel: Callable[..., Any], n: int, links: Sequence[str]) -> Callable[..., Any]:
    """A kernel whose joint forces come with the wrenches on links behind them, six numbers each."""
    if not links:
        return kernel

    def call(q: Array, qd: Array, applied: Array, *step: float) -> Any:
        loads = [applied[..., n + 6 * k : n + 6 * k + 6] for k in range(len(links))]
        return kernel(q, qd, applied[..., :n], *step, *loads)

    return call


def _on_threads(kernel: Callable[..., Any], threads: int | None) -> Callable[..., Any]:
    """A kernel on so many threads."""
    return kernel if threads is None else partial(kernel, threads=threads)


def _fixed(step: Callable[..., tuple[Array, Array]]) -> Advance:
    """One step from each instant to the next, under the forces at its start."""

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
        return step(q, qd, tau, span[1] - span[0])

    return advance


def check_tolerances(rtol: float, atol: float) -> None:
    """Check the tolerances of a solver.

    Raises:
        InputError: one is not a positive number.
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not isinstance(value, (int, float, np.floating)) or not 0 < value < math.inf:
            raise InputError(f"simulate: {name} must be a positive number, not {value!r}")


def _adaptive(
    method: str, rate: Callable[..., tuple[Array, Array]], space: Model, forces: Torque, rtol: float, atol: float
) -> Advance:
    """SciPy's solver; forces are evaluated at every stage."""

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
        def rates(time: float, q: Array, qd: Array) -> tuple[Array, Array]:
            return rate(q, qd, forces(k, time, q, qd))

        q, qd = adaptive(rates, span, q, qd, method, rtol, atol)
        return normalize(space, q), qd

    return advance
