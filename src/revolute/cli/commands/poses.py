"""Poses on a command line: one by its numbers, or a table of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import InputError
from revolute.io.trajectory import open_table, time_column
from revolute.spatial import Transform

__all__ = ["given_poses"]

Array = NDArray[Any]

POSITION = ("x", "y", "z")
ANGLES = ("roll", "pitch", "yaw")
QUATERNION = ("qx", "qy", "qz", "qw")


def given_poses(xyz: str | None, rpy: str | None, poses: Path | None) -> tuple[Array, Array | None, bool]:
    """(..., 4, 4) poses, (T,) times if a table has them, and whether orientations are given.

    Args:
        xyz, rpy: text of position and angles of one pose.
        poses: a table with columns x, y, z; optionally roll, pitch, yaw or qx, qy, qz, qw; and t.

    Raises:
        InputError: not numbers, a table without these columns, neither a pose nor a table, or both.
    """
    if poses is None:
        if xyz is None:
            raise InputError("there is no pose: give --xyz, with --rpy if the orientation counts; or a table: --poses")
        numbers = [
            np.zeros(3) if text is None else joint_numbers(option, text, names, np.zeros(3))
            for option, text, names in (("--xyz", xyz, POSITION), ("--rpy", rpy, ANGLES))
        ]
        p, angles = (x.tolist() for x in numbers)
        return Transform.from_rpy(p, angles).matrix(), None, rpy is not None
    if xyz is not None or rpy is not None:
        raise InputError("give one pose by --xyz and --rpy, or a table by --poses, not both")
    table = open_table(poses)
    turns = next((x for x in (QUATERNION, ANGLES) if set(x) <= set(table.columns)), ())
    if missing := [x for x in POSITION if x not in table.columns]:
        raise InputError(f"{poses}: no column {missing[0]}; poses have x, y, z, and roll, pitch, yaw or qx, qy, qz, qw")
    time = time_column(table.columns, str(poses))
    names = (*((time,) if time else ()), *POSITION, *turns)
    rows = np.concatenate([np.zeros((0, len(names))), *(block for _, block in table.blocks(names))])
    if not len(rows):
        raise InputError(f"{poses}: there are no rows below the header")
    t, rows = (rows[:, 0], rows[:, 1:]) if time else (None, rows)
    return np.stack([_pose(row.tolist(), f"{poses}: pose {k}") for k, row in enumerate(rows, 1)]), t, bool(turns)


def _pose(numbers: list[float], where: str) -> Array:
    p, turn = numbers[:3], numbers[3:]
    try:
        pose = Transform.from_quaternion(turn, p) if len(turn) == 4 else Transform.from_rpy(p, turn or (0, 0, 0))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return pose.matrix()
