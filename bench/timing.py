"""Contests: all contestants in turn within every repeat, so that all see the same machine."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
import timeit
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revolute.compiler import background

__all__ = ["Contestant", "Effort", "Timing", "only_cores", "race", "spread_of"]


@dataclass(frozen=True)
class Contestant:
    """A statement to time.

    Attributes:
        name: what tables call it.
        statement: Python as a user would write it; its loop costs some 10 ns a turn.
        names: what the statement refers to.
        rows: states that one call evaluates.
    """

    name: str
    statement: str
    names: Mapping[str, Any]
    rows: int = 1


@dataclass(frozen=True)
class Timing:
    """What a contestant took.

    Attributes:
        name, statement, rows: the contestant's.
        seconds: seconds of one call, one figure a repeat.
    """

    name: str
    statement: str
    rows: int
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Seconds of one call."""
        return statistics.median(self.seconds)

    @property
    def per_row(self) -> float:
        """Median nanoseconds of one state."""
        return self.median / self.rows * 1e9

    @property
    def least_per_row(self) -> float:
        """Nanoseconds of one state in the fastest repeat."""
        return min(self.seconds) / self.rows * 1e9

    @property
    def spread(self) -> float:
        """Half of the repeats lie within this part of the median."""
        return spread_of(self.seconds)

    def times_faster_than(self, other: Timing) -> float:
        """Ratio of the medians per row."""
        return other.per_row / self.per_row

    def least_times_faster_than(self, other: Timing) -> float:
        """Ratio of the fastest repeats: closer to the truth where others load the machine."""
        return other.least_per_row / self.least_per_row


def spread_of(seconds: Sequence[float]) -> float:
    """The distance between the quartiles, as a part of the median."""
    if len(seconds) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(seconds, n=4, method="inclusive")
    return (third - first) / middle


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes:
        slice: least seconds of one contestant's turn; short calls are repeated within it.
        seconds: seconds that one contest may take, warm-up left out.
        least, most: repeats, whatever the seconds say.
    """

    slice: float
    seconds: float
    least: int
    most: int


def race(contestants: Sequence[Contestant], effort: Effort) -> tuple[Timing, ...]:
    """Time the contestants A B C A B C ..., after a warm-up that also sets the calls a turn."""
    timers = [timeit.Timer(x.statement, globals=dict(x.names)) for x in contestants]
    calls = [_calls(timer, effort.slice) for timer in timers]
    background.wait()  # final code of large kernels
    found: list[list[float]] = [[] for _ in contestants]
    deadline = time.perf_counter() + effort.seconds
    while len(found[0]) < effort.least or (len(found[0]) < effort.most and time.perf_counter() < deadline):
        for timer, number, figures in zip(timers, calls, found, strict=True):
            figures.append(timer.timeit(number) / number)
    return tuple(
        Timing(x.name, x.statement, x.rows, tuple(figures)) for x, figures in zip(contestants, found, strict=True)
    )


def _calls(timer: timeit.Timer, slice_: float) -> int:
    timer.timeit(1)
    number = 1
    while (taken := timer.timeit(number)) < slice_:
        number = max(number + 1, min(int(number * slice_ / max(taken, 1e-9)) + 1, number * 10))
    return number


@contextlib.contextmanager
def only_cores(count: int) -> Iterator[bool]:
    """Keep this thread, and those that it starts, on `count` cores; returns whether that was possible."""
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    before = os.sched_getaffinity(0)
    if len(before) < count:
        yield False
        return
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield True
    finally:
        os.sched_setaffinity(0, before)
