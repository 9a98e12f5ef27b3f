"""`revolute torque`: joint forces along a trajectory file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from revolute.commands.summary import Summary, loads_table
from revolute.commands.targets import check_targets
from revolute.errors import InputError
from revolute.robot import Robot
from revolute.trajectory import Writer, open_states, open_writer, rate_names

__all__ = ["run"]

LONG = 5_000_000
"""Bytes from which a file gets a progress bar."""


def run(
    robot: Robot, source: Path, output: Path | None, plot: Path | None, every: int | None, console: Console
) -> None:
    """Compute joint forces along a trajectory, block by block; print their peaks.

    Args:
        robot: the robot.
        source: the trajectory: see `revolute.trajectory`.
        output: file for the forces, CSV or Parquet.
        plot: file for a picture.
        every: samples between knots of the smoothing spline.
        console: where to print.
    """
    check_targets(output, plot)
    for target in (output, plot):
        if target is not None and target.exists() and target.samefile(source):
            raise InputError(f"{target}: it is the trajectory itself, which would be lost; name another file to write")
    states = open_states(robot, source, every)
    timed = states.columns.time is not None
    names = (("t",) if timed else ()) + rate_names(robot, "tau")
    summary = Summary(robot)
    written = open_writer(output, names) if output else contextlib.nullcontext()
    with _progress(source.stat().st_size >= LONG) as report, written as writer:
        for block in states.blocks(report):
            tau = robot.inverse_dynamics(block.q, block.qd, block.qdd)
            summary.add(block.t, block.q, block.qd, tau)
            if isinstance(writer, Writer):
                writer.add(tau if block.t is None else np.column_stack([block.t, tau]))

    stretch = f"t from {summary.first:g} to {summary.last:g} s" if timed else "no time"
    say = partial(console.print, markup=False, highlight=False, soft_wrap=True)
    say(f"{source}: {summary.rows:,} rows, {stretch}")
    for note in (*states.notes, *_beyond(robot, summary)):
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
            endless = step == "fitting splines" and done < 1  # one step, of which no share is known
            progress.update(task, description=step, completed=done, total=None if endless else 1.0)

        yield report


def _beyond(robot: Robot, summary: Summary) -> list[str]:
    """Notes on limits of position and speed that the trajectory leaves."""
    notes = []
    for body, at, to in zip(robot.bodies, robot.q_index, robot.v_index, strict=True):
        slack = 1e-9  # decimal figures of a file are no reason for a note
        low, high = robot.lower_limits[at] - slack, robot.upper_limits[at] + slack
        if (summary.reach[0, at] < low).any() or (summary.reach[1, at] > high).any():
            notes.append(
                f"joint '{body.joint_name}' leaves its range {robot.lower_limits[at][0]:g} ... "
                f"{robot.upper_limits[at][0]:g}: it goes from {summary.reach[0, at][0]:g} to "
                f"{summary.reach[1, at][0]:g} (angles are in radians)"
            )
        if (summary.speed[to] > robot.velocity_limits[to] * (1 + slack)).any():
            notes.append(
                f"joint '{body.joint_name}' is faster than its limit of {robot.velocity_limits[to][0]:g}: "
                f"it reaches {summary.speed[to].max():g}"
            )
    return notes
