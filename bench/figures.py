"""The figures that Revolute has set itself, with what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.contests import OURS, PINOCCHIO, named
from bench.measure import Results, RobotResults
from bench.timing import Timing

__all__ = ["Figure", "figures"]

MiB = 1 << 20
BATCH = 4096


@dataclass(frozen=True)
class Figure:
    """A figure with its target.

    Attributes:
        what: what is measured.
        wanted, measured: as text; medians, where there are repeats.
        fastest: the same from the fastest repeats, for a machine that others load.
        met: whether the target is met by what was measured.
    """

    what: str
    wanted: str
    measured: str
    met: bool
    fastest: str = ""


def figures(results: Results) -> list[Figure]:
    """Every figure for which the results have the measurement."""
    found = [x for robot in results.robots if BATCH in robot.batches for x in _batch(robot)]
    ur5, talos = results.robot("ur5"), results.robot("talos")
    if ur5:
        ours, theirs = named(ur5.single, OURS), named(ur5.single, PINOCCHIO)
        found.append(_at_least("one UR5 call from Python, new result, against `pin.rnea`", 4, ours, theirs))
    if results.threads:
        one, two = (named(results.threads, f"{OURS}, {count}") for count in (1, 2))
        what = f"2 threads against 1, batch of {one.rows:,} UR5 rows, given result"
        found.append(_at_least(what, 1.7, two, one))
    if ur5:
        found += _start(ur5, 0.3, 0.030)
    if talos:
        found += _start(talos, 1.5, 0.060)
    imports = [x for robot in results.robots for x in robot.start.imports]
    found.append(_at_most("`import revolute`, NumPy and llvmlite included", 0.25, imports))
    heavy = sorted({x for robot in results.robots for x in robot.start.heavy})
    found.append(Figure("heavy packages that `import revolute` imports", "none", ", ".join(heavy) or "none", not heavy))
    if ur5:
        counts = ur5.operations
        for name, most, number in (
            ("as described", 430, counts.described.arithmetic),
            ("with regrouped parameters", 360, counts.regrouped.arithmetic),
        ):
            found.append(Figure(f"UR5 multiplications + additions, {name}", f"≤ {most}", str(number), number <= most))
    found += list(_memory(results))
    return found


def _batch(robot: RobotResults) -> Iterator[Figure]:
    if robot.case.least_ratio is not None:
        ours, theirs = (named(robot.batches[BATCH], name) for name in (OURS, PINOCCHIO))
        what = f"{robot.case.label}, batch of {BATCH}, given result, against `pin.rneaInParallel` with 1 thread"
        yield _at_least(what, robot.case.least_ratio, ours, theirs)


def _start(robot: RobotResults, cold: float, warm: float) -> Iterator[Figure]:
    name = robot.case.label
    yield _at_most(f"{name}: trace + compile, first call ever", cold, robot.start.cold)
    yield _at_most(f"{name}: first call of a process, disk cache warm", warm, robot.start.warm)


def _memory(results: Results) -> Iterator[Figure]:
    for x in results.memory:
        bytes_ = max(x.arrays, x.process or 0)
        kinds = "float64" if x.kind == "float64" else "float32 q, float64 qd and qdd"
        what = f"peak memory of a call of {x.rows:,} UR5 rows beyond its result, {kinds}"
        yield Figure(what, "≤ 16 MiB", f"{bytes_ / MiB:.1f} MiB", bytes_ <= 16 * MiB)


def _at_least(what: str, wanted: float, ours: Timing, theirs: Timing) -> Figure:
    ratio, fastest = ours.times_faster_than(theirs), ours.least_times_faster_than(theirs)
    return Figure(what, f"≥ {wanted:g} ×", f"{ratio:.3g} ×", ratio >= wanted, f"{fastest:.3g} ×")


def _at_most(what: str, wanted: float, figures_: Sequence[float]) -> Figure:
    seconds = statistics.median(figures_)
    return Figure(what, f"≤ {_time(wanted)}", _time(seconds), seconds <= wanted, _time(min(figures_)))


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.0f} ms"
