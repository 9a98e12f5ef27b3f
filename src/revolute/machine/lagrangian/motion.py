"""Motions of Lagrangian systems under given forces, and states that satisfy their constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, mapping, whole_number
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.machine.machine import Array
from revolute.simulate import ADAPTIVE, EventMethods, MotionOwner, Request, Simulation
from revolute.simulate.adaptive import SolverStopped, solver
from revolute.simulate.record import Record, march
from revolute.simulate.request import prepare, start
from revolute.simulate.watching import State

if TYPE_CHECKING:
    from revolute.machine.lagrangian.symbols import Symbol
    from revolute.machine.lagrangian.system import System

__all__ = ["MotionOwner", "Request", "Simulation", "project", "simulate"]

Timed = Callable[..., Any]  # a kernel, called with the time and the kernel's arrays

START = 1e-6
"""Maximum error of an initial coordinate or velocity, relative to the largest one, or to 1 if that is larger."""

NEWTON = 1e-9
"""Relative length of a Newton step below which no further step is taken: the remaining error is about its square."""

CLOSER = 3  # Newton steps at the stages of a step: openings of a tenth fall below 1e-7


def simulate(system: System, request: Request, values: Mapping[Any, ArrayLike] | None) -> Simulation:
    """See `System.simulate`."""
    given = mapping("simulate: values", {} if values is None else values)
    if system.time is not None and any(str(x) == system.time.name for x in given):
        raise InputError(f"simulate: values: '{system.time}' is the time of the motion; give it by t, not in values")
    numbers = _numbers("simulate", system, given, [x for x in system.parameters if x != system.time])
    free = np.full(system.nq, np.inf)
    scene = partial(EventMethods, system.coordinate_names, -free, free, None)
    state = start(system, request.q0, request.qd0, others=_batches(numbers))
    task = prepare(request, ("runge_kutta_4", *ADAPTIVE), system, state, scene)
    accelerations, kinetic, potential = (
        timed(system, name, numbers) for name in ("forward_dynamics", "kinetic_energy", "potential_energy")
    )
    projection, record = _projection(system, numbers, float(task.times[0]), *state), Record(task)

    def rate(time: float, q: Array, qd: Array, tau: Array) -> State:
        q, qd = projection.nearer(time, q, qd) if projection else (q, qd)
        return qd, accelerations(time, q, qd, tau)

    step = solver(task, rate)

    def advance(k: int, span: tuple[float, float], *state: Array) -> State:
        try:
            q, qd = step(k, span, *state)
            closes = projection is not None and np.isfinite(q).all() and np.isfinite(qd).all()
            return projection(span[1], q, qd) if projection and closes else (q, qd)
        except (InputError, SolverStopped, np.linalg.LinAlgError) as error:
            words = str(error).removeprefix("simulate: ")
            raise SimulationError(f"simulate: at t={span[1]:g} s: {words}") from error

    def motion() -> Simulation:
        t, q, qd, tau = record.reached()
        time = t.reshape(-1, *(1,) * len(task.batch))
        qdd = accelerations(time, q, qd, tau)
        return Simulation.of(system._owner, t, q, qd, qdd, tau, kinetic(time, q, qd), potential(time, q))

    return march(record, advance, motion)


def _projection(system: System, numbers: Mapping[Any, Array], t0: float, q: Array, qd: Array) -> Projection | None:
    """The projection onto the constraints, if there are any. Raise `InputError` if the first state violates one."""
    if not system.constraints:
        return None
    projection = Projection(system, numbers)
    try:
        projection.require_obeyed(t0, q, qd)
    except InputError as error:
        raise InputError(f"simulate: {error}") from None
    return projection


def project(
    system: System, q: ArrayLike, qd: ArrayLike, values: Mapping[Any, ArrayLike] | None, most: int
) -> tuple[Array, Array]:
    """See `ConstrainedSystem.project`."""
    whole_number("project: most", most, 1)
    given = mapping("project: values", {} if values is None else values)
    numbers = _numbers("project", system, given, system.symbols_of(system.kinetic, *system.constraint_expressions))
    try:
        state = start(system, q, qd, "project", ("q", "qd"), _batches(numbers))
        return Projection(system, numbers, most)(0.0, *state)
    except ShapeError:
        raise
    except InputError as error:
        raise InputError(f"project: {str(error).removeprefix('project: ')}") from None


def _numbers(method: str, system: System, given: Mapping[Any, ArrayLike], needed: Sequence[Symbol]) -> dict[Any, Array]:
    """Copies of the parameters' values. Raise `InputError` if a parameter `needed` by the method has no value."""
    system._values_of(needed, given, method)
    return {x: float_copy(f"{method}: value of '{x}'", y) for x, y in given.items()}


def _batches(numbers: Mapping[Any, Array]) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters that are arrays, by name."""
    return {f"'{x}'": y.shape for x, y in numbers.items() if y.ndim}


def timed(system: System, name: str, numbers: Mapping[Any, Any]) -> Timed:
    """A function of the system with numbers for its parameters, and time as its first argument.

    If the numbers contain the time, or the function does not depend on it, that argument is ignored.
    """
    function, kernel = system._function(name), system.kernel(name)
    symbols, runs = system._symbols(function), {} if system.time is None else {system.time: 0.0}
    fixed = {str(x) for x in numbers}
    runs = {t: zero for t, zero in runs.items() if t in symbols and t.name not in fixed}
    constants = system._values(function, {**numbers, **runs})
    if not runs:
        return lambda time, *arrays: kernel(*arrays, *constants)
    at = symbols.index(system.time)
    before, after = constants[:at], constants[at + 1 :]
    return lambda time, *arrays: kernel(*arrays, *before, time, *after)


class Projection:
    """Projection of states onto the constraints in the kinetic energy's metric, in at most `most` Newton steps."""

    def __init__(self, system: System, numbers: Mapping[Any, Any], most: int = 50) -> None:
        self.system, self.most = system, most
        holonomic = any(x.holonomic for x in system.constraints)
        self._position = timed(system, "position_correction", numbers) if holonomic else None
        self._velocity, self._error, self._rates, self._jacobian = (
            timed(system, name, numbers)
            for name in ("velocity_correction", "constraint_error", "constraint_rates", "constraint_jacobian")
        )

    def __call__(self, time: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """A state near this one that satisfies the constraints; raise `InputError` if none is found."""
        moving = np.ones((*q.shape[:-1], 1), bool)  # rows that have arrived stay as they are
        for _ in range(self.most if self._position else 0):
            step = self._finite(time, q, self._position(time, q, qd))  # type: ignore[misc]
            q = np.where(moving, q + step, q)
            moving &= (np.abs(step) > NEWTON * _size(q)).any(axis=-1, keepdims=True)
            if not moving.any():
                break
        if self._violated(time, q).any():
            name, error, where = self._largest(self._error(time, q))
            raise InputError(
                f"found no state near this one that satisfies the constraints of '{self.system.name}'; "
                f"'{name}' is still violated by {error:.3g}{where}; start nearer to such a state, or check whether "
                "constraints contradict each other"
            )
        return q, qd + self._finite(time, q, self._velocity(time, q, qd))

    def nearer(self, time: float, q: Array, qd: Array) -> State:
        """A state with smaller constraint errors. In states with large errors, dependent rows seem independent."""
        for _ in range(CLOSER if self._position else 0):
            q = q + self._position(time, q, qd)  # type: ignore[misc]
        return q, qd + self._velocity(time, q, qd)

    def _violated(self, time: float, q: Array) -> Array:
        """Whether each holonomic constraint is violated by more than `START`, relative to the positions."""
        slopes = np.abs(self._jacobian(time, q)).sum(axis=-1)
        return np.asarray(np.abs(self._error(time, q)) > START * (slopes * _size(q) + NEWTON))

    def require_obeyed(self, time: float, q: Array, qd: Array) -> None:
        """Raise `InputError` if an initial state violates a constraint; the message states which, and its error."""
        advice = "; `project` returns the nearest state that satisfies all of them"
        if self._violated(time, q).any():
            name, error, where = self._largest(self._error(time, q))
            what = f"q0 violates the constraint '{name}' of '{self.system.name}'"
            raise InputError(f"{what} by {error:.6g}{where}{advice}")
        if (np.abs(self._finite(time, q, self._velocity(time, q, qd))) > START * _size(qd)).any():
            name, error, where = self._largest(self._rates(time, q, qd))
            raise InputError(
                f"qd0 violates the constraint '{name}' of '{self.system.name}': its rate is {error:.6g}{where}{advice}"
            )

    def _finite(self, time: float, q: Array, correction: Array) -> Array:
        """Return the correction. Raise `InputError` if it is not finite although q is."""
        if np.isfinite(correction).all() or not np.isfinite(q).all():
            return correction
        raise InputError(
            f"'{self.system.name}' has no finite constraint forces: the mass matrix has no inverse, or a parameter is "
            "not finite"
        )

    def _largest(self, errors: Array) -> tuple[str, float, str]:
        """Name and error of the constraint with the largest violation, and its position in the batch."""
        place = np.unravel_index(int(np.argmax(np.abs(errors))), errors.shape)
        where = f" in row {tuple(map(int, place[:-1]))}" if errors.ndim > 1 else ""
        return self.system.constraints[place[-1]].name, float(errors[place]), where


def _size(x: Array) -> Array:
    return np.asarray(np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1.0))
