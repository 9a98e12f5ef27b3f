"""`revolute trajectory`: a motion through waypoints, checked against limits."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.cli.commands.ik import ANGLES, POSITION, given_poses
from revolute.cli.commands.motion_options import TrajectoryOptions
from revolute.cli.commands.numbers import joint_numbers, limits_of, warn_of_degrees
from revolute.cli.commands.targets import check_targets
from revolute.errors import InputError
from revolute.io.trajectory import match, open_table
from revolute.machine.robot import Robot
from revolute.model import Model, number
from revolute.spatial import Transform
from revolute.trajectory import (
    Report,
    Trajectory,
    cubic,
    follow,
    jerk_limited,
    lines,
    minimum_jerk,
    quintic,
    spline,
    time_optimal,
    trapezoid,
    uniform_scaling,
)

TIMED = {"cubic": cubic, "quintic": quintic, "minimum_jerk": minimum_jerk, "spline": spline}
KINDS = (*TIMED, "trapezoid", "jerk_limited")


def run(robot: Robot, options: TrajectoryOptions, as_json: bool, console: Console) -> None:
    """Generate a trajectory; print its largest values with their limits; write and plot the trajectory."""
    check_targets(options.output, options.plot)
    if options.fastest and options.time_optimal:
        raise InputError("give --fastest or --time-optimal, not both")
    machine: Any = robot.with_drives() if options.drives else robot
    space: Model = machine.space if options.drives else robot
    chosen = options.kind or ("lines" if options.frame else "spline" if options.time_optimal else "quintic")
    given = limits_of(options.limits, space.coordinate_names)
    ends = _ends(space, options)
    if options.frame:
        motion = _followed(machine, space, options.frame, options, given)
    else:
        motion = _made(machine, space, chosen, options, given, {} if options.time_optimal else ends)
    notes: list[str] = []
    bounds = {name: x for name, x in given.items() if name != "jerk"}
    if options.time_optimal:
        timed = time_optimal(motion, machine, **bounds, **ends)
        notes.append(f"least time along the path, on {timed.grid} intervals: {timed.planned:.6g} s")
        if timed.factor < 1:
            notes.append(f"slowed down to {timed.factor:.6g} of that speed, for limits within the intervals")
        motion = timed
    elif options.fastest:
        if ends:
            raise InputError("--fastest changes all velocities; omit --start-velocity and --end-velocity")
        scaling = uniform_scaling(motion, machine, **given)
        notes.append(str(scaling))
        motion = scaling.trajectory
    report = motion.check(machine, **given)
    say, words = partial(screen.say, console), chosen.replace("_", " ")
    if as_json:
        largest = [asdict(row) | {"within": row.within} for row in report.rows]
        data = {"robot": robot.name, "kind": chosen, "duration": motion.duration, "ok": report.ok, "notes": notes}
        screen.print_json(data | {"largest": largest})
    say(f"{robot.name}: {words}, {motion.duration:.6g} s")
    for note in (*notes, str(report).splitlines()[0]):
        say(f"- {note}")
    say()
    console.print(_table(robot, report))
    if options.output:
        motion.save(options.output, options.step)
        say(f"Written to {options.output}, every {options.step:g} s")
    title = f"{robot.name}: {words}, {motion.duration:.4g} s"
    screen.draw(console, options.plot, lambda: motion.plot(machine, title=title))


def _followed(machine: Any, space: Model, frame: str, options: TrajectoryOptions, limits: dict[str, Any]) -> Trajectory:
    """The joint motion that moves a link along lines from pose to pose."""
    later = options.fastest or options.time_optimal  # which keep limits of velocity
    if options.kind or options.times or options.start_velocity or options.end_velocity:
        raise InputError("--frame moves along lines, from rest to rest: omit --kind, --times and end velocities")
    if options.duration is None and not later:
        raise InputError("--duration is missing: give the duration of the motion [s]")
    if len(options.via) == 1:
        poses, _, turned = given_poses(None, None, Path(options.via[0]))
        if not turned:
            raise InputError(f"{options.via[0]}: lines need orientations: roll, pitch, yaw or qx, qy, qz, qw")
    else:
        rows = np.array([joint_numbers("--via", text, (*POSITION, *ANGLES), np.zeros(6)) for text in options.via])
        warn_of_degrees("--via", rows[:, 3:].ravel())
        poses = np.array([Transform.from_rpy(row[:3], row[3:]).matrix() for row in rows.tolist()])
    if options.time_optimal and not options.blend and len(poses) > 2:
        raise InputError("--time-optimal needs --blend: it does not stop at corners")
    profile = "linear" if options.time_optimal else "quintic"
    path = lines(poses, options.duration or 1.0, blend=options.blend, profile=profile)
    near = None
    if options.q0 is not None:
        near = joint_numbers("--q0", options.q0, space.position_names, np.array(machine.neutral()))
    q0 = machine.inverse_kinematics(poses[0], frame, near).reached("--via")
    velocity = np.inf if later else limits.get("velocity")
    return follow(machine, frame, path, q0, velocity=velocity, around=options.around)


def _ends(space: Model, options: TrajectoryOptions) -> dict[str, Any]:
    """The velocities at the ends that the options specify, by argument name."""
    given = {"start_velocity": options.start_velocity, "end_velocity": options.end_velocity}
    return {
        name: joint_numbers(f"--{name.replace('_', '-')}", text, space.coordinate_names, np.zeros(space.nv))
        for name, text in given.items() if text is not None
    }  # fmt: skip


def _made(
    machine: Any, space: Model, kind: str, options: TrajectoryOptions, limits: dict[str, Any], ends: dict[str, Any]
) -> Trajectory:
    if options.blend or options.q0 is not None or options.around:
        raise InputError("--blend, --q0 and --around are for poses of a link: give --frame")
    if kind not in KINDS:
        raise InputError(f"--kind must be one of {', '.join(KINDS)}, not '{kind}'")
    waypoints, file_times = _waypoints(space, options.via)
    if kind not in TIMED:
        if options.times is not None or options.duration is not None:
            raise InputError(f"--kind {kind} derives its times from limits; omit --times and --duration")
        if "acceleration" not in limits:
            raise InputError(f"--kind {kind} requires acceleration limits: --limits acceleration=5")
        own = {"velocity": limits.get("velocity"), "acceleration": limits["acceleration"]}
        if kind == "trapezoid":
            return trapezoid(machine, waypoints, **own, **ends)
        if "jerk" not in limits:
            raise InputError("--kind jerk_limited requires jerk limits: --limits acceleration=5,jerk=50")
        return jerk_limited(machine, waypoints, **own, jerk=limits["jerk"], **ends)
    at: Any = file_times
    if options.times is not None and options.duration is not None:
        raise InputError("give --times or --duration, not both")
    if options.times is not None:
        names = [f"waypoint{k + 1}" for k in range(len(waypoints))]
        at = joint_numbers("--times", options.times, names, np.zeros(len(names)))
    elif options.duration is not None:
        at = options.duration
    elif at is None:
        if not (options.fastest or options.time_optimal):
            raise InputError("--duration is missing: give the duration of the motion [s], or --times for each waypoint")
        at = _evenly(waypoints)
    if not ends:
        return TIMED[kind](machine, waypoints, at)
    if kind not in ("cubic", "quintic"):
        raise InputError(f"--kind {kind} takes no --start-velocity or --end-velocity; use quintic, or --time-optimal")
    velocities = np.zeros((len(waypoints), space.nv))
    velocities[0], velocities[-1] = ends.get("start_velocity", 0.0), ends.get("end_velocity", 0.0)
    return (cubic if kind == "cubic" else quintic)(machine, waypoints, at, velocities=velocities)


def _evenly(waypoints: Array) -> Array:
    """Times proportional to the distances between waypoints, to be scaled later."""
    apart = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(np.maximum(apart, 1e-3 * max(apart.max(initial=0), 1e-9)))])


def _waypoints(space: Model, via: Sequence[str]) -> tuple[Array, Array | None]:
    """(k, nq) waypoints, and their times if a file has them."""
    if len(via) == 1 and (Path(via[0]).suffix.lower() in (".csv", ".parquet", ".pq") or Path(via[0]).is_file()):
        table = open_table(via[0])
        columns = match(space, table.columns, via[0])
        rows = table.rows(([columns.time] if columns.time else []) + list(columns.q))
        return (rows[:, 1:], rows[:, 0]) if columns.time else (rows, None)
    rest = np.array([x for body in space.bodies for x in body.joint.neutral()])
    rows = np.array([joint_numbers("--via", text, space.position_names, rest) for text in via])
    return rows.reshape(len(via), space.nq), None


def _table(robot: Robot, report: Report) -> Table:
    """Table of the largest values of each joint, in red beyond a limit."""
    table = screen.new_table(f"Largest values of {robot.name}", "joint", "", "at [s]", "value", "limit", "used", "")
    for k in (1, 6):
        table.columns[k].justify = "left"
    last, shown = "", {}
    for row in sorted(report.rows, key=lambda x: x.share):
        shown[row.joint, row.kind] = row  # keep the row that is nearest to its limit
    for row in [
        shown[joint, kind]
        for joint in dict.fromkeys(x.joint for x in report.rows)
        for kind in dict.fromkeys(x.kind for x in report.rows)
        if (joint, kind) in shown
    ]:
        used = f"{row.share:.0%}" if np.isfinite(row.limit) and row.kind != "position" else "–"
        name, last = ("" if row.joint == last else row.joint), row.joint
        cells = (number(row.t), number(row.value), number(row.limit), used)
        table.add_row(screen.cell(name), row.kind, *cells, row.unit, style="" if row.within else "bold red")
    return table
