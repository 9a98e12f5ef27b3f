"""Recording of a motion, instant by instant."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import isfinite
from time import monotonic

import numpy as np

from revolute.arguments import Array
from revolute.errors import SimulationError
from revolute.model.model import Model
from revolute.simulate.course import CourseSteps, Motion, with_event
from revolute.simulate.events import Reached
from revolute.simulate.result import Simulation
from revolute.simulate.torque import FEW, Torque, all_finite
from revolute.simulate.watching import Crossed, State

Advance = Callable[[int, tuple[float, float], Array, Array, Array], tuple[Array, Array]]
"""One step: (index of the interval, its ends, q, qd, joint forces at its start) -> (q, qd) at its end."""
Finish = Callable[[Array, Array, Array, Array, Array, Array, Array], Simulation]
"""(t, q, qd, qdd, tau, kinetic and potential energies) -> the motion; the first axis of every array is time."""


class Diverged(SimulationError):
    """Raised if a state at t [s] is not finite; `row` is the index of the first such state in the batch."""

    t: float = 0.0
    row: tuple[int, ...] = ()


class Record:
    """States and joint forces of a motion; the first axis in memory is time.

    `names` are the joints of the entries of q and of qd, `nv` is the number of joint forces, and `batch` the leading
    axes of a state. `entry` is the noun for a name in messages, such as "joint".
    """

    def __init__(
        self, along: CourseSteps, names: tuple[Sequence[str], Sequence[str]], nv: int, batch: tuple[int, ...],
        forces: Torque, entry: str = "joint",
    ) -> None:
        self.along, self._entry = along, entry
        self._times: list[float] = along.times.tolist()
        self._names, self._forces, self._count, self._every = names, forces, 0, along.every
        most = along.kept + (along.events is not None)
        sizes = (len(names[0]), len(names[1]), nv)
        self._few = not batch and max(sizes) <= FEW
        self._t = np.empty(most)
        self._t[: along.kept] = along.times[:: along.every]
        self._q, self._qd, self._tau = (np.empty((most, *batch, size)) for size in sizes)

    def add(self, k: int, q: Array, qd: Array) -> Array:
        """Record the state of an instant and return its joint forces; raise `SimulationError` if it is not finite."""
        if not (isfinite(sum(q.tolist()) + sum(qd.tolist())) if self._few else all_finite(q, qd)):
            self.require_finite(k, q, qd)
        time = self._times[k]
        tau = self._forces(k, time, q, qd)
        if not k % self._every:
            at = self._count
            self._q[at], self._qd[at], self._tau[at] = q, qd, tau
            self._count = at + 1
        return tau

    def require_finite(self, k: int, q: Array, qd: Array) -> None:
        """Raise `SimulationError` if the state of an instant is not finite."""
        require_finite(self._times[k], (q, qd), self._names, self._entry)

    def end(self, k: int, time: float, q: Array, qd: Array) -> None:
        """Record the last state, at a time within interval k, unless it is already recorded."""
        if not self._count or time > self._t[self._count - 1]:
            at = self._count
            self._t[at], self._q[at], self._qd[at], self._tau[at] = time, q, qd, self._forces(k, time, q, qd)
            self._count = at + 1

    def reached(self) -> tuple[Array, Array, Array, Array]:
        """t, q, qd and tau of the instants recorded so far."""
        n = self._count
        return self._t[:n], self._q[:n], self._qd[:n], self._tau[:n]


def require_finite(
    time: float, state: tuple[Array, Array], names: tuple[Sequence[str], Sequence[str]], entry: str = "joint"
) -> None:
    """Raise `Diverged` if a state is not finite."""
    if all_finite(*state):
        return
    for array, own_names in zip(state, names, strict=True):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            first = bad[bad[:, -1].argmin()]
            error = Diverged(
                f"simulate: the motion diverges at t={time:g} s, first in {entry} '{own_names[first[-1]]}'; "
                "use smaller steps, or check the forces"
            )
            error.t, error.row = time, tuple(map(int, first[:-1]))
            raise error


def march(q: Array, qd: Array, record: Record, advance: Advance, motion: Callable[[], Motion]) -> Motion:
    """Advance from instant to instant; `motion` creates the result from the records, also if the motion stops early.

    At the end of an interval, the forces of this interval still apply. Forces may jump between intervals, and an
    adaptive solver would resolve the jump by tiny steps.

    Raises:
        SimulationError, SimulationInterrupt: the simulation stops; `partial` of the error is the motion up to there.
    """
    along, event = record.along, None
    try:
        with np.errstate(all="ignore"), along.progress as progress:  # `add` reports divergence
            tau = record.add(0, q, qd)
            for k, span in enumerate(itertools.pairwise(along.times.tolist())):
                before = q, qd
                try:
                    q, qd = advance(k, span, q, qd, tau)
                    if along.events:
                        record.require_finite(k + 1, q, qd)
                        along.events.observe(span[1], q, qd)
                except Crossed as crossed:
                    event = _stopped(crossed, record, advance, k, span[0], before, tau)
                    break
                tau = record.add(k + 1, q, qd)
                if monotonic() >= progress.next:
                    progress.at(span[1])
    except SimulationError as error:
        error.partial = motion()
        raise
    except KeyboardInterrupt:
        raise along.interrupted(motion()) from None
    return with_event(motion(), event)


def _stopped(
    crossed: Crossed, record: Record, advance: Advance, k: int, start: float, before: State, tau: Array
) -> Reached:
    """Locate the event that ends a motion within interval k, and record its state."""

    def state(time: float) -> State:
        return advance(k, (start, time), *before, tau) if time > start else before

    event, (q, qd) = record.along.stop(crossed.which, (crossed.before, crossed.after), state)
    record.end(k, event.t, q, qd)
    return event


def position_names(robot: Model) -> list[str]:
    """(nq,) name of the joint of each entry of q."""
    return [body.joint_name for body in robot.bodies for _ in range(body.joint.nq)]
