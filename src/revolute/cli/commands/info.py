"""`revolute info`: the parts of a robot, and the operation counts of its equations."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from revolute.cli.commands import screen
from revolute.machine.robot import Robot
from revolute.model.units import number

__all__ = ["run"]

FUNCTIONS = ("inverse_dynamics", "bias_forces", "gravity_forces")


def run(robot: Robot, console: Console) -> None:
    """Print a robot's tree, joints, masses and operation counts."""
    for line in str(robot).split("\n"):
        screen.say(console, line)
    screen.say(console, f"gravity {', '.join(f'{x:g}' for x in robot.gravity)} m/s²")
    console.print()
    if robot.n_joints:
        console.print(_joints(robot))
    for line in _mimics(robot):
        screen.say(console, line)
    console.print(_operations(robot))


def _joints(robot: Robot) -> Table:
    """Limits, efforts and drive data, a row a velocity coordinate."""
    headings = ("joint", "lower", "upper", "speed", "effort", "damping", "friction")
    table = screen.new_table("Joints (rad, m, N m, N, s)", *headings)
    row = 0
    for body, at in zip(robot.bodies[1:], robot.q_index[1:], strict=True):
        for _ in range(body.joint.nv):
            one = body.joint.nq == 1
            table.add_row(
                screen.cell(robot.coordinate_names[row]),
                number(robot.lower_limits[at][0]) if one else "–",
                number(robot.upper_limits[at][0]) if one else "–",
                number(robot.velocity_limits[row]),
                number(robot.effort_limits[row]),
                number(robot.damping[row]),
                number(robot.friction[row]),
            )
            row += 1
    return table


def _mimics(robot: Robot) -> list[str]:
    """Mimics of the description, which `Robot.with_drives` enforces."""
    return [
        f"{body.joint_name} is meant to be {mimic.multiplier:g} * {mimic.joint} + {mimic.offset:g}"
        for body in robot.bodies
        if (mimic := body.drive.mimic)
    ]


def _operations(robot: Robot) -> Table:
    """Scalar operations of one evaluation of each function."""
    headings = ("function", "mul", "add", "mul + add", "div", "sin, cos, sqrt")
    table = screen.new_table("Operations of one evaluation", *headings)
    for name in FUNCTIONS:
        count = robot.kernel(name).count()
        columns = (count.multiplications, count.additions, count.arithmetic, count.divisions, count.calls)
        table.add_row(name, *map(str, columns))
    return table
