"""`revolute ik`: joint positions for one pose of a link, or for a table of poses."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.cli.commands.motion_options import IkOptions
from revolute.cli.commands.numbers import joint_numbers, warn_of_degrees
from revolute.cli.commands.targets import check_targets
from revolute.dynamics.kinematics import path_to
from revolute.errors import InputError
from revolute.io.trajectory import open_table, position_names, time_column, write
from revolute.machine.inverse_kinematics import PoseSolutions
from revolute.machine.robot import Robot
from revolute.model.configurations import angle_places
from revolute.model.units import number
from revolute.spatial import Transform

POSITION = ("x", "y", "z")
ANGLES = ("roll", "pitch", "yaw")
QUATERNION = ("qx", "qy", "qz", "qw")
ENDS = ("rotation_error", "position_error", "converged")
"""Columns of a table of solutions that follow the joint positions."""
COLUMNS = 5  # number of solutions beside each other


def run(robot: Robot, options: IkOptions, as_json: bool, console: Console) -> bool:
    """Find, print, write and plot the solutions. Return whether all poses are reached."""
    output, plot = options.output, options.plot
    path = options.path if options.largest_step is None else options.largest_step
    check_targets(output, plot)
    if (link := options.frame) is None:  # choose the last of the links with the longest chain of joints
        link = max(reversed(robot.link_names), key=lambda name: len(path_to(robot, name)))
    if options.largest_step is not None and not options.path:
        raise InputError("--largest-step is for a path: give --path")
    if path and options.poses is None:
        raise InputError("--path requires a table of poses: give --poses")
    wanted, t, turned = given_poses(options.xyz, options.rpy, options.poses)
    rows = "all" if turned else "linear"
    start = None if options.q0 is None else _positions("--q0", options.q0, robot)
    posture: Any = options.posture
    if posture not in (None, "middle"):
        posture = _positions("--posture", posture, robot)
    found = robot.inverse_kinematics(
        wanted, link, start, options.limits, rows=rows, posture=posture, path=path, restarts=options.restarts,
        tolerance=options.tolerance, rng=options.seed, all=options.all_, turns=options.turns, branch=options.branch,
        hold=_held(robot, options.hold),
    )
    if options.all_:
        return _all(robot, link, found, output, plot, as_json, console)
    turns, ways = (np.linalg.norm(x, axis=-1) for x in (found.error[..., :-3], found.error[..., -3:]))  # in [rad], [m]
    turns = turns if turned else np.zeros_like(ways)
    if as_json:
        screen.print_json(_data(robot, link, found, turns, ways))
    _print(robot, link, found, turns, ways, turned, console)
    if output is not None:
        columns = (*(("t",) if t is not None else ()), *position_names(robot), *ENDS)
        q = np.atleast_2d(found.q)
        ends = [np.atleast_1d(x).astype(float) for x in (turns, ways, found.converged)]
        write(output, columns, *(() if t is None else (t,)), q, *ends)
        screen.say(console, f"Written to {output}")
    what = "reaches" if np.all(found.converged) else "comes near"
    title = f"{robot.name}: {link} {what} {'its pose' if wanted.ndim == 2 else f'{len(wanted)} poses'}"
    trace = link if path else None
    screen.draw(console, plot, lambda: robot.plot(found.q, frames=[link], com=False, trace=trace, title=title))
    return bool(np.all(found.converged))


def _positions(option: str, text: str, robot: Robot) -> Array:
    q = joint_numbers(option, text, robot.position_names, robot.neutral())
    warn_of_degrees(option, q[angle_places(robot)])
    return q


def _held(robot: Robot, text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    values = joint_numbers("--hold", text, robot.position_names, np.full(robot.nq, np.nan))
    return {name: float(x) for name, x in zip(robot.position_names, values, strict=True) if np.isfinite(x)}


def _all(
    robot: Robot, link: str, found: PoseSolutions, output: Path | None, plot: Path | None, as_json: bool,
    console: Console,
) -> bool:
    """Print, write and plot all solutions. Return whether each pose has one."""
    exist, single = np.atleast_2d(found.converged), found.converged.ndim == 1
    solutions = [q[k] for q, k in zip(found.q.reshape(len(exist), -1, robot.nq), exist, strict=True)]
    if as_json:
        data: dict[str, Any] = {"q": [q.tolist() for q in solutions], "converged": exist.any(axis=1).tolist()}
        names = {"name": robot.name, "frame": link, "joints": robot.position_names}
        screen.print_json(names | {key: x[0] if single else x for key, x in data.items()})
    for k, q in enumerate(solutions, 1):
        number = f"{len(q)} solution{'s' * (len(q) != 1)}"
        screen.say(console, f"{robot.name}: {link} has {number}" if single else f"- pose {k}: {number}")
    if not all(map(len, solutions)):
        screen.say(console, "- the same command without --all shows the nearest positions, and how much is left")
    for k in range(0, len(solutions[0]) if single else 0, COLUMNS):
        some = solutions[0][k : k + COLUMNS]
        table = screen.new_table("Joint positions (rad, m)", "joint", *(str(k + i + 1) for i in range(len(some))))
        for name, row in zip(robot.position_names, some.T, strict=True):
            table.add_row(screen.cell(name), *(f"{x:.6f}" for x in row))
        console.print(table)
    q = np.concatenate(solutions)
    if output is not None:
        poses = 1.0 + np.repeat(np.arange(len(solutions)), [len(x) for x in solutions])
        write(output, ("pose", *position_names(robot)), poses, q)
        screen.say(console, f"Written to {output}")
    title = f"{robot.name}: {len(q)} solutions of {link}"
    screen.draw(console, plot if len(q) else None, lambda: robot.plot(q, frames=[link], com=False, title=title))
    return all(map(len, solutions))


def _print(
    robot: Robot, link: str, found: PoseSolutions, turns: Any, ways: Any, turned: bool, console: Console
) -> None:
    say = partial(screen.say, console)
    what = "pose" if turned else "position"
    if found.converged.ndim:
        reached, total = int(found.converged.sum()), len(found.converged)
        say(f"{robot.name}: {link} reaches {reached:,} of {total:,} {what}s")
        if found.stop:
            say(f"- {found.stop}")
        for k in np.flatnonzero(~found.converged)[:10]:
            say(f"- {what} {k + 1} is not reached: {_left(turns[k], ways[k], turned)} are left")
        if total - reached > 10:
            say(f"- and {total - reached - 10:,} more")
        return
    starts = f"{found.iterations} steps from {found.restarts + 1} start{'s' * bool(found.restarts)}"
    if found.converged:
        say(f"{robot.name}: {link} reaches the {what}; {starts}")
    else:
        say(f"{robot.name}: {link} does not reach the {what}: at the nearest positions, "
            f"{_left(turns, ways, turned)} are left; {starts}")  # fmt: skip
    console.print(_joints(robot, found.q))


def _left(turn: float, way: float, turned: bool) -> str:
    return f"{turn:.3g} rad and {way:.3g} m" if turned else f"{way:.3g} m"


def _joints(robot: Robot, q: Any) -> Table:
    table = screen.new_table("Joint positions (rad, m)", "joint", "position", "lower limit", "upper limit")
    for name, x, low, high in zip(robot.position_names, q, robot.lower_limits, robot.upper_limits, strict=True):
        table.add_row(screen.cell(name), f"{x:.9g}", *(Text(number(bound)) for bound in (low, high)))
    return table


def _data(robot: Robot, link: str, found: PoseSolutions, turns: Any, ways: Any) -> dict[str, Any]:
    return {
        "name": robot.name,
        "frame": link,
        "joints": robot.position_names,
        "rotation_error": turns.tolist(),
        "position_error": ways.tolist(),
        **{name: getattr(found, name).tolist() for name in ("q", "converged", "iterations", "restarts")},
    }


def given_poses(xyz: str | None, rpy: str | None, poses: Path | None) -> tuple[Array, Array | None, bool]:
    """Return (..., 4, 4) poses, (T,) times if a table has them, and whether orientations are given."""
    if poses is None:
        if xyz is None:
            raise InputError("no pose: give --xyz, with --rpy if the orientation matters; or a table: --poses")
        p = joint_numbers("--xyz", xyz, POSITION, np.zeros(3)).tolist()
        angles = np.zeros(3) if rpy is None else joint_numbers("--rpy", rpy, ANGLES, np.zeros(3))
        warn_of_degrees("--rpy", angles)
        return Transform.from_rpy(p, angles.tolist()).matrix(), None, rpy is not None
    if xyz is not None or rpy is not None:
        raise InputError("give one pose by --xyz and --rpy, or a table by --poses, not both")
    table = open_table(poses)
    turns = next((x for x in (QUATERNION, ANGLES) if set(x) <= set(table.columns)), ())
    if missing := [x for x in POSITION if x not in table.columns]:
        raise InputError(f"{poses}: no column {missing[0]}; poses have x, y, z, and roll, pitch, yaw or qx, qy, qz, qw")
    time = time_column(table.columns, str(poses))
    rows = table.rows((*((time,) if time else ()), *POSITION, *turns))
    if not len(rows):
        raise InputError(f"{poses}: there are no rows below the header")
    t, rows = (rows[:, 0], rows[:, 1:]) if time else (None, rows)
    if turns is ANGLES:
        warn_of_degrees(str(poses), rows[:, 3:].ravel())
    return np.stack([_pose(row.tolist(), f"{poses}: pose {k}") for k, row in enumerate(rows, 1)]), t, bool(turns)


def _pose(numbers: list[float], where: str) -> Array:
    p, turn = numbers[:3], numbers[3:]
    try:
        pose = Transform.from_quaternion(turn, p) if len(turn) == 4 else Transform.from_rpy(p, turn or (0, 0, 0))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return pose.matrix()
