"""One thread, two, and the default number, on work of some length: calls one after the other, or after a pause."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing.synchronize import Barrier
from typing import Any

import numpy as np

from bench.robots import CASES, Case
from bench.timing import Contestant, Effort, Timing, race

__all__ = ["COUNTS", "Work", "after_pauses", "contestants", "two_processes", "work"]

COUNTS = {"1 thread": ", threads=1", "2 threads": ", threads=2", "default": ""}
PAUSE = 1e-3
CALIBRATION = 20_000
"""Rows of the call that measures the time of a row."""

_begin: Barrier
"""Where processes meet that measure together."""


@dataclass(frozen=True)
class Work:
    """Calls of about as much work.

    Attributes:
        seconds: of one thread, as wished.
        rows: that take so long.
        steady: one call after the other: 1 thread, 2 threads, default.
        paused: the same, each call after a pause of a millisecond.
    """

    seconds: float
    rows: int
    steady: tuple[Timing, ...]
    paused: tuple[Timing, ...]


def work(case: Case, seconds: float, effort: Effort) -> Work:
    """Inverse dynamics of as many rows as one thread does in that time, given results."""
    (timing,) = race(contestants(case, CALIBRATION, True)[:1], effort)
    rows = max(1, round(seconds * CALIBRATION / timing.median))
    calls = contestants(case, rows, True)
    return Work(seconds, rows, race(calls, effort), after_pauses(calls, effort))


def contestants(case: Case, rows: int, given: bool) -> list[Contestant]:
    """Inverse dynamics with each number of threads, new or given results."""
    states = case.states(rows)
    names: dict[str, Any] = {"robot": case.robot, "q": states.q, "qd": states.qd, "qdd": states.qdd}
    names["tau"] = np.zeros_like(states.qd)
    out = ", out=tau" if given else ""
    call = f"robot.inverse_dynamics(q, qd, qdd{out}"
    return [Contestant(name, f"{call}{option})", names, rows) for name, option in COUNTS.items()]


def after_pauses(contestants: Sequence[Contestant], effort: Effort) -> tuple[Timing, ...]:
    """Time single calls in turn, each after a pause."""
    codes = [compile(x.statement, x.name, "eval") for x in contestants]
    found: list[list[float]] = [[] for _ in contestants]
    deadline = time.perf_counter() + effort.seconds
    while len(found[0]) < effort.least or (len(found[0]) < effort.most and time.perf_counter() < deadline):
        for contestant, code, figures in zip(contestants, codes, found, strict=True):
            names = dict(contestant.names)
            time.sleep(PAUSE)
            before = time.perf_counter()
            eval(code, names)
            figures.append(time.perf_counter() - before)
    return tuple(
        Timing(x.name, x.statement, x.rows, tuple(figures)) for x, figures in zip(contestants, found, strict=True)
    )


def two_processes(case: Case, rows: int, seconds: float, repeats: int) -> float:
    """Calls of two processes, each on a core of its own, in times of one process's: all that a machine can give."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    ratios = []
    for _ in range(repeats):
        first, second, both = (_calls(case, rows, seconds, chosen) for chosen in (cores[:1], cores[1:], cores))
        ratios.append(2 * both / (first + second))
    return sorted(ratios)[repeats // 2]


def _calls(case: Case, rows: int, seconds: float, cores: Sequence[int]) -> int:
    """Calls of processes on these cores in some seconds. A process that fails raises its error here."""
    new = multiprocessing.get_context("spawn")
    begin = new.Barrier(len(cores), timeout=60)
    with ProcessPoolExecutor(len(cores), new, _meet_at, (begin,)) as pool:
        return sum(pool.map(partial(_count, case.key, rows, seconds), cores))


def _meet_at(begin: Barrier) -> None:
    """Have this process begin with others, each of which does one job."""
    global _begin
    _begin = begin


def _count(key: str, rows: int, seconds: float, core: int) -> int:
    os.sched_setaffinity(0, {core})
    case = next(x for x in CASES if x.key == key)
    (one, *_) = contestants(case, rows, True)
    code, names = compile(one.statement, one.name, "eval"), dict(one.names)
    eval(code, names)
    _begin.wait()
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        eval(code, names)
        count += 1
    return count
