"""`revolute simulate`: the motion under joint forces."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from revolute.errors import InputError, SimulationError, SimulationInterrupt, TrajectoryError
from revolute.io.trajectory import position_names
from revolute.machine.robot import Robot
from revolute.model.units import number, short_names
from revolute.simulate import ContactPlane, Owner, Simulation
from revolute.simulate.files import check_motion_file, column_names

__all__ = ["Stops", "run"]


class Stops(NamedTuple):
    """What ends a motion early, and how much of it is kept.

    Attributes:
        limits: whether limits of joints end it.
        contacts: texts LINK=HEIGHT: the link's origin falls to that height [m] in the base frame.
        every: every so many instants are kept.
    """

    limits: bool = False
    contacts: Sequence[str] = ()
    every: int = 1

    def events(self) -> list[ContactPlane]:
        """The contacts.

        Raises:
            InputError: a text that is no contact.
        """
        found = []
        for text in self.contacts:
            link, sign, height = text.rpartition("=")
            try:
                found.append(ContactPlane(link, offset=float(height)))
            except ValueError:
                raise InputError(f"--contact: '{text}' is not LINK=HEIGHT, such as tool0=-0.3 [m]") from None
            if not sign or not link:
                raise InputError(f"--contact: '{text}' is not LINK=HEIGHT, such as tool0=-0.3 [m]")
        return found


def run(
    robot: Robot, q0: str | None, qd0: str | None, tau: str | None, control: ControlOptions, duration: float | None,
    step: float, method: str, damping: bool, stops: Stops, output: Path | None, plot: Path | None, as_json: bool,
    console: Console,
) -> None:
    """Simulate; print, write and draw the motion, or the part of it before it diverges or Ctrl-C.

    Args:
        robot: the robot.
        q0, qd0: text of the state at the start; None for the zero configuration and rest.
        tau: text of the joint forces, or the name of their file; None for none.
        control: a controller in place of forces.
        duration: of the motion [s]; None for that of the file of forces or of the reference.
        step: time from instant to instant [s].
        method, damping: see `Robot.simulate`.
        stops: what ends the motion early.
        output, plot: files for the motion and its picture, or None.
        as_json: print one JSON object.
        console: where to print.

    Raises:
        InputError: an argument cannot be used.
        SimulationError, SimulationInterrupt: the motion diverges, or Ctrl-C.
    """
    if output:
        check_motion_file(output)
    check_targets(None, plot)
    if not robot.n_joints:
        raise InputError(f"robot '{robot.name}' has no joint that could move")
    places = [name.removeprefix("q.") for name in position_names(robot)]
    follows = followed(robot, control, tau, duration, step)
    first, rest = (follows.q, follows.qd) if follows else (robot.neutral(), np.zeros(robot.nv))
    q = first if q0 is None else joint_numbers("--q0", q0, places, first)
    qd = rest if qd0 is None else joint_numbers("--qd0", qd0, robot.coordinate_names, rest)
    forces, t = (follows.law, follows.t) if follows else forces_and_times(robot, tau, duration, step, method)

    started, failure = time.perf_counter(), None
    ends: dict[str, Any] = {"events": stops.events(), "stop_at_limits": stops.limits, "every": stops.every}
    try:
        motion = robot.simulate(q, qd, forces, t, method, joint_damping=damping, progress=True, **ends)
    except (SimulationError, SimulationInterrupt) as error:
        if not isinstance(error.partial, Simulation) or not len(error.partial.t):
            raise
        motion, failure = error.partial, error
    seconds = time.perf_counter() - started

    say = partial(screen.say, Console(quiet=True) if as_json else console)
    spacing = f"every {step * stops.every:g} s"
    stretch = f"t from {motion.t[0]:g} to {motion.t[-1]:g} s, {spacing}, by {method}"
    say(f"{robot.name}: {len(motion.t):,} instants, {stretch}; computed in {seconds:.2f} s")
    summary = Summary(robot)
    with np.errstate(all="ignore"):  # a motion that diverges has powers and energies beyond all numbers
        summary.add(motion.t, motion.q, motion.qd, motion.tau)
        say(f"- {_energy(motion, forces is not None or damping)}")
        if motion.event:
            say(f"- stopped at t={motion.event.t:.9g} s by the {motion.event.name}")
        if isinstance(failure, SimulationInterrupt):
            say(f"- interrupted: this is the motion up to t={motion.t[-1]:g} s of {t[-1]:g} s")
        if follows:
            say(f"- {follows.error(robot, motion)}")
        for note in beyond(robot, summary) if not failure else ():
            say(f"- {note}")
        if damping and not robot.drives.damping.any():
            say("- the robot's description has no damping: --joint-damping changes nothing")
        say()
        if as_json:
            screen.print_json(_data(robot, motion, summary, method, str(failure) if failure else None))
        else:
            console.print(_joints(robot, motion, summary))
    if output:
        _write(motion, output)
        say(f"Written to {output}: {', '.join(column_names(Owner.of(robot, robot)))}")
    if plot:
        from revolute.plot import save

        save(motion.plot(f"{robot.name}: {motion.t[-1] - motion.t[0]:g} s of motion, by {method}"), plot)
        say(f"Drawn in {plot}")
    if failure:
        raise failure


def _write(motion: Simulation, output: Path) -> None:
    """Write the motion; where that fails, as on a full disk, to a folder for temporary files.

    Raises:
        TrajectoryError: it is not where it should be; the message says where it is, if anywhere.
    """
    try:
        motion.save(output)
    except TrajectoryError as error:
        try:
            other = Path(tempfile.mkdtemp(prefix="revolute-"), output.name)
            motion.save(other)
        except (TrajectoryError, OSError):
            raise error from None
        raise TrajectoryError(f"{error}; the motion is in {other} instead") from None


def _data(robot: Robot, motion: Simulation, summary: Summary, method: str, failure: str | None) -> dict[str, Any]:
    """For programs."""
    low, high = summary.reach.tolist()
    positions = {
        name: {"start": start, "end": end, "lowest": lowest, "highest": highest}
        for name, start, end, lowest, highest in zip(
            robot.position_names, motion.q[0].tolist(), motion.q[-1].tolist(), low, high, strict=True
        )
    }
    rates = zip(robot.coordinate_names, summary.speed.tolist(), summary.peak_force.tolist(), strict=True)
    event = motion.event and {"name": motion.event.name, "t": motion.event.t}
    energy = motion.energy
    return {
        "name": robot.name,
        "method": method,
        "instants": len(motion),
        "start": float(motion.t[0]),
        "end": float(motion.t[-1]),
        "event": event,
        "failure": failure,
        "energy": {
            "start": float(energy[0]),
            "end": float(energy[-1]),
            "largest_change": float(abs(energy - energy[0]).max()),
        },
        "positions": positions,
        "velocities": {name: {"top_speed": speed, "peak_force": force} for name, speed, force in rates},
    }


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
