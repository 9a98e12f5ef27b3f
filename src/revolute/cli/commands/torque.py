"""`revolute torque`: joint forces along a trajectory file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from revolute.cli.commands import screen
from revolute.cli.commands.summary import Summary, beyond, loads_table
from revolute.cli.commands.targets import check_targets
from revolute.io.trajectory import Writer, open_states, open_writer, rate_names
from revolute.machine.robot import Robot

__all__ = ["run"]

LONG = 5_000_000
"""Size of a file [bytes] from which on there is a progress bar."""


def run(
    robot: Robot, source: Path, output: Path | None, plot: Path | None, every: int | None, console: Console
) -> None:
    """Compute joint forces along a trajectory, block by block; print their peaks.

    Args:
        robot: the robot.
        source: the trajectory: see `revolute.io.trajectory`.
        output: file for the forces, CSV or Parquet.
        plot: file for a picture.
        every: samples between knots of the smoothing spline.
        console: where to print.
    """
    check_targets(output, plot)
    states = open_states(robot, source, every)
    timed = states.columns.time is not None
    names = (("t",) if timed else ()) + rate_names(robot, "tau")
    summary = Summary(robot)
    robot.kernel("inverse_dynamics")  # compiled before the progress bar, which would hide the compiler's line
    open_output = open_writer(output, names) if output else contextlib.nullcontext()
    with _progress(source.stat().st_size >= LONG) as report, open_output as writer:
        for block in states.blocks(report):
            tau = robot.inverse_dynamics(block.q, block.qd, block.qdd)
            summary.add(block.t, block.q, block.qd, tau)
            if isinstance(writer, Writer):
                writer.add(tau if block.t is None else np.column_stack([block.t, tau]))

    stretch = f"t from {summary.first:g} to {summary.last:g} s" if timed else "no time"
    say = partial(screen.say, console)
    say(f"{source}: {summary.rows:,} rows, {stretch}")
    for note in (*states.notes, *beyond(robot, summary)):
        say(f"- {note}")
    say()
    console.print(loads_table(robot, summary, f"Joint loads of {robot.name}", timed))
    if output:
        say(f"Written to {output}: {', '.join(names)}")
    if plot:
        from revolute.plot import joint_forces, save

        title = f"{robot.name}: joint forces along {source.name}"
        save(joint_forces(robot, *summary.curves(), title, "time [s]" if timed else "row"), plot)
        say(f"Drawn in {plot}")


@contextlib.contextmanager
def _progress(wanted: bool) -> Iterator[Callable[[str, float], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not wanted) as progress:
        task = progress.add_task("reading", total=1.0)

        def report(step: str, done: float) -> None:
            endless = step == "fitting splines" and done < 1  # its progress is unknown
            progress.update(task, description=step, completed=done, total=None if endless else 1.0)

        yield report
