"""`make bench`: measure, show, and write `bench/RESULTS.md`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.contests import MUJOCO, OURS, PINOCCHIO, named
from bench.figures import BATCH, figures
from bench.measure import FULL, QUICK, Results, measure
from bench.report import page, with_headline

RESULTS = Path(__file__).with_name("RESULTS.md")
PAGES = [Path(__file__).parents[1] / name for name in ("README.md", "docs/index.md")]
"""Where the small table stands too."""


def main(
    quick: Annotated[bool, typer.Option(help="Rough figures in half a minute; writes no file by itself.")] = False,
    output: Annotated[Path | None, typer.Option(help="Where the report goes.")] = None,
) -> None:
    """Measure Revolute beside Pinocchio and MuJoCo, and write the report."""
    plan = QUICK if quick else FULL
    console = Console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=plan.steps)
        results = measure(plan, lambda step: progress.update(task, description=step, advance=1))
    show(results, console)
    place = output or (None if quick else RESULTS)
    if place:
        place.write_text(page(results), encoding="utf-8")
        console.print(f"written to {place}")
    if place == RESULTS:
        for path in PAGES:
            path.write_text(with_headline(path.read_text(encoding="utf-8"), results), encoding="utf-8")


def show(results: Results, console: Console) -> None:
    """The two tables that matter most."""
    table = Table(title=f"Inverse dynamics, batch of {BATCH}, one core: nanoseconds per row")
    for name in ("robot", OURS, PINOCCHIO, "ratio", MUJOCO, "ratio"):
        table.add_column(name, justify="left" if name == "robot" else "right")
    for robot in results.robots:
        ours, pin, muj = (named(robot.batches[BATCH], name) for name in (OURS, PINOCCHIO, MUJOCO))
        cells = [f"{ours.per_row:.1f}"]
        for peer in (pin, muj):
            cells += [f"{peer.per_row:.0f}", f"{ours.times_faster_than(peer):.1f}"]
        table.add_row(robot.case.label, *cells)
    console.print(table)
    targets = Table(title="Targets")
    for name in ("figure", "target", "measured", "fastest repeat", "met"):
        targets.add_column(name)
    for x in figures(results):
        targets.add_row(x.what, x.wanted, x.measured, x.fastest, "[green]yes[/]" if x.met else "[red]no[/]")
    console.print(targets)


if __name__ == "__main__":
    typer.run(main)
