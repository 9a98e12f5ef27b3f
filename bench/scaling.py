"""`python -m bench.scaling`: rows, joints and threads; writes `bench/SCALING.md`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench import large
from bench.large import Kernel
from bench.robots import CASES, Case
from bench.tables import machine, number, table
from bench.thread_work import COUNTS, Work, contestants, work
from bench.timing import Effort, Timing, only_cores, race

__all__ = ["Part", "joints_part", "rows_part", "threads_part", "write"]

RESULTS = Path(__file__).with_name("SCALING.md")
ROWS = (1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000)
JOINTS = (2, 10, 50, 200, 500)
WORK = (3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
LIMIT = 30.0
EFFORT = Effort(slice=1e-2, seconds=2.5, least=5, most=400)
QUICK = Effort(slice=1e-3, seconds=0.2, least=3, most=20)

Say = Callable[[str], None]
Contests = dict[int, tuple[tuple[Timing, ...], tuple[Timing, ...]]]

INTRODUCTION = """# How speed scales

Written by `python -m bench.scaling`. Medians; `METHOD.md` describes the method.
"""


class Part(StrEnum):
    """What one run may be about."""

    rows = "rows"
    joints = "joints"
    threads = "threads"


def rows_part(case: Case, sizes: Sequence[int], effort: Effort, say: Say) -> str:
    """Inverse dynamics of 1 to many rows: new and given results, each number of threads."""
    found: Contests = {}
    with only_cores(2):
        for rows in sizes:
            new, given = (race(contestants(case, rows, given), effort) for given in (False, True))
            found[rows] = new, given
            say(f"{rows:,} rows: " + ", ".join(f"{x.name} {x.per_row:.1f} ns" for x in (*new, *given)))
    columns = (f"{kind}, {name}" for kind in ("new", "given") for name in COUNTS)
    header = ("rows", *columns, "default: times as fast as 1 thread")
    body = []
    for rows, (new, given) in found.items():
        least = min(x[2].times_faster_than(x[0]) for x in (new, given))
        body.append((f"{rows:,}", *(number(x.per_row) for x in (*new, *given)), f"{least:.2f} ×"))
    return f"Nanoseconds per row of inverse dynamics: {case.label}, two cores.\n\n{table(header, body)}"


def joints_part(sizes: Sequence[int], limit: float, say: Say) -> str:
    """Random trees and chains: compiling, and time of a joint."""
    found = large.kernels(sizes, limit, say)
    header = [f"{kind}: {x}" for kind in large.KINDS for x in ("compiled in [s]", "operations a joint", "ns a joint")]
    rows: dict[tuple[str, str], list[str]] = {}
    for x in found:
        rows.setdefault((f"`{x.method}`", str(x.joints)), []).extend(_cells(x))
    body = [(*name, *rest) for name, rest in rows.items()]
    return (
        "Robots of `random_tree`, compiled in a new process with an empty cache, then on one core in batches of up to "
        "512 rows."
        f"\n\n{table(('function', 'joints', *header), body)}"
    )


def _cells(x: Kernel) -> tuple[str, str, str]:
    if x.large is None or x.joint is None:
        return f"> {x.limit:g}", "", ""
    return f"{x.large.compile:.2f}", f"{x.large.operations / x.joints:,.0f}", number(x.joint)


def threads_part(case: Case, seconds: Sequence[float], effort: Effort, say: Say) -> str:
    """One thread, two and the default number on work of some length."""
    found = []
    with only_cores(2):
        for x in seconds:
            found.append(work(case, x, effort))
            say(f"work of {1e6 * x:g} µs: " + ", ".join(_ratios(found[-1])))
    header = ("work", "rows", "2 threads", "2 threads, after a pause", "default", "default, after a pause")
    body = [(f"{1e6 * x.seconds:,.0f} µs", f"{x.rows:,}", *_ratios(x)) for x in found]
    what = f"Speed relative to one thread: {case.label}, inverse dynamics, given results. A pause takes a millisecond."
    return f"{what}\n\n{table(header, body)}"


def ratios(x: Work) -> list[float]:
    """Times as fast as one thread: 2 threads steady and after pauses, the default number steady and after pauses."""
    return [y[k].times_faster_than(y[0]) for k in (1, 2) for y in (x.steady, x.paused)]


def _ratios(x: Work) -> list[str]:
    return [f"{ratio:.2f}" for ratio in ratios(x)]


def write(file: Path, sections: dict[str, str]) -> None:
    """The page with these sections anew; those of earlier runs stay."""
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = dict(x.strip().split("\n\n", 1) for x in old.split("\n## ")[1:]) | sections
    parts = [f"## {name}\n\n{kept[name]}\n" for name in (*Part, "machine") if name in kept]
    file.write_text("\n".join([INTRODUCTION, *parts]), encoding="utf-8")


def main(
    only: Annotated[list[Part] | None, typer.Option(help="Measure this part alone.")] = None,
    quick: Annotated[bool, typer.Option(help="Rough and small, to see that it works.")] = False,
    output: Annotated[Path, typer.Option(help="Where the tables go.")] = RESULTS,
) -> None:
    """Measure how time grows with rows, joints and threads."""
    say, case, effort = Console().print, CASES[0], QUICK if quick else EFFORT
    most = 3 if quick else None
    run: dict[Part, Callable[[], str]] = {
        Part.rows: lambda: rows_part(case, ROWS[:most], effort, say),
        Part.joints: lambda: joints_part(JOINTS[:most], LIMIT, say),
        Part.threads: lambda: threads_part(case, WORK[:most], effort, say),
    }
    for part in only or Part:
        write(output, {part: run[part](), "machine": machine().partition("\n\n")[2]})
    say(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
