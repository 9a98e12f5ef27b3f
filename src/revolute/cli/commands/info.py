"""`revolute info`: the parts of a robot, and the operation counts of its equations."""

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from revolute.cli.commands import screen
from revolute.machine.robot import Robot
from revolute.model.describe import not_included
from revolute.model.units import number

FUNCTIONS = ("inverse_dynamics", "bias_forces", "gravity_forces")


def run(robot: Robot, as_json: bool, console: Console) -> None:
    """Print a robot's tree, joints, masses and operation counts."""
    if as_json:
        screen.print_json(data(robot))
        return
    for line in str(robot).split("\n"):
        screen.say(console, line)
    screen.say(console, f"gravity {', '.join(f'{x:g}' for x in robot.gravity)} m/s²")
    console.print()
    if robot.n_joints:
        console.print(_joints(robot))
    for body in robot.bodies:  # `Robot.with_drives` enforces these mimic joints
        if mimic := body.drive.mimic:
            rule = f"{mimic.multiplier:g} * {mimic.joint} + {mimic.offset:g}"
            screen.say(console, f"{body.joint_name} is meant to be {rule}")
    if remark := not_included(robot):
        screen.say(console, remark)
    console.print(_operations(robot))


def data(robot: Robot) -> dict[str, Any]:
    """The robot's parts as data for --json."""
    columns = {
        "velocity": robot.velocity_limits, "effort": robot.effort_limits,
        "damping": robot.drives.damping, "friction": robot.drives.friction,
    }  # fmt: skip
    bodies = [
        {
            "name": body.name,
            "joint": body.joint_name if i else None,
            "type": body.joint.words() if i else None,
            "parent": robot.bodies[body.parent].name if i else None,
            "mass": float(body.inertia.m),
            "lower": robot.lower_limits[robot.q_index[i]].tolist(),
            "upper": robot.upper_limits[robot.q_index[i]].tolist(),
            **{name: column[robot.v_index[i]].tolist() for name, column in columns.items()},
            "links": [frame.name for frame in robot.frames if frame.body == i],
            "mimic": body.drive.mimic and asdict(body.drive.mimic),
        }
        for i, body in enumerate(robot.bodies)
    ]
    counts = {name: asdict(robot.kernel(name).count()) for name in FUNCTIONS}
    sizes = {"joints": robot.n_joints, "nq": robot.nq, "nv": robot.nv}
    gravity = [float(x) for x in robot.gravity]
    return {"name": robot.name, **sizes, "gravity": gravity, "bodies": bodies, "operations": counts}


def _joints(robot: Robot) -> Table:
    """Table of limits, efforts and drive data, one row per velocity coordinate."""
    headings = ("joint", "lower", "upper", "speed", "effort", "damping", "friction")
    table = screen.new_table("Joints (rad, m, N m, N, s)", *headings)
    drives, row = robot.drives, 0
    for body, at in zip(robot.bodies[1:], robot.q_index[1:], strict=True):
        for _ in range(body.joint.nv):
            one = body.joint.nq == 1
            table.add_row(
                screen.cell(robot.coordinate_names[row]),
                number(robot.lower_limits[at][0]) if one else "–",
                number(robot.upper_limits[at][0]) if one else "–",
                number(robot.velocity_limits[row]),
                number(robot.effort_limits[row]),
                number(drives.damping[row]),
                " / ".join(map(number, dict.fromkeys((drives.friction[row], drives.friction_backward[row])))),
            )
            row += 1
    return table


def _operations(robot: Robot) -> Table:
    """Table of the numbers of scalar operations in one evaluation of each function."""
    headings = ("function", "mul", "add", "mul + add", "div", "sin, cos, sqrt")
    table = screen.new_table("Operations of one evaluation", *headings)
    for name in FUNCTIONS:
        count = robot.kernel(name).count()
        columns = (count.multiplications, count.additions, count.arithmetic, count.divisions, count.calls)
        table.add_row(name, *map(str, columns))
    return table
