"""`revolute count`: operation counts of functions and published algorithms for a robot."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from revolute.cli.commands import screen
from revolute.cli.commands.targets import check_targets
from revolute.machine.robot import Robot
from revolute.plot import operations
from revolute.published import Printed
from revolute.published.counting import Counted, Counting, counted

HEADINGS = ("algorithm", "mul", "add", "sum", "div", "calls", "printed")


def run(
    robot: Robot, algorithms: Sequence[str], counting: Counting, plot: Path | None, as_json: bool, console: Console
) -> None:
    """Print a table for every quantity, and draw the counts."""
    check_targets(None, plot)
    rows = counted(robot, algorithms, counting)
    if as_json:
        screen.print_json({"name": robot.name, "counting": counting, "algorithms": data(robot, rows)})
    _print(robot, rows, counting, console)
    screen.draw(console, plot, lambda: operations(robot.name, robot.n_joints, rows))


def data(robot: Robot, rows: Sequence[Counted]) -> list[dict[str, Any]]:
    """The counts as data for --json."""
    return [
        {
            "name": row.name,
            "quantity": row.quantity,
            "ours": row.ours,
            **asdict(row.counts),
            "printed": dict(zip(("multiplications", "additions"), row.printed.at(robot.n_joints), strict=True))
            if row.printed
            else None,
        }
        for row in rows
    ]


def _print(robot: Robot, rows: Sequence[Counted], counting: Counting, console: Console) -> None:
    how = {"source": "counted as books do", "traced": "zeros, constants and common terms removed"}[counting]
    screen.say(console, f"{robot.name}: scalar operations of one evaluation, {how}")
    for quantity in dict.fromkeys(row.quantity for row in rows):
        table = screen.new_table(quantity, *HEADINGS)
        for row in rows:
            if row.quantity == quantity:
                table.add_row(*map(Text, cells(row, robot.n_joints)), style="bold" if row.ours else "")
        console.print(table)
    if any(row.printed for row in rows):
        screen.say(console, "bold: this library; calls: sin, cos, sqrt; printed: the source's mul + add")


def cells(row: Counted, n: int) -> tuple[str, ...]:
    """Cells of a table row for n joints, below `HEADINGS`."""
    c = row.counts
    numbers = (c.multiplications, c.additions, c.arithmetic, c.divisions, c.calls)
    return (row.name, *(f"{x:,}" for x in numbers), counts(row.printed, n) if row.printed else "")


def counts(printed: Printed, n: int) -> str:
    """Printed multiplications and additions for n joints, as a text."""
    return "+".join(f"{round(x, 1):,g}" for x in printed.at(n))
