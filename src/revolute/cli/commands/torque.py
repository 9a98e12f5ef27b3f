"""`revolute torque`: joint forces along a trajectory file, and a report: one HTML file that needs no network."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.cli.commands.changes import changed
from revolute.cli.commands.motion_options import TorqueOptions
from revolute.cli.commands.summary import Summary, beyond, load_cells, load_headings, loads_table, overloaded
from revolute.cli.commands.targets import check_targets
from revolute.identification.report.markup import cell, document, figure, table, text
from revolute.io.trajectory import Writer, open_states, open_writer, rate_names
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model import Drive, force_units, short_names
from revolute.plot import joint_forces
from revolute.plot.charts import ChartLine, Mark, chart
from revolute.whole_file import write_document

LONG = 5_000_000  # minimum size of a trajectory file for which a progress bar is shown [bytes]


def run(robot: Robot, source: Path, options: TorqueOptions, console: Console) -> None:
    """Compute joint forces along a trajectory, with drives only those of independent joints; print peaks."""
    output, plot, report = options.output, options.plot, options.report
    robot, wrenches, remarks = changed(robot, options)
    check_targets(output, plot, report)
    links, machine, title = robot, robot.with_drives() if options.drives else None, robot.name
    if machine:
        title = f"{robot.name} with its drives"
        if not any(body.drive != Drive() for body in robot.bodies):
            remarks.append("no joint has drive data: these are the forces of the links only")
        robot = machine.space
    states = open_states(robot, source, options.knots)
    timed = states.columns.time is not None
    names = (("t",) if timed else ()) + rate_names(robot, "tau")
    summary, joints = Summary(robot), Summary(links)
    computing: Robot | DrivenRobot = machine or robot
    compile_forces(computing, wrenches)  # the progress bar would hide the message of the compiler
    open_output = open_writer(output, names) if output else contextlib.nullcontext()
    with progress(source.stat().st_size >= LONG) as advance, open_output as writer:
        for block in states.blocks(advance):
            tau = computing.inverse_dynamics(block.q, block.qd, block.qdd, wrenches=wrenches or None)
            summary.add(block.t, block.q, block.qd, tau)
            if machine:  # limits of mimic joints are checked too
                qd = machine.joint_velocities(block.qd)
                joints.add(block.t, machine.joint_positions(block.q), qd, np.zeros_like(qd))
            if isinstance(writer, Writer):
                writer.add(tau if block.t is None else np.column_stack([block.t, tau]))

    stretch = f"t from {summary.first:g} to {summary.last:g} s" if timed else "no time"
    say = partial(screen.say, console)
    say(f"{source}: {summary.rows:,} rows, {stretch}")
    notes = [*remarks, *states.notes, *beyond(links, joints if machine else summary)]
    for note in notes:
        say(f"- {note}")
    say()
    console.print(loads_table(robot, summary, f"Joint loads of {title}", timed))
    if output:
        say(f"Written to {output}: {', '.join(names)}")
    heading, x_label = f"{title}: joint forces along {source.name}", "time [s]" if timed else "row"
    screen.draw(console, plot, lambda: joint_forces(robot, *summary.curves(), heading, x_label))
    if report:
        heading = f"{title}: joint loads along {source.name}"
        save_loads(report, robot, summary, heading, [f"{summary.rows:,} rows, {stretch}", *notes], timed)
        say(f"Report in {report}")


def compile_forces(machine: Robot | DrivenRobot, wrenches: Mapping[str, Array]) -> None:
    """Compile the inverse dynamics with wrenches on these links."""
    options: dict[str, Any] = {"wrenches": tuple(wrenches)} if wrenches else {}
    machine.kernel("inverse_dynamics", **options)


@contextlib.contextmanager
def progress(wanted: bool) -> Iterator[Callable[[str, float], None]]:
    """Show a progress bar on stderr; yield a function that takes the current step's name and the completed fraction."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not wanted) as progress:
        task = progress.add_task("reading", total=1.0)

        def report(step: str, done: float) -> None:
            endless = step == "fitting splines" and done < 1  # fitting does not report its progress
            progress.update(task, description=step, completed=done, total=None if endless else 1.0)

        yield report


def save_loads(path: Path, robot: Robot, summary: Summary, title: str, remarks: Sequence[str], timed: bool) -> None:
    """Write the page: remarks, peaks and RMS forces with rated efforts, and plots of forces over time or rows."""
    rows = [
        [cell(x, "name" if i == 0 else "bad" if bad and i == 5 else "") for i, x in enumerate(cells)]
        for cells, bad in zip(load_cells(robot, summary, timed), overloaded(robot, summary), strict=True)
    ]
    listed = "".join(f"<li>{text(remark)}</li>" for remark in remarks)
    charts = "".join(_chart(robot, summary, k, timed) for k in range(robot.nv))
    body = [
        f"<h1>{text(title)}</h1><ul>{listed}</ul>",
        table([heading.replace("\n", " ") for heading in load_headings(robot, timed)], rows),
        "<h2>Joint forces</h2>",
        "<p class='muted'><span class='key one'></span>force <span class='key three'></span>rated effort, where the "
        "force comes near</p>",
        f"<div class='charts'>{charts}</div>",
    ]
    write_document(path, document(title, body))


def _chart(robot: Robot, summary: Summary, k: int, timed: bool) -> str:
    name, unit, limit = short_names(robot)[k], force_units(robot)[k], robot.effort_limits[k]
    x, forces = summary.curves()
    forces = np.where(abs(forces) > 1e-13 * abs(forces).max(), forces, 0.0)  # without rounding errors
    marks: list[Mark] = [ChartLine(x, forces[:, k])]
    ends = x[[0, -1]]
    shown = 0 < limit < 2 * abs(forces[:, k]).max()
    marks += [ChartLine(ends, np.full(2, y), "three") for y in (-limit, limit) if shown]
    picture = chart([marks], "t [s]" if timed else "row", [f"force [{unit}]"], f"{name}: force along the motion")
    return figure(name, f"peak {summary.peak_force[k]:.4g} {unit}", picture)
