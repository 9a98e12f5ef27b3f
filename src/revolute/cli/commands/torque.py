"""`revolute torque`: joint forces along a trajectory file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from revolute.cli.commands import screen
from revolute.cli.commands.loads_page import save_loads
from revolute.cli.commands.summary import Summary, beyond, loads_table
from revolute.cli.commands.targets import check_document, check_targets
from revolute.io.trajectory import Writer, open_states, open_writer, rate_names
from revolute.machine.robot import Robot
from revolute.model.body import Drive

if TYPE_CHECKING:
    from revolute.machine.driven import DrivenRobot

__all__ = ["progress", "run"]

Array = NDArray[Any]

LONG = 5_000_000
"""Size of a file [bytes] from which on there is a progress bar."""


def run(
    robot: Robot, source: Path, output: Path | None, plot: Path | None, report: Path | None, every: int | None,
    drives: bool, wrenches: Mapping[str, Array], remarks: Sequence[str], console: Console,
) -> None:
    """Compute joint forces along a trajectory, block by block; print their peaks.

    Args:
        robot: the robot.
        source: the trajectory: see `revolute.io.trajectory`; with drives, that of the independent joints.
        output: file for the forces, CSV or Parquet.
        plot: file for a picture.
        report: file for a page, .html.
        every: samples between knots of the smoothing spline.
        drives: include rotors, friction and springs; joints that mimic others follow them.
        wrenches: {link: (6,)} constant wrenches (m, f) that the environment applies, along the link's axes.
        remarks: on what was changed, to be printed.
        console: where to print.
    """
    check_targets(output, plot)
    if report is not None:
        check_document(report, ".html", ".htm")
    links, machine = robot, robot.with_drives() if drives else None
    title, extra_notes = robot.name, [*remarks]
    if machine:
        title = f"{robot.name} with its drives"
        if not any(body.drive != Drive() for body in robot.bodies):
            extra_notes.append("no joint has data of a drive: these are the forces of the links alone")
        robot = machine.space
    states = open_states(robot, source, every)
    timed = states.columns.time is not None
    names = (("t",) if timed else ()) + rate_names(robot, "tau")
    summary, joints = Summary(robot), Summary(links)
    computing: Robot | DrivenRobot = machine or robot
    options: dict[str, Any] = {"wrenches": tuple(wrenches)} if wrenches else {}
    # compiled before the progress bar, which would hide the compiler's line
    computing.kernel("inverse_dynamics", **options)
    open_output = open_writer(output, names) if output else contextlib.nullcontext()
    with progress(source.stat().st_size >= LONG) as advance, open_output as writer:
        for block in states.blocks(advance):
            tau = computing.inverse_dynamics(block.q, block.qd, block.qdd, wrenches=wrenches or None)
            summary.add(block.t, block.q, block.qd, tau)
            if machine:  # limits are of all joints, those too that follow others
                qd = machine.joint_velocities(block.qd)
                joints.add(block.t, machine.joint_positions(block.q), qd, np.zeros_like(qd))
            if isinstance(writer, Writer):
                writer.add(tau if block.t is None else np.column_stack([block.t, tau]))

    stretch = f"t from {summary.first:g} to {summary.last:g} s" if timed else "no time"
    say = partial(screen.say, console)
    say(f"{source}: {summary.rows:,} rows, {stretch}")
    notes = [*extra_notes, *states.notes, *beyond(links, joints if machine else summary)]
    for note in notes:
        say(f"- {note}")
    say()
    console.print(loads_table(robot, summary, f"Joint loads of {title}", timed))
    if output:
        say(f"Written to {output}: {', '.join(names)}")
    if plot:
        from revolute.plot import joint_forces, save

        heading = f"{title}: joint forces along {source.name}"
        save(joint_forces(robot, *summary.curves(), heading, "time [s]" if timed else "row"), plot)
        say(f"Drawn in {plot}")
    if report:
        heading = f"{title}: joint loads along {source.name}"
        save_loads(report, robot, summary, heading, [f"{summary.rows:,} rows, {stretch}", *notes], timed)
        say(f"Report in {report}")


@contextlib.contextmanager
def progress(wanted: bool) -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error. Yields a function of the current step's name and the share that is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not wanted) as progress:
        task = progress.add_task("reading", total=1.0)

        def report(step: str, done: float) -> None:
            endless = step == "fitting splines" and done < 1  # its progress is unknown
            progress.update(task, description=step, completed=done, total=None if endless else 1.0)

        yield report
