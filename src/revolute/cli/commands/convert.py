"""`revolute convert` and `revolute lock`: robots as files in another format, or with joints locked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.changes import locked
from revolute.cli.commands.targets import check_document
from revolute.errors import InputError
from revolute.files import save
from revolute.machine.robot import Robot

__all__ = ["FORMATS", "convert", "lock"]

FORMATS = (".urdf", ".xml", ".toml")


def convert(robot: Robot, output: Path, console: Console) -> None:
    """Write a robot in the format of the file's suffix.

    Raises:
        InputError: the suffix is not one of `FORMATS`.
        ModelError: the format cannot hold the robot.
    """
    check_document(output, *FORMATS)
    save(robot, output)
    screen.say(console, f"Written to {output}: {robot.name}, {robot.n_joints} joints")


def lock(robot: Robot, joints: Sequence[str], output: Path, console: Console) -> None:
    """Write a robot with some joints locked: see `locked`.

    Raises:
        InputError, ModelError: see `convert`; or joints cannot be locked.
    """
    check_document(output, *FORMATS)
    result = locked(robot, joints, "lock")
    if result.n_joints == robot.n_joints:
        raise InputError("lock: give at least one joint, such as elbow_joint=0.5")
    convert(result, output, console)
