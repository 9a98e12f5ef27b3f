"""Motions by fixed steps, with the loop over time in machine code.

The loop runs in pieces of about a tenth of a second; Ctrl-C, the progress bar and events are handled between pieces.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import Array
from revolute.compiler.memory import new_array
from revolute.errors import SimulationError
from revolute.simulate.events import Reached
from revolute.simulate.feedback import Feedback, law_input
from revolute.simulate.record import finished, require_finite
from revolute.simulate.request import MotionTask
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Table
from revolute.simulate.watching import State

if TYPE_CHECKING:
    from revolute.compiler.recurrence import TimeLoop

Step = Callable[[int, float, Array, Array], State]
"""(index of the interval, a time in the interval, q and qd at its start) -> q and qd at that time."""

SECONDS = 0.1
"""Approximate computing time of one piece of the simulation loop [s]."""

PIECE = 1 << 22
"""Maximum size of a piece [bytes] if only some instants are stored; it fits the processor's cache."""

FIRST = 256
"""Number of instants in the first piece if events may stop the motion; every later piece doubles in length."""


def machine_code_loads(task: MotionTask) -> dict[str, Any] | None:
    """Joint forces, wrenches and further inputs of a loop, by input name; None if one of them is a function."""
    tau, *others = task.sources
    if not isinstance(tau, (Table, Feedback)) or not all(isinstance(x, Table) for x in others):
        return None
    applied = tau.arrays if isinstance(tau, Feedback) else {"force": tau}
    loads = {law_input(name): x for name, x in applied.items()}
    return loads | dict(zip(task.loads, others, strict=True))


def simulated(
    loop: TimeLoop, task: MotionTask, loads: Mapping[str, Any], finish: Callable[..., Simulation], step: Step
) -> Simulation:
    """Simulate with a compiled loop. The motion is the same as with `march`, which calls Python at each instant.

    Args:
        loads: a `Table` for each input that varies over time; an array for each other input, which may differ by batch
            row.
        finish: creates the motion from t, q, qd, qdd, tau, the energies and other stored arrays, whose first axis is
            time.
        step: makes one step of any length, to locate events.
    """
    pieces = _Pieces(loop, task, loads)

    def run() -> Reached | None:
        while not pieces.complete:
            if found := pieces.run():
                return pieces.stop(*found, step)
            task.bar.at(float(task.times[pieces.begin]))
        if pieces.diverged is not None:
            time, state = pieces.diverged
            with np.errstate(over="ignore", invalid="ignore"):  # infinite forces cause no warnings
                require_finite(task, time, *state)
                if task.feedback:
                    task.feedback.require_finite_state(time)
        return None

    return finished(task, run, lambda: finish(*pieces.kept()))


class _Pieces:
    """A motion that is computed in pieces; the next piece begins at instant `begin`. Arguments: see `simulated`.

    If all instants are stored, the loop writes directly to the arrays of the result, otherwise to a buffer for one
    piece. `diverged` is the time and state of the first instant that is not finite.
    """

    def __init__(self, loop: TimeLoop, task: MotionTask, loads: Mapping[str, Any]) -> None:
        self._loop, self._task, batch, feedback = loop, task, task.batch, task.feedback
        self._law = {law_input(name): x for name, x in feedback.state.items()} if feedback else {}
        self.begin, self.complete = 0, False
        self.diverged: tuple[float, State] | None = None
        form, instants, rows = loop.form, len(task.times), math.prod(batch)
        self._loads = {
            "h": np.broadcast_to(task.steps[:, None], (instants, rows)),
            **{name: _by_rows(x, (instants, *batch), form.loads[name]) for name, x in loads.items()},
        }
        self._sizes = {name: size for name, size in {**form.states, **form.stores}.items() if name not in self._law}
        numbers = rows * sum(math.prod(size) for size in self._sizes.values())
        self._longest = loop.instants_in(SECONDS, rows, task.request.threads)
        self._length = FIRST if task.events else self._longest
        self._count, self._t = 0, np.empty(task.kept + (task.events is not None))
        self._kept = self._memory(len(self._t), batch)
        self._piece = None
        if task.request.every > 1:
            self._longest = min(self._longest, max(PIECE // max(8 * numbers, 1), 1))
            self._piece = self._memory(min(self._longest + 1, instants), batch)
        self._state = task.q, task.qd

    def kept(self) -> tuple[Array, ...]:
        """t, q, qd, qdd, tau and the energies of all stored instants, then the arrays of contacts."""
        n, usual = self._count, ("q", "qd", "qdd", "tau", "T", "U")
        return self._t[:n], *(self._kept[name][:n] for name in (*usual, *(x for x in self._kept if x not in usual)))

    def run(self) -> tuple[int, State, list[int]] | None:
        """Run one piece. If events occur in it, return the instant before them, the state there, and their indices."""
        times, begin = self._task.times, self.begin
        end = min(begin + min(self._length, self._longest), len(times) - 1)
        self._length *= 2
        records = self._records(end - begin + 1)
        count = self._run(begin, records, self._state)
        q, qd = records["q"], records["qd"]
        if self._task.events and (found := self._first(records, count)):
            k, which = found
            self._keep(records, k + 1)
            return begin + k, (q[k].copy(), qd[k].copy()), which
        self.complete = count <= end - begin or end == len(times) - 1
        if count <= end - begin:
            self.diverged = float(times[begin + count]), (q[count].copy(), qd[count].copy())
        if self.complete and self._task.feedback:
            self._require_forces(records, count - 1)
        self._keep(records, count if self.complete else count - 1)
        if not self.complete:
            self._state = q[-1].copy(), qd[-1].copy()
        self.begin = end
        return None

    def _require_forces(self, records: dict[str, Array], last: int) -> None:
        """Raise `SimulationError` if forces at the last instant of a piece are not finite; keep the earlier motion."""
        assert self._task.feedback is not None
        try:
            self._task.feedback.require_finite(float(self._task.times[self.begin + last]), records["tau"][last])
        except SimulationError:
            self._keep(records, last)
            raise

    def _first(self, records: dict[str, Array], count: int) -> tuple[int, list[int]] | None:
        """The first events in the finite states of a piece; if a function fails, keep the earlier states."""
        events, times = self._task.events, self._task.times[self.begin + 1 : self.begin + count]
        assert events is not None
        try:
            return events.first(times, records["q"][1:count], records["qd"][1:count])
        except BaseException:
            self._keep(records, events.seen + 1)
            raise

    def stop(self, k: int, state: State, which: list[int], step: Step) -> Reached:
        """Locate the first event after instant k, and store its state."""
        start, after = self._task.times[k : k + 2].tolist()
        event, last = self._task.stop(
            which, (start, after), lambda time: step(k, time, *state) if time > start else state
        )
        if not self._count or event.t > self._t[self._count - 1]:
            at = self._count
            self._run(k, {name: x[at : at + 1] for name, x in self._kept.items()}, last)
            self._t[at] = event.t
            self._count += 1
        return event

    def _run(self, begin: int, records: dict[str, Array], state: State) -> int:
        """Run the loop from an instant into these records; return the number of finite states."""
        instants = len(records["q"])
        for name, x in zip(("q", "qd"), state, strict=True):
            records[name][0] = x
        rows = self._loads["h"].shape[1]
        law, sizes = {name: x[begin : begin + instants] for name, x in self._law.items()}, self._loop.form.states
        arrays = {
            **{name: x[begin : begin + instants] for name, x in self._loads.items()},
            **{name: x.reshape(instants, rows, *self._sizes[name]) for name, x in records.items()},
            **{name: x.reshape(instants, rows, *sizes[name]) for name, x in law.items()},
        }
        return self._loop.run({name: arrays[name] for name in self._loop.form.arrays}, self._task.request.threads)

    def _records(self, instants: int) -> dict[str, Array]:
        if self._piece is None:
            return {name: x[self.begin : self.begin + instants] for name, x in self._kept.items()}
        return {name: x[:instants] for name, x in self._piece.items()}

    def _keep(self, records: dict[str, Array], instants: int) -> None:
        """Store every n-th instant among the first `instants` of a piece."""
        every, to = self._task.request.every, self._count
        first = -self.begin % every
        chosen = self._task.times[self.begin : self.begin + instants][first::every]
        self._t[to : to + len(chosen)] = chosen
        for name, x in records.items() if self._piece is not None else ():
            self._kept[name][to : to + len(chosen)] = x[first:instants:every]
        self._count += len(chosen)

    def _memory(self, instants: int, batch: tuple[int, ...]) -> dict[str, Array]:
        return {name: new_array((instants, *batch, *size), np.dtype(float)) for name, size in self._sizes.items()}


def _by_rows(load: Table | Array, shape: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """A load as (instants, rows, *core), broadcast where it is constant."""
    rows = math.prod(shape[1:])
    if not isinstance(load, Table):
        if load.shape != size:
            load = np.broadcast_to(load, (*shape[1:], *size)).reshape(rows, *size)
        return np.broadcast_to(load, (shape[0], rows, *size))
    table = np.moveaxis(load.rows, -2, 0)
    if table.strides[0] == 0:  # the forces are constant over time
        table = table[:1]
    return np.broadcast_to(table.reshape(len(table), rows, *size), (shape[0], rows, *size))
