"""Recording of a motion, instant by instant."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from time import monotonic
from typing import TypeVar

import numpy as np

from revolute.arguments import Array
from revolute.errors import SimulationError
from revolute.model.model import Model
from revolute.simulate.events import Reached
from revolute.simulate.request import MotionTask
from revolute.simulate.result import Simulation
from revolute.simulate.torque import FEW, all_finite, nouns
from revolute.simulate.watching import Crossed, State

Motion = TypeVar("Motion")
Advance = Callable[[int, tuple[float, float], Array, Array, Array], tuple[Array, Array]]
"""One step: (index of the interval, its ends, q, qd, forces at its start) -> (q, qd) at its end.

Everything else is independent of how a step is made: an integrator, a solver, or a step with impacts and contacts.
"""


class Diverged(SimulationError):
    """Raised if a state at t [s] is not finite; `row` is the index of the first such state in the batch."""

    t: float = 0.0
    row: tuple[int, ...] = ()


class Record:
    """States and forces of a motion; the first axis in memory is time."""

    def __init__(self, task: MotionTask) -> None:
        self.task = task
        self._times: list[float] = task.times.tolist()
        self._forces, self._every, self._count = task.forces, task.request.every, 0
        most = task.kept + (task.events is not None)
        sizes = (task.q.shape[-1], task.qd.shape[-1], task.n + sum(task.loads.values()))
        self._few = not task.batch and max(sizes) <= FEW
        self._t = np.empty(most)
        self._t[: task.kept] = task.times[:: self._every]
        self._q, self._qd, self._tau = (np.empty((most, *task.batch, size)) for size in sizes)

    def add(self, k: int, q: Array, qd: Array) -> Array:
        """Record the state of an instant and return its forces; raise `SimulationError` if it is not finite."""
        if not (isfinite(sum(q.tolist()) + sum(qd.tolist())) if self._few else all_finite(q, qd)):
            require_finite(self.task, self._times[k], q, qd)
        time = self._times[k]
        tau = self._forces(k, time, q, qd)
        if not k % self._every:
            at = self._count
            self._q[at], self._qd[at], self._tau[at] = q, qd, tau
            self._count = at + 1
        return tau

    def end(self, k: int, time: float, q: Array, qd: Array) -> None:
        """Record the last state, at a time within interval k, unless it is already recorded."""
        if not self._count or time > self._t[self._count - 1]:
            at = self._count
            self._t[at], self._q[at], self._qd[at], self._tau[at] = time, q, qd, self._forces(k, time, q, qd)
            self._count = at + 1

    def reached(self) -> tuple[Array, Array, Array, Array]:
        """t, q, qd and forces of the instants recorded so far."""
        n = self._count
        return self._t[:n], self._q[:n], self._qd[:n], self._tau[:n]


def require_finite(task: MotionTask, time: float, q: Array, qd: Array) -> None:
    """Raise `Diverged` if a state is not finite."""
    if all_finite(q, qd):
        return
    space, names = task.space, task.space.coordinate_names
    joints = [x.joint_name for x in space.bodies for _ in range(x.joint.nq)] if isinstance(space, Model) else names
    for array, entries in ((q, joints), (qd, names)):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            first = bad[bad[:, -1].argmin()]
            where = f"t={time:g} s, first in {nouns(space)[1]} '{entries[first[-1]]}'"
            raise _diverged(where, time, first[:-1], None)


def require_finite_energy(motion: Simulation) -> None:
    """Raise `Diverged` if an energy is not finite, although the state is; `partial` is the earlier motion."""
    bad = np.argwhere(~np.isfinite(motion.energy))
    if len(bad):
        *row, k = bad[bad[:, -1].argmin()]
        time = float(motion.t[k])
        raise _diverged(f"t={time:g} s, where its energy is not finite", time, row, motion[:k])


def _diverged(where: str, time: float, row: Sequence[int], before: Simulation | None) -> Diverged:
    error = Diverged(f"simulate: the motion diverges at {where}; use smaller steps, or check the forces", before)
    error.t, error.row = time, tuple(map(int, row))
    return error


def march(record: Record, advance: Advance, motion: Callable[[], Motion]) -> Motion:
    """Advance from instant to instant; `motion` creates the result from the record: see `finished`.

    The forces of an interval apply up to and including its end. Forces may jump between intervals, and an adaptive
    solver would resolve a jump within an interval by tiny steps.
    """
    task = record.task

    @np.errstate(all="ignore")  # `add` reports divergence
    def run() -> Reached | None:
        q, qd = task.q, task.qd
        tau = record.add(0, q, qd)
        for k, span in enumerate(itertools.pairwise(task.times.tolist())):
            before = q, qd
            try:
                q, qd = advance(k, span, q, qd, tau)
                if task.events:
                    require_finite(task, span[1], q, qd)
                    task.events.observe(span[1], q, qd)
            except Crossed as crossed:
                return _stopped(crossed, record, advance, k, span[0], before, tau)
            tau = record.add(k + 1, q, qd)
            if monotonic() >= task.bar.next:
                task.bar.at(span[1])
        return None

    return finished(task, run, motion)


def _stopped(
    crossed: Crossed, record: Record, advance: Advance, k: int, start: float, before: State, tau: Array
) -> Reached:
    """Locate the event that ends a motion within interval k, and record its state."""

    def state(time: float) -> State:
        return advance(k, (start, time), *before, tau) if time > start else before

    event, (q, qd) = record.task.stop(crossed.which, (crossed.before, crossed.after), state)
    record.end(k, event.t, q, qd)
    return event


def finished(task: MotionTask, run: Callable[[], Reached | None], motion: Callable[[], Motion]) -> Motion:
    """The motion after `run`, which returns the event that stopped it.

    Raises:
        SimulationError, SimulationInterrupt: the simulation stops; `partial` of the error is the motion so far.
    """
    try:
        with task.bar:
            event = run()
    except SimulationError as error:
        error.partial = motion()
        raise
    except KeyboardInterrupt:
        raise task.interrupted(motion()) from None
    found = motion()
    return replace(found, event=event) if event and isinstance(found, Simulation) else found
