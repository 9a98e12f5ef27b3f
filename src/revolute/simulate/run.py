"""Simulation under joint forces, by compiled fixed steps or SciPy's adaptive solvers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import (
    Array,
    broadcast_shapes,
    by_names,
    column_labels,
    finite_array,
    float_copy,
    positive,
    swap_hint,
    wrenches_by_link,
)
from revolute.compiler.kernel import Kernel
from revolute.dynamics.steps import METHODS, check_method
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.model.configurations import difference, integrate, normalize
from revolute.model.model import Model
from revolute.simulate.adaptive import ADAPTIVE, IMPLICIT, Observe, Slopes, adaptive, state_slopes
from revolute.simulate.course import Course
from revolute.simulate.energy_balance import Gain, forces_between, require_finite_energy, warn_of_gain
from revolute.simulate.events import Scene
from revolute.simulate.feedback import Feedback, ReferenceStopped
from revolute.simulate.loop import machine_code_loads, simulated
from revolute.simulate.owner import owner_of
from revolute.simulate.record import Advance, Diverged, Finish, Record, march, position_names
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Space, Table, Torque, in_batch, joined, source, wrench_sources
from revolute.simulate.unstable_step import FixedSteps

FIXED = tuple(METHODS)

STEP = 1e-3
"""Default time between instants, if only the duration of a motion is given [s]."""


def simulate(
    robot: Any, space: Model, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str, *,
    acting: Mapping[str, bool], wrenches: Mapping[str, Any] | None, rtol: float, atol: float,
    parameters: ArrayLike | None = None, threads: int | None = None, driven: Sequence[str] | None = None,
    course: Course | None = None, scene: Callable[[], Scene], finish: Finish | None = None,
) -> Simulation:
    """See `Robot.simulate`.

    Args:
        robot: the machine, with kernels `state_rate`, `linearize`, of steps and energies, and with `_motion_loop`.
        space: a robot with the same coordinates, or `robot` itself.
        q0, qd0, torque, t, method, wrenches, rtol, atol, parameters, threads: see `Robot.simulate`.
        acting: options of the kernels, such as damping.
        driven: names of the joint forces, if some coordinates have no force.
        course: events, and which instants are stored.
        scene: methods for events.
        finish: creates the motion from its arrays; by default a motion of `owner_of(robot)`.
    """
    check_method("simulate", method, FIXED + ADAPTIVE)
    options: dict[str, Any] = dict(acting)
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
    first = q, qd
    own: dict[str, Array] = {}
    if parameters is not None:
        options["parameters"] = "regrouped"
        axes = len(robot.kernel("regrouped_parameters").inputs[0].shape)
        given = in_batch("parameters", np.asarray(parameters, dtype=float), axes, batch)
        own = {"inertial_parameters": given, "regrouped_parameters": robot.kernel("regrouped_parameters")(given)}

    def before(count: int) -> Simulation | None:
        """The motion of the first `count` instants; None if `count` is 0."""
        return simulate(
            robot, space, *first, torque, times[:count], method, acting=acting, wrenches=wrenches, rtol=rtol, atol=atol,
            parameters=parameters, threads=threads, driven=driven, course=course, scene=scene, finish=finish,
        ) if count else None  # fmt: skip

    n = len(driven)
    torque = by_names("simulate: torque", torque, driven, "tau.")
    try:
        sources = [source(space, torque, times, batch, driven), *wrench_sources(wrenches or {}, times, batch)]
    except ReferenceStopped as error:
        raise SimulationError(f"simulate: {error}", before(error.count)) from error.__cause__
    names = (position_names(space), space.coordinate_names)
    feedback = sources[0] if isinstance(sources[0], Feedback) else None
    if feedback and feedback.state and method not in FIXED:
        raise InputError(f"simulate: {feedback.name} has a state and requires fixed steps: {', '.join(FIXED)}")
    forces, regrouped = joined(sources), (own["regrouped_parameters"],) if own else ()
    make = finish or partial(Simulation.of, owner_of(robot))
    along = (course or Course()).along(space.name, scene, times, q, qd)

    held = all(isinstance(x, Table) for x in sources)
    steps = FixedSteps(robot.kernel, space, method, options, regrouped, sources[0])

    def made(*arrays: Array) -> Simulation:
        motion = make(*arrays)
        return replace(motion, controller=feedback.states_at(motion.t)) if feedback and feedback.state else motion

    def advice(gain: Gain, motion: Simulation) -> str:
        h = float(motion.t[gain.k + 1] - motion.t[gain.k])
        around = [steps.longest_stable(motion, gain.row, k, h) for k in (gain.k, gain.k + 1)]
        found = [x for x in around if x is not None]
        if not found:
            return f"use steps shorter than {h:g} s, or an adaptive method"
        return f"the fastest rate there is {steps.stability(min(found, key=lambda x: x[1]))}"

    def checked(motion: Simulation) -> Simulation:
        """The motion, checked for infinite energy; with fixed steps, also for energy that `tau` does not explain."""
        require_finite_energy(motion)
        stateful = method in ADAPTIVE or (feedback and feedback.state)
        if along.every == 1 and not links and not stateful and motion.theta is None and n == space.nv:
            middle = None if held else partial(forces_between, motion, forces, partial(integrate, space))
            warn_of_gain(motion, method, partial(difference, space), middle, lambda gain: advice(gain, motion))
        return motion

    def fixed() -> Advance:
        """A function that takes one step between two instants, under the forces at the start of the step."""
        kernel = _on_threads(robot.kernel(f"{method}_step", **options), threads)
        step = with_loads(kernel, n, links, regrouped)
        return lambda k, span, q, qd, tau: step(q, qd, tau, np.asarray(span[1] - span[0]))

    if method in FIXED and (loads := machine_code_loads(sources, links)):
        loop, data = robot._motion_loop(method, feedback.form if feedback else None, options)

        def step(k: int, time: float, q: Array, qd: Array) -> tuple[Array, Array]:
            begin = float(times[k])
            return fixed()(k, (begin, time), q, qd, forces(k, begin, q, qd))

        try:
            loads = {**data, **own, **loads}
            return checked(simulated(loop, along, (q, qd), loads, names, threads, made, step, feedback))
        except Diverged as error:
            raise steps.explained(error, times) from None
    rate = with_loads(_on_threads(robot.kernel("state_rate", **options), threads), n, links, regrouped)
    record = Record(along, names, n + 6 * len(links), batch, forces)
    observe = along.events.observe if along.events else None
    slopes = None
    if method in IMPLICIT and not options.keys() - {"wrenches"}:
        kernel = with_loads(_on_threads(robot.kernel("linearize", **options), threads), n, links)
        slopes = state_slopes(space, lambda *state: kernel(*state)[0], rate, forces, held)
    advance = fixed() if method in FIXED else _adaptive(method, rate, space, forces, rtol, atol, observe, slopes)

    def motion() -> Simulation:
        t, q, qd, applied = record.reached()
        qdd, tau = rate(q, qd, applied)[1], applied[..., :n]
        if own:
            kinetic = robot.kernel("kinetic_energy", parameters="regrouped")(q, qd, *regrouped)
            energies = kinetic, robot.kernel("potential_energy", parameters="inertial")(q, own["inertial_parameters"])
        else:
            energies = robot.kinetic_energy(q, qd), robot.potential_energy(q)
        return made(t, q, qd, qdd, tau, *energies)

    try:
        found = march(q, qd, record, advance, motion)
        return checked(found)
    except Diverged as error:
        if method in ADAPTIVE:
            raise
        raise steps.explained(error, times) from None


def instants(t: ArrayLike) -> Array:
    """A checked copy of the times, as an array. A number is a duration, which is divided into intervals of `STEP`."""
    if isinstance(t, (int, float, np.number)) and not isinstance(t, bool) and 0 < t < math.inf:
        return np.linspace(0.0, float(t), max(round(float(t) / STEP), 1) + 1)
    times = float_copy("simulate: t [s]", t if column_labels(t) is None else np.asarray(t))
    if times.ndim != 1 or len(times) < 1 or not np.isfinite(times).all() or (times[1:] <= times[:-1]).any():
        raise InputError(
            "simulate: t must be one row of finite, increasing times [s], or a positive number for a duration"
        )
    return times


def _instants_beside(torque: Any, t: ArrayLike) -> Array:
    """Checked times. The error message says so if torque and t seem to be swapped."""
    try:
        return instants(t)
    except InputError as error:
        try:
            instants(torque if np.ndim(torque) or t is None else ())
        except InputError:
            raise error from None
        raise InputError(f"{error}; torque and t seem to be swapped") from None


def start(
    space: Space, q0: ArrayLike, qd0: ArrayLike, method: str = "simulate", names: tuple[str, str] = ("q0", "qd0"),
    kind: str = "robot",
) -> tuple[Array, Array]:
    """The initial state; raise if it is not finite or its batches differ. Method, names and kind are for messages."""
    q, qd = (finite_array(f"{method}: {name}", x) for name, x in zip(names, (q0, qd0), strict=True))
    for name, array, size in zip(names, (q, qd), (space.nq, space.nv), strict=True):
        if array.shape[-1:] != (size,):
            hint = swap_hint(names, (q.shape, qd.shape), ((space.nq,), (space.nv,)))
            raise ShapeError(
                f"{method}: {name} has shape {array.shape}, but {kind} '{space.name}' needs (..., {size}){hint}"
            )
    try:
        batch = broadcast_shapes([q.shape[:-1], qd.shape[:-1]])
    except ValueError:
        shapes = f"{names[0]} {q.shape[:-1]} and {names[1]} {qd.shape[:-1]}"
        raise ShapeError(f"{method}: batches of {shapes} do not broadcast") from None
    return np.broadcast_to(q, (*batch, space.nq)).copy(), np.broadcast_to(qd, (*batch, space.nv)).copy()


def with_loads(
    kernel: Callable[..., Any], n: int, links: Sequence[str], more: tuple[Array, ...] = ()
) -> Callable[..., Any]:
    """The kernel with one input for joint forces and wrenches: forces, then six numbers a link. `more` comes last."""
    if not links and not more:
        return kernel

    def call(q: Array, qd: Array, applied: Array, *step: float) -> Any:
        loads = [applied[..., n + 6 * k : n + 6 * k + 6] for k in range(len(links))]
        return kernel(q, qd, applied[..., :n], *step, *loads, *more)

    return call


def _on_threads(kernel: Callable[..., Any], threads: int | None) -> Callable[..., Any]:
    """The kernel on a number of threads; if `threads` is None, its fast call."""
    if threads is not None:
        return partial(kernel, threads=threads)
    return kernel.fast_call(kernel) if isinstance(kernel, Kernel) else kernel


def check_tolerances(rtol: float, atol: float) -> None:
    """Raise `InputError` unless the tolerances of a solver are positive numbers."""
    positive("simulate: rtol", rtol)
    positive("simulate: atol", atol)


def _adaptive(
    method: str, rate: Callable[..., tuple[Array, Array]], space: Model, forces: Torque, rtol: float, atol: float,
    observe: Observe | None, slopes: Slopes | None,
) -> Advance:
    """A function that advances by SciPy's solver; forces are evaluated at every stage."""

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
        def rates(time: float, q: Array, qd: Array) -> tuple[Array, Array]:
            return rate(q, qd, forces(k, time, q, qd))

        q, qd = adaptive(rates, span, q, qd, method, rtol, atol, observe, slopes and partial(slopes, k))
        return normalize(space, q), qd

    return advance
