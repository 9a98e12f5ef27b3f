"""Simulation under joint forces, by compiled fixed steps or SciPy's adaptive solvers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.dynamics.steps import METHODS
from revolute.errors import SimulationError
from revolute.simulate.adaptive import ADAPTIVE, IMPLICIT, solver, state_slopes
from revolute.simulate.advice import explained, suitable_steps, warn_of_gain
from revolute.simulate.feedback import ReferenceStopped
from revolute.simulate.forced_machine import ForcedMachine, prepared
from revolute.simulate.loop import machine_code_loads, simulated
from revolute.simulate.owner import Mechanism
from revolute.simulate.record import Advance, Diverged, Record, march, require_finite_energy
from revolute.simulate.request import Request, instants
from revolute.simulate.result import Simulation
from revolute.simulate.touching import warn_of_residual
from revolute.simulate.watching import State

FIXED = tuple(METHODS)


def simulate(mechanism: Mechanism, request: Request, acting: Mapping[str, bool]) -> Simulation:
    """See `Robot.simulate`; `acting` are options of the kernels, such as damping."""
    try:
        machine = prepared(mechanism, request, acting)
    except ReferenceStopped as error:
        before = replace(request, t=instants(request.t)[: error.count])
        partial_motion = simulate(mechanism, before, acting) if error.count else None
        raise SimulationError(f"simulate: {error}", partial_motion) from error.__cause__
    if request.method in ADAPTIVE:
        motion = by_instants(machine, adaptive_steps(machine))
        require_finite_energy(motion)
        return motion
    loads = machine_code_loads(machine.task)
    try:
        motion = by_instants(machine, fixed_steps(machine)) if loads is None else in_machine_code(machine, loads)
        require_finite_energy(motion)
    except Diverged as error:
        raise explained(machine, error) from None
    if request.touching:  # impacts brake, and starts inside of a surface are lifted: energies say little of the steps
        warn_of_residual(motion)
    else:
        warn_of_gain(machine.task, motion, partial(suitable_steps, machine))
    return motion


def fixed_steps(machine: ForcedMachine) -> Advance:
    """One compiled step between two instants, under the forces at the start of the step."""
    step = machine.step
    return lambda k, span, q, qd, forces: step(q, qd, forces, np.asarray(span[1] - span[0]))[:2]


def adaptive_steps(machine: ForcedMachine) -> Advance:
    """Steps of SciPy's solver; forces are evaluated at every stage."""
    task, rate, slopes, settled = machine.task, machine.rate, None, machine.mechanism.settled
    if task.request.method in IMPLICIT and not machine.acting:
        linear = machine.kernel("linearize")
        slopes = state_slopes(task.space, lambda *state: linear(*state)[0], rate, task.forces, task.held)
    step = solver(task, lambda time, *state: rate(*state), slopes)

    def advance(*interval: Any) -> State:
        q, qd = step(*interval)
        if settled is None:
            return task.space.normalize(q), qd
        return settled(q, qd, *(x(interval[0], interval[1][1]) for x in (task.request.inputs or {}).values()))

    return advance


def by_instants(machine: ForcedMachine, advance: Advance) -> Simulation:
    """The motion, computed from instant to instant, with forces that Python computes."""
    task = machine.task
    record = Record(task)

    def motion() -> Simulation:
        t, q, qd, applied = record.reached()
        if task.request.touching:
            h = task.steps[np.searchsorted(task.times, t, side="right") - 1]
            _, _, qdd, *more = machine.step(q, qd, applied, h.reshape(-1, *[1] * len(task.batch)))
        else:
            (_, qdd), more = machine.rate(q, qd, applied), []
        return machine.motion(t, q, qd, qdd, applied[..., : task.n], *machine.energies(q, qd), *more)

    return march(record, advance, motion)


def in_machine_code(machine: ForcedMachine, loads: Mapping[str, Any]) -> Simulation:
    """The motion under the forces `loads` by a compiled loop of fixed steps."""
    task, law = machine.task, machine.task.feedback
    loop, data = machine.mechanism.loop(machine.step_name, law.form if law else None, machine.step_options)
    data = {**data, **(task.request.touching.arrays if task.request.touching else {})}

    def step(k: int, time: float, q: Array, qd: Array) -> State:
        begin = float(task.times[k])
        return fixed_steps(machine)(k, (begin, time), q, qd, task.forces(k, begin, q, qd))

    return simulated(loop, task, {**data, **machine.parameters, **loads}, machine.motion, step)
