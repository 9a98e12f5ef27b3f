"""`bench/RESULTS.md`: the results as a page of tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from bench.contests import MUJOCO, OURS, PINOCCHIO, named
from bench.figures import BATCH, MiB
from bench.measure import Results, RobotResults
from bench.tables import machine, table
from bench.timing import Timing

__all__ = ["BEGIN", "END", "headline", "page", "with_headline"]

BEGIN, END = "<!-- begin table -->", "<!-- end table -->"

NOT_PINNED = 'This system cannot keep a process on one core, so "new result" uses all cores.'


def page(results: Results) -> str:
    """The whole report, in Markdown."""
    note = "" if results.plan.name == "full" else f"\n\nThis was a {results.plan.name} run: its figures are rough."
    parts = [
        f"# Revolute beside Pinocchio and MuJoCo\n\nWritten by `make bench`; `METHOD.md` describes the method.{note}",
        f"Inverse dynamics, one core, float64, batch of {BATCH}, nanoseconds per row:",
        f"{BEGIN}\n{headline(results)}\n{END}",
        machine(results.machine),
        f"## One call from Python\n\n{_single(results.robots)}",
        "## Batches on one core\n\n" + _batches(results.robots) + ("" if results.pinned else f"\n\n{NOT_PINNED}"),
        "## One thread against two\n\n" + _threads(results),
        "## Start\n\n" + _start(results),
        "## Memory\n\nBeyond inputs and result.\n\n" + _memory(results),
    ]
    return "\n\n".join(parts) + "\n"


def headline(results: Results) -> str:
    """The small table, for the README."""
    rows = []
    for robot in results.robots:
        if BATCH in robot.batches:
            ours, pin, muj = (named(robot.batches[BATCH], name) for name in (OURS, PINOCCHIO, MUJOCO))
            ratios = [f"{ours.times_faster_than(x):.0f} ×" for x in (pin, muj)]
            rows.append((robot.case.label, _ns(ours), _ns(pin), ratios[0], _ns(muj), ratios[1]))
    return table(("robot", OURS, PINOCCHIO, "ratio", f"{MUJOCO}, from Python", "ratio"), rows)


def with_headline(text: str, results: Results) -> str:
    """A page with the small table anew between its marks."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{headline(results)}\n{END}{rest.partition(END)[2]}"


def _single(robots: Sequence[RobotResults]) -> str:
    """A row for each contestant, a column for each robot."""
    columns = [[f"{_ns(y)} ({x.single[0].times_faster_than(y):.2f})" for y in x.single] for x in robots]
    rows = list(zip([y.name for y in robots[0].single], *columns, strict=True))
    note = f"Nanoseconds per call, one core; in brackets the multiple of {OURS}'s. {_spread(x.single for x in robots)}"
    return f"{note}\n\n{table(('contestant', *(x.case.label for x in robots)), rows)}"


def _spread(contests: Iterable[Iterable[Timing]]) -> str:
    return f"Spreads are at most {max(x.spread for timings in contests for x in timings):.0%}."


def _batches(robots: Sequence[RobotResults]) -> str:
    """Nanoseconds per row of the longest batch that all have, and ratios by the rows of a batch."""
    labels = [x.case.label for x in robots]
    names = [x.name for x in robots[0].batches[BATCH]]
    rows = [(name, *(_ns(named(x.batches[BATCH], name)) for x in robots)) for name in names]
    found = table((f"{BATCH:,} rows", *labels), rows)
    ratios = []
    for name in (OURS, f"{OURS}, new result"):
        for size in robots[0].batches:
            pairs = ((named(x.batches[size], name), named(x.batches[size], PINOCCHIO)) for x in robots)
            label = f"{name}, {size:,} row{'s' * (size > 1)}"
            ratios.append((label, *(f"{ours.times_faster_than(theirs):.3g}" for ours, theirs in pairs)))
    spread = _spread(timings for x in robots for timings in x.batches.values())
    return f"Nanoseconds per row. {spread}\n\n{found}\n\nTimes as fast as Pinocchio:\n\n{table(('', *labels), ratios)}"


def _threads(results: Results) -> str:
    if not results.threads:
        return "Not measured: this process has one core only."
    pairs = zip(results.threads[::2], results.threads[1::2], strict=True)
    rows = [
        (
            one.name.rpartition(",")[0],
            _ns(one),
            _ns(two),
            f"{two.times_faster_than(one):.2f} ×",
        )
        for one, two in pairs
    ]
    first = results.threads[0]
    found = table(("contestant", "1 thread", "2 threads", "ratio"), rows)
    return f"{results.robots[0].case.label}, {first.rows:,} rows; nanoseconds per row.\n\n{found}"


def _start(results: Results) -> str:
    rows = []
    for robot in results.robots:
        x = robot.start
        steps = (x.imports, x.numpy, x.llvmlite, x.loads, x.cold, x.warm)
        rows.append((robot.case.label, *(f"{statistics.median(step) * 1e3:.1f}" for step in steps)))
    header = (
        "`import revolute`",
        "NumPy's part",
        "llvmlite's part",
        "read the URDF",
        "first call ever",
        "first call, warm",
    )
    return f"Milliseconds: medians of {len(x.cold)} new processes.\n\n" + table(("robot", *header), rows)


def _memory(results: Results) -> str:
    rows = [(f"{x.rows:,}", x.kind, f"{x.arrays / MiB:.2f} MiB", _resident(x.process)) for x in results.memory]
    return table(("rows", "inputs", "arrays", "process"), rows)


def _resident(bytes_: int | None) -> str:
    return "not known here" if bytes_ is None else f"{max(bytes_, 0) / MiB:.2f} MiB"


def _ns(timing: Timing) -> str:
    return _number(timing.per_row)


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}"
