"""Motions of Lagrangian systems under given forces."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcast_shapes, float_copy, mapping, whole_number
from revolute.dynamics.steps import check_method
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.machine.machine import Array
from revolute.machine.system_constraints import Projection, timed
from revolute.simulate import ADAPTIVE, Course, Owner, Scene, Simulation
from revolute.simulate.adaptive import SolverStopped, adaptive, runge_kutta_4
from revolute.simulate.record import Record, march
from revolute.simulate.run import check_tolerances, instants, start
from revolute.simulate.torque import source

if TYPE_CHECKING:
    from revolute.machine.lagrangian.symbols import Symbol
    from revolute.machine.lagrangian.system import System

__all__ = ["Course", "Owner", "Simulation", "project", "simulate"]

STAGES = 16
"""Number of last evaluations searched for dependent rows after a failed step: the number of stages of DOP853."""


def simulate(
    system: System, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str,
    values: Mapping[Any, ArrayLike] | None, rtol: float, atol: float, course: Course,
) -> Simulation:
    """See `System.simulate`."""
    check_method("simulate", method, ("runge_kutta_4", *ADAPTIVE))
    check_tolerances(rtol, atol)
    times = instants(t)
    given = mapping("simulate: values", {} if values is None else values)
    if system.time is not None and any(str(x) == system.time.name for x in given):
        raise InputError(f"simulate: values: '{system.time}' is the time of the motion, which t gives")
    numbers = _numbers("simulate", system, given, [x for x in system.parameters if x != system.time])
    q, qd = _first(system, q0, qd0, numbers)
    batch = q.shape[:-1]
    accelerations, kinetic, potential = (
        timed(system, name, numbers) for name in ("forward_dynamics", "kinetic_energy", "potential_energy")
    )
    projection = _projection(system, numbers, float(times[0]), q, qd)
    forces = source(system, torque, times, batch, kind="system")
    along = course.along(system.name, partial(_scene, system), times, q, qd)
    observe = along.events.observe if along.events else None
    record = Record(along, (system.coordinate_names, system.coordinate_names), system.nv, batch, forces, "coordinate")

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, held: Array) -> tuple[Array, Array]:
        visits: deque[tuple[float, Array]] = deque(maxlen=STAGES)

        def rates(time: float, q: Array, qd: Array) -> tuple[Array, Array]:
            visits.append((time, q.copy()))
            tau = held if method == "runge_kutta_4" else forces(k, time, q, qd)
            return qd, accelerations(time, q, qd, tau)

        try:
            if method == "runge_kutta_4":
                q, qd = runge_kutta_4(rates, span, q, qd)
            else:
                q, qd = adaptive(rates, span, q, qd, method, rtol, atol, observe)
            if projection is None:
                return q, qd
            if np.isfinite(q).all() and np.isfinite(qd).all():
                return projection(span[1], q, qd)
        except (InputError, SolverStopped) as error:
            _require_independent(projection, visits)
            raise SimulationError(f"simulate: at t={span[1]:g} s: {str(error).removeprefix('simulate: ')}") from error
        _require_independent(projection, visits)
        return q, qd  # the record reports which coordinate diverges

    def motion() -> Simulation:
        t, q, qd, tau = record.reached()
        time = t.reshape(-1, *(1,) * len(batch))
        qdd = accelerations(time, q, qd, tau)
        return Simulation.of(system._owner, t, q, qd, qdd, tau, kinetic(time, q, qd), potential(time, q))

    return march(q, qd, record, advance, motion)


def _scene(system: System) -> Scene:
    """See `revolute.simulate.events`."""
    free = np.full(system.nq, np.inf)
    return Scene(tuple(system.coordinate_names), -free, free, None)


def _projection(system: System, numbers: Mapping[Any, Array], t0: float, q: Array, qd: Array) -> Projection | None:
    """The projection of a constrained system, whose first state must obey the constraints."""
    if not system.constraints:
        return None
    projection = Projection(system, numbers)
    try:
        projection.require_obeyed(t0, q, qd)
    except InputError as error:
        raise InputError(f"simulate: {error}") from None
    return projection


def _require_independent(projection: Projection | None, visits: Iterable[tuple[float, Array]]) -> None:
    """Raise `SimulationError` if constraints depend on each other in one of the last states."""
    for time, q in visits if projection else ():
        if words := projection.dependent(time, q):  # type: ignore[union-attr]
            raise SimulationError(
                f"simulate: stopped near t={time:g} s: {words}. The constraint forces do not exist there, and the "
                "motion may branch; start elsewhere, or change the constraints"
            )


def project(
    system: System, q: ArrayLike, qd: ArrayLike, values: Mapping[Any, ArrayLike] | None, most: int
) -> tuple[Array, Array]:
    """See `ConstrainedSystem.project`."""
    whole_number("project: most", most, 1)
    given = mapping("project: values", {} if values is None else values)
    numbers = _numbers("project", system, given, system.symbols_of(system.kinetic, *system.constraint_expressions))
    try:
        return Projection(system, numbers, most)(0.0, *_first(system, q, qd, numbers, "project", ("q", "qd")))
    except ShapeError:
        raise
    except InputError as error:
        raise InputError(f"project: {str(error).removeprefix('project: ')}") from None


def _numbers(method: str, system: System, given: Mapping[Any, ArrayLike], needed: Sequence[Symbol]) -> dict[Any, Array]:
    """Copies of the parameters' values, which a method needs for some."""
    system._values_of(needed, given, method)
    return {x: float_copy(f"{method}: value of '{x}'", y) for x, y in given.items()}


def _first(
    system: System, q0: ArrayLike, qd0: ArrayLike, numbers: Mapping[Any, Array], method: str = "simulate",
    names: tuple[str, str] = ("q0", "qd0"),
) -> tuple[Array, Array]:
    """The first state, one for every set of parameters."""
    q, qd = start(system, q0, qd0, method, names, "system")
    try:
        batch = broadcast_shapes([q.shape[:-1], *(x.shape for x in numbers.values())])
    except ValueError:
        shapes = ", ".join(f"'{x}' {y.shape}" for x, y in numbers.items() if y.ndim)
        states = f"{names[0]} and {names[1]} {q.shape[:-1]}"
        raise ShapeError(f"{method}: batches of {states} and of {shapes} do not broadcast") from None
    return tuple(np.broadcast_to(x, (*batch, system.n)).copy() for x in (q, qd))  # type: ignore[return-value]
