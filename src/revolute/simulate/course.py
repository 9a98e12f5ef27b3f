"""Options of a simulation other than its steps: stored instants, events, progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from revolute.arguments import Array, instance, instances, whole_number
from revolute.errors import SimulationInterrupt
from revolute.records import dataclass
from revolute.simulate.events import Reached, Scene
from revolute.simulate.progress import Progress
from revolute.simulate.result import Simulation
from revolute.simulate.watching import Events, State, first_change, watched

Motion = TypeVar("Motion")


@dataclass(frozen=True, eq=False)
class Course:
    """Options of `simulate` for the whole motion: see `Robot.simulate`."""

    events: Any = ()
    stop_at_limits: bool = False
    every: int = 1
    progress: bool | None = None

    def along(self, name: str, scene: Callable[[], Scene], times: Array, q: Array, qd: Array) -> CourseSteps:
        """Check the options and apply them to one motion, from its first state."""
        every = whole_number("simulate: every", self.every, 1)
        limits = instance("simulate: stop_at_limits", self.stop_at_limits, (bool, np.bool_))
        show = instance("simulate: progress", self.progress, (bool, type(None)))
        given = instances("simulate: events", self.events, object)
        events = watched(given, bool(limits), scene(), q.shape[:-1]) if given or limits else None
        if events:
            events.begin(float(times[0]), q, qd)
        bar = Progress(f"simulating '{name}'", (float(times[0]), float(times[-1])), show)
        return CourseSteps(name, times, every, events, bar)


@dataclass(frozen=True, eq=False)
class CourseSteps:
    """The options applied to one motion with (T,) instants `times`."""

    name: str
    times: Array
    every: int
    events: Events | None
    progress: Progress

    @classmethod
    def plain(cls, times: Array) -> CourseSteps:
        """Options that store all instants and watch no events."""
        return cls("", times, 1, None, Progress("", (0.0, 0.0), False))

    @property
    def kept(self) -> int:
        """Number of stored instants."""
        return -(-len(self.times) // self.every)

    def stop(
        self, which: list[int], bracket: tuple[float, float], state: Callable[[float], State]
    ) -> tuple[Reached, State]:
        """The first event, and the state there: see `first_change`."""
        assert self.events is not None
        self.events.active = False
        k, time = first_change(self.events, which, bracket, state)
        return self.events.reached(k, time), state(time)

    def interrupted(self, motion: Any) -> SimulationInterrupt:
        """The error that Ctrl-C raises, with the motion up to that time."""
        t = getattr(motion, "t", np.empty(0))
        words = f"after t={t[-1]:g} s of {self.times[-1]:g} s" if len(t) else "before its first instant"
        return SimulationInterrupt(f"simulate: interrupted {words}; its `partial` is the motion up to there", motion)


def with_event(motion: Motion, event: Reached | None) -> Motion:
    """The motion with the event that stopped it."""
    return replace(motion, event=event) if event and isinstance(motion, Simulation) else motion
