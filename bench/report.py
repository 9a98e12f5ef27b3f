"""`bench/RESULTS.md`: the results as a page of tables."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from bench.contests import MUJOCO, OURS, PINOCCHIO, named
from bench.figures import BATCH, MiB
from bench.measure import Results, RobotResults
from bench.tables import machine, table
from bench.timing import Timing, spread_of

__all__ = ["BEGIN", "END", "headline", "page", "with_headline"]

BEGIN, END = "<!-- begin table -->", "<!-- end table -->"

NOT_PINNED = ' This system cannot keep a process on one core, so "new result" uses all cores.'


def page(results: Results) -> str:
    """The whole report, in Markdown."""
    note = "" if results.plan.name == "full" else f"\n\nThis was a {results.plan.name} run: its figures are rough."
    parts = [
        f"# Revolute beside Pinocchio and MuJoCo\n\nWritten by `make bench`; `METHOD.md` has the method.{note}",
        f"Inverse dynamics, one core, float64, batch of {BATCH}, nanoseconds a row:",
        f"{BEGIN}\n{headline(results)}\n{END}",
        machine(results.machine),
        "## One call from Python\n\nNanoseconds a call, one core.",
        *(_contest(x, x.single) for x in results.robots),
        "## Batches on one core\n\nNanoseconds a row." + ("" if results.pinned else NOT_PINNED),
        *(_by_size(x) for x in results.robots),
        "## One thread against two\n\n" + _threads(results),
        "## Start\n\nMedians of fresh processes, with the spread.\n\n" + _start(results),
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


def _contest(robot: RobotResults, timings: Sequence[Timing]) -> str:
    ours = timings[0]
    rows = [
        (
            x.name,
            _ns(x),
            f"{x.spread:.0%}",
            f"{ours.times_faster_than(x):.2f} ×",
        )
        for x in timings
    ]
    header = ("contestant", "median", "spread", f"as a multiple of {OURS}'s")
    return f"### {robot.case.label}\n\n{table(header, rows)}\n\n{len(ours.seconds)} repeats."


def _by_size(robot: RobotResults) -> str:
    names = list(dict.fromkeys(x.name for timings in robot.batches.values() for x in timings))
    cells = {(rows, x.name): x for rows, timings in robot.batches.items() for x in timings}
    body = []
    for name in names:
        found = [cells.get((rows, name)) for rows in robot.batches]
        body.append((name, *(f"{_ns(x)} ({_number(x.least_per_row)}, {x.spread:.0%})" if x else "" for x in found)))
    for name in (OURS, f"{OURS}, new result"):
        ratios = [named(x, name).times_faster_than(named(x, PINOCCHIO)) for x in robot.batches.values()]
        body.append((f"*{PINOCCHIO} / {name}*", *(f"*{x:.3g} ×*" for x in ratios)))
    header = ("contestant", *(f"{rows:,} row{'s' * (rows > 1)}: median (least, spread)" for rows in robot.batches))
    repeats = ", ".join(str(len(timings[0].seconds)) for timings in robot.batches.values())
    return f"### {robot.case.label}\n\n{table(header, body)}\n\nRepeats: {repeats}."


def _threads(results: Results) -> str:
    if not results.threads:
        return "Not measured: this process has one core only."
    pairs = zip(results.threads[::2], results.threads[1::2], strict=True)
    rows = [
        (
            one.name.rpartition(",")[0],
            *(f"{_ns(x)} ({_number(x.least_per_row)}, {x.spread:.0%})" for x in (one, two)),
            f"{two.times_faster_than(one):.2f} ×",
            f"{two.least_times_faster_than(one):.2f} ×",
        )
        for one, two in pairs
    ]
    first = results.threads[0]
    repeats = " and ".join(dict.fromkeys(str(len(x.seconds)) for x in results.threads))
    found = table(("contestant", "1 thread", "2 threads", "ratio", "ratio of the fastest repeats"), rows)
    head = f"{results.robots[0].case.label}, {first.rows:,} rows, {repeats} repeats; nanoseconds a row"
    return f"{head}: median (least, spread).\n\n{found}"


def _start(results: Results) -> str:
    rows = []
    for robot in results.robots:
        x = robot.start
        steps = (x.imports, x.numpy, x.llvmlite, x.loads, x.cold, x.warm)
        rows.append((robot.case.label, *map(_milliseconds, steps), str(len(x.cold))))
    header = (
        "`import revolute`",
        "NumPy's part",
        "llvmlite's part",
        "read the URDF",
        "first call ever",
        "first call, warm",
    )
    return table(("robot", *header, "processes of each kind"), rows)


def _memory(results: Results) -> str:
    rows = [(f"{x.rows:,}", x.kind, f"{x.arrays / MiB:.2f} MiB", _resident(x.process)) for x in results.memory]
    return table(("rows", "inputs", "arrays", "process"), rows)


def _resident(bytes_: int | None) -> str:
    return "not known here" if bytes_ is None else f"{max(bytes_, 0) / MiB:.2f} MiB"


def _milliseconds(figures_: tuple[float, ...]) -> str:
    return f"{statistics.median(figures_) * 1e3:.1f} ms ({spread_of(figures_):.0%})"


def _ns(timing: Timing) -> str:
    return _number(timing.per_row)


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}"
