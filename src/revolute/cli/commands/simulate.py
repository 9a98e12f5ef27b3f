"""`revolute simulate`: the motion under joint forces."""

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from revolute.cli.commands import screen
from revolute.cli.commands.control import followed
from revolute.cli.commands.forces import forces_and_times
from revolute.cli.commands.motion_options import SimulateOptions
from revolute.cli.commands.numbers import joint_numbers
from revolute.cli.commands.summary import SLACK, Summary, beyond
from revolute.cli.commands.targets import check_targets
from revolute.errors import InputError, SimulationError, SimulationInterrupt, TrajectoryError
from revolute.machine.robot import Robot
from revolute.model import Contact, Plane, number, short_names
from revolute.simulate import MotionOwner, Simulation
from revolute.simulate.files import check_motion_file, column_names


def run(robot: Robot, options: SimulateOptions, as_json: bool, console: Console) -> None:
    """Simulate; print, write and plot the motion, or the part before divergence or Ctrl-C."""
    if options.output:
        check_motion_file(options.output)
    check_targets(None, options.plot)
    if not robot.n_joints:
        raise InputError(f"robot '{robot.name}' has no joint to move")
    follows, damping = followed(robot, options), options.joint_damping
    contacts = [_contact(text) for text in options.contact or ()] or [*(follows.contacts if follows else ())]
    touching: dict[str, Any] = {"contacts": contacts, "stops": options.stops}
    method = options.method or ("semi_implicit_euler" if any(touching.values()) else "runge_kutta_4")
    first, rest = follows.start if follows else (robot.neutral(), np.zeros(robot.nv))
    q = first if options.q0 is None else joint_numbers("--q0", options.q0, robot.position_names, first)
    qd = rest if options.qd0 is None else joint_numbers("--qd0", options.qd0, robot.coordinate_names, rest)
    if follows:
        forces, t = follows.law, np.asarray(follows.rows.t)
    else:
        forces, t = forces_and_times(robot, options.tau, options.duration, options.step, method)

    started, failure = time.perf_counter(), None
    ends: dict[str, Any] = {"stop_at_limits": options.stop_at_limits, "every": options.every}
    try:
        motion = robot.simulate(q, qd, forces, t, method, joint_damping=damping, progress=True, **ends, **touching)
    except (SimulationError, SimulationInterrupt) as error:
        if not isinstance(error.partial, Simulation) or not len(error.partial.t):
            raise
        motion, failure = error.partial, error
    seconds = time.perf_counter() - started

    say = partial(screen.say, console)
    stretch = f"t from {motion.t[0]:g} to {motion.t[-1]:g} s, every {options.step * options.every:g} s, by {method}"
    say(f"{robot.name}: {len(motion.t):,} instants, {stretch}; computed in {seconds:.2f} s")
    summary = Summary(robot)
    with np.errstate(all="ignore"):  # a diverging motion may have infinite power and energy
        summary.add(motion.t, motion.q, motion.qd, motion.tau)
        say(f"- {_energy(motion, forces is not None or damping or any(touching.values()))}")
        if motion.event:
            say(f"- stopped at t={motion.event.t:.9g} s by the {motion.event.name}")
        if isinstance(failure, SimulationInterrupt):
            say(f"- interrupted: this is the motion up to t={motion.t[-1]:g} s of {t[-1]:g} s")
        if follows:
            say(f"- {follows.error(robot, motion)}")
        for note in beyond(robot, summary) if not failure else ():
            say(f"- {note}")
        for name, force in _contacts(motion).items():
            say(f"- contact of {name}: {number(force['end'])} N at the end, at most {number(force['peak'])} N")
        if damping and not robot.drives.damping.any():
            say("- the robot's description has no damping: --joint-damping changes nothing")
        say()
        if as_json:
            screen.print_json(_data(robot, motion, summary, method, str(failure) if failure else None))
        else:
            console.print(_joints(robot, motion, summary))
    if options.output:
        _write(motion, options.output)
        say(f"Written to {options.output}: {', '.join(column_names(motion.owner or MotionOwner.of(robot, robot)))}")
    title = f"{robot.name}: {motion.t[-1] - motion.t[0]:g} s of motion, by {method}"
    screen.draw(console, options.plot, lambda: motion.plot(title))
    if failure:
        raise failure


def _contact(text: str) -> Contact:
    """The contact of LINK=HEIGHT[,FRICTION]: the link's origin on a plane at that height [m] in the base frame."""
    link, sign, numbers = text.rpartition("=")
    try:
        height, *friction = map(float, numbers.split(","))
    except ValueError:
        sign = ""
    if not (sign and link) or len(friction) > 1:
        raise InputError(f"--contact: '{text}' is not LINK=HEIGHT or LINK=HEIGHT,FRICTION, such as tool0=-0.3 [m]")
    return Contact(link, friction=friction[0] if friction else 0.8, surface=Plane(offset=height))


def _write(motion: Simulation, output: Path) -> None:
    """Write the motion; if that fails, for example on a full disk, write it to the folder for temporary files."""
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
    low, high = summary.reach.tolist()
    positions = {
        name: {"start": start, "end": end, "lowest": lowest, "highest": highest}
        for name, start, end, lowest, highest in zip(
            robot.position_names, motion.q[0].tolist(), motion.q[-1].tolist(), low, high, strict=True
        )
    }
    rates = zip(robot.coordinate_names, summary.speed.tolist(), summary.peak_force.tolist(), strict=True)
    energy = motion.energy
    return {
        "name": robot.name,
        "method": method,
        "instants": len(motion),
        "start": float(motion.t[0]),
        "end": float(motion.t[-1]),
        "event": motion.event and {"name": motion.event.name, "t": motion.event.t},
        "failure": failure,
        "energy": {
            "start": float(energy[0]),
            "end": float(energy[-1]),
            "largest_change": float(abs(energy - energy[0]).max()),
        },
        "contacts": _contacts(motion),
        "positions": positions,
        "velocities": {name: {"top_speed": speed, "peak_force": force} for name, speed, force in rates},
    }


def _contacts(motion: Simulation) -> dict[str, dict[str, float]]:
    """Force of each contact at the end, and its maximum [N]."""
    if motion.owner is None or motion.contact_forces is None:
        return {}
    sizes = zip(motion.owner.contacts, np.linalg.norm(motion.contact_forces, axis=-1).T, strict=True)
    return {name: {"end": float(x[-1]), "peak": float(x.max())} for name, x in sizes}


def _energy(motion: Simulation, driven: bool) -> str:
    energy = motion.energy
    most = f"{abs(energy - energy[0]).max():.2g} J"
    ends = f"energy {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end"
    if driven:
        return f"{ends}; largest change {most}"
    return f"{ends}; largest drift {most}, all of it error of the method and step: no force drives or brakes it"


def _joints(robot: Robot, motion: Simulation, summary: Summary) -> Table:
    """Table of positions and top speeds of coordinates, in red beyond limits; free joints: position, then twist."""
    driven = bool(motion.tau.any())
    title = f"Motion of {robot.name} (rad, m, s{', N m, N' if driven else ''})"
    headings = ("joint", "start", "end", "lowest", "highest", "top speed", *(["peak force"] if driven else []))
    table = screen.new_table(title, *headings)
    names, (low, high) = short_names(robot), summary.reach
    passed = (low < robot.lower_limits - SLACK) | (high > robot.upper_limits + SLACK)
    fast = summary.speed > robot.velocity_limits + SLACK
    for body, at, to in zip(robot.bodies[1:], robot.q_index[1:], robot.v_index[1:], strict=True):
        one, none = body.joint.nq == 1, ["–"] * (1 + driven)
        for k, part in enumerate(() if one else body.joint.q_names[: body.joint.quaternion_at], at.start):
            place = map(number, (motion.q[0, k], motion.q[-1, k], low[k], high[k]))
            table.add_row(screen.cell(f"{names[to.start].rpartition('.')[0]}.{part}"), *place, *none)
        for k in range(to.start, to.stop):
            p = at.start
            place = map(number, (motion.q[0, p], motion.q[-1, p], low[p], high[p]) if one else [np.inf] * 4)
            cells = [*place, number(summary.speed[k])]
            cells += [number(summary.peak_force[k])] if driven else []
            table.add_row(screen.cell(names[k]), *cells, style="bold red" if fast[k] or (one and passed[p]) else "")
    return table
