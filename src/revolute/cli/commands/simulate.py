"""`revolute simulate`: the motion under joint forces."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from revolute.cli.commands import screen
from revolute.cli.commands.control import ControlOptions, followed
from revolute.cli.commands.forces import forces_and_times
from revolute.cli.commands.numbers import joint_numbers
from revolute.cli.commands.summary import SLACK, Summary, beyond
from revolute.cli.commands.targets import check_targets
from revolute.errors import InputError, SimulationError
from revolute.io.trajectory import position_names, rate_names, write
from revolute.machine.robot import Robot
from revolute.model.units import number, short_names
from revolute.simulate import Simulation

__all__ = ["run"]

ENERGIES = ("kinetic_energy", "potential_energy", "energy")


def run(
    robot: Robot,
    q0: str | None,
    qd0: str | None,
    tau: str | None,
    control: ControlOptions,
    duration: float | None,
    step: float,
    method: str,
    damping: bool,
    output: Path | None,
    plot: Path | None,
    console: Console,
) -> None:
    """Simulate; print, write and draw the motion, or the part of it before it diverges.

    Args:
        robot: the robot.
        q0, qd0: text of the state at the start; None for the zero configuration and rest.
        tau: text of the joint forces, or the name of their file; None for none.
        control: a controller in place of forces.
        duration: of the motion [s]; None for that of the file of forces or of the reference.
        step: time from instant to instant [s].
        method, damping: see `Robot.simulate`.
        output, plot: files for the motion and its picture, or None.
        console: where to print.

    Raises:
        InputError: an argument cannot be used.
        SimulationError: the motion diverges.
    """
    check_targets(output, plot)
    if not robot.n_joints:
        raise InputError(f"robot '{robot.name}' has no joint that could move")
    places = [name.removeprefix("q.") for name in position_names(robot)]
    follows = followed(robot, control, tau, duration, step)
    first, rest = (follows.q, follows.qd) if follows else (robot.neutral(), np.zeros(robot.nv))
    q = first if q0 is None else joint_numbers("--q0", q0, places, first)
    qd = rest if qd0 is None else joint_numbers("--qd0", qd0, robot.coordinate_names, rest)
    forces, t = (follows.law, follows.t) if follows else forces_and_times(robot, tau, duration, step, method)

    started, failure = time.perf_counter(), None
    try:
        motion = robot.simulate(q, qd, forces, t, method, damping=damping)
    except SimulationError as error:
        if not isinstance(error.partial, Simulation) or not len(error.partial.t):
            raise
        motion, failure = error.partial, error
    seconds = time.perf_counter() - started

    say = partial(screen.say, console)
    stretch = f"t from {motion.t[0]:g} to {motion.t[-1]:g} s, every {step:g} s, by {method}"
    say(f"{robot.name}: {len(motion.t):,} instants, {stretch}; computed in {seconds:.2f} s")
    summary = Summary(robot)
    with np.errstate(all="ignore"):  # a motion that diverges has powers and energies beyond all numbers
        summary.add(motion.t, motion.q, motion.qd, motion.tau)
        say(f"- {_energy(motion, forces is not None or damping)}")
        if follows:
            say(f"- {follows.error(robot, motion)}")
        for note in beyond(robot, summary) if not failure else ():
            say(f"- {note}")
        if damping and not robot.damping.any():
            say("- the robot's description has no damping: --damping changes nothing")
        say()
        console.print(_joints(robot, motion, summary))
    if output:
        names = ("t", *position_names(robot), *(x for rate in ("qd", "qdd", "tau") for x in rate_names(robot, rate)))
        energies = (motion.kinetic_energy, motion.potential_energy, motion.energy)
        write(output, (*names, *ENERGIES), motion.t, motion.q, motion.qd, motion.qdd, motion.tau, *energies)
        say(f"Written to {output}: {', '.join((*names, *ENERGIES))}")
    if plot:
        from revolute.plot import motion as motion_picture
        from revolute.plot import save

        title = f"{robot.name}: {motion.t[-1] - motion.t[0]:g} s of motion, by {method}"
        save(motion_picture(robot, motion, title), plot)
        say(f"Drawn in {plot}")
    if failure:
        raise failure


def _energy(motion: Simulation, driven: bool) -> str:
    energy = motion.energy
    most = f"{abs(energy - energy[0]).max():.2g} J"
    ends = f"energy {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end"
    if driven:
        return f"{ends}; largest change {most}"
    return f"{ends}; largest drift {most}, all of it error of the method and step: no force drives or brakes it"


def _joints(robot: Robot, motion: Simulation, summary: Summary) -> Table:
    """Positions and top speed of each coordinate, red beyond a limit; of a free joint, the position, then the twist."""
    driven = bool(motion.tau.any())
    title = f"Motion of {robot.name} (rad, m, s{', N m, N' if driven else ''})"
    table = screen.new_table(title)
    table.add_column("joint", overflow="fold")
    for heading in ("start", "end", "lowest", "highest", "top speed", *(["peak force"] if driven else [])):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    names, (low, high) = short_names(robot), summary.reach
    passed = (low < robot.lower_limits - SLACK) | (high > robot.upper_limits + SLACK)
    fast = summary.speed > robot.velocity_limits + SLACK
    for body, at, to in zip(robot.bodies[1:], robot.q_index[1:], robot.v_index[1:], strict=True):
        one, none = body.joint.nq == 1, ["–"] * (1 + driven)
        quaternion = body.joint.quaternion_at
        for k, part in enumerate(() if one else body.joint.q_names[:quaternion], at.start):
            place = map(number, (motion.q[0, k], motion.q[-1, k], low[k], high[k]))
            table.add_row(screen.cell(f"{names[to.start].rpartition('.')[0]}.{part}"), *place, *none)
        for k in range(to.start, to.stop):
            p = at.start
            place = map(number, (motion.q[0, p], motion.q[-1, p], low[p], high[p]) if one else [np.inf] * 4)
            cells = [*place, number(summary.speed[k])]
            cells += [number(summary.peak_force[k])] if driven else []
            table.add_row(screen.cell(names[k]), *cells, style="bold red" if fast[k] or (one and passed[p]) else "")
    return table
