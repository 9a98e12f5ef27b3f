"""`revolute compare`: differences, operations and times of all published formulations for a robot."""

import time
from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.published.counting import OURS, Counted, counted, function

ROWS = 1024
LONG = 20_000
"""Number of operations above which a formulation is not compiled and timed, because LLVM would take many seconds."""


def run(robot: Robot, as_json: bool, console: Console) -> None:
    """Print a table for every quantity, or one JSON object."""
    if not (rows := counted(robot)):
        raise InputError(f"'{robot.name}': no published formulation applies; all are for serial arms")
    if as_json:
        found = [
            {"name": row.name, "quantity": row.quantity, "ours": row.ours, "operations": row.counts.arithmetic}
            | {"difference": difference, "microseconds": duration}
            for quantity in _quantities(rows)
            for row, difference, duration in _measured(robot, quantity, rows)
        ]
        screen.print_json({"name": robot.name, "states": ROWS, "algorithms": found})
        return
    what = f"{ROWS} random states on one thread; difference from this library, relative to the largest entry"
    screen.say(console, f"{robot.name}: {what}")
    for quantity in _quantities(rows):
        console.print(_table(robot, quantity, rows))


def _quantities(rows: Sequence[Counted]) -> list[str]:
    return list(dict.fromkeys(row.quantity for row in rows))


def _measured(
    robot: Robot, quantity: str, rows: Sequence[Counted]
) -> Iterator[tuple[Counted, float | None, float | None]]:
    """The algorithms for a quantity, their differences from this library and times [us]; None if not compiled."""
    rng = np.random.default_rng(0)
    arrays = [robot.random_configuration(ROWS, rng=rng), *rng.standard_normal((2, ROWS, robot.nv))]
    expected, _ = _evaluated(robot, OURS[quantity], arrays)
    for row in rows:
        if row.quantity != quantity:
            continue
        if row.counts.arithmetic > LONG:
            yield row, None, None
            continue
        results, seconds = _evaluated(robot, row.name, arrays)
        results = results[::-1] if row.quantity == "sensitivity" and not row.ours else results
        yield row, _difference(results, expected), seconds / ROWS * 1e6


def _table(robot: Robot, quantity: str, rows: Sequence[Counted]) -> Table:
    table = screen.new_table(quantity, "algorithm", "difference", "mul + add", "time [µs]")
    for row, difference, duration in _measured(robot, quantity, rows):
        apart = "–" if difference is None else "" if row.ours else f"{difference:.0e}"
        cells = (row.name, apart, f"{row.counts.arithmetic:,}", "–" if duration is None else f"{duration:.3f}")
        table.add_row(*map(Text, cells), style="bold" if row.ours else "")
    return table


def _evaluated(robot: Robot, name: str, arrays: list[Array]) -> tuple[tuple[Array, ...], float]:
    """Results of the compiled algorithm, and the time [s] of the fastest of five calls."""
    kernel = robot.kernel(function(name))
    inputs, best, results = arrays[: len(kernel.inputs)], np.inf, None
    for _ in range(5):
        start = time.perf_counter()
        results = kernel(*inputs, threads=1)
        best = min(best, time.perf_counter() - start)
    return (results if isinstance(results, tuple) else (results,)), best


def _difference(results: tuple[Array, ...], expected: tuple[Array, ...]) -> float:
    """The largest difference, relative to the largest entry of the same output, or to 1 if all entries are zero."""
    return max(float(np.max(abs(a - b)) / (np.max(abs(b)) or 1)) for a, b in zip(results, expected, strict=True))
