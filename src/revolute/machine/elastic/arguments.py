"""Checks of the arguments of robots with elastic joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import broadcast_shapes, float_copy
from revolute.errors import DtypeError, InputError, ShapeError
from revolute.machine.robot import Robot

__all__ = ["finite_row", "joint_arrays", "joint_column"]

Array = NDArray[Any]


def joint_arrays(robot: Robot, function: str, **values: ArrayLike) -> list[Array]:
    """Arrays of (..., nv) real numbers whose batch shapes broadcast."""
    arrays = []
    for name, value in values.items():
        try:
            array = np.asarray(value)
        except ValueError:
            raise ShapeError(f"{function}: {name} is ragged; its rows must have equal lengths") from None
        if array.dtype.kind not in "fiub":
            raise DtypeError(f"{function}: {name} must hold real numbers, not {array.dtype}")
        if array.shape[-1:] != (robot.nv,):
            raise ShapeError(
                f"{function}: {name} has shape {array.shape}, but robot '{robot.name}' needs (..., {robot.nv})"
            )
        arrays.append(array)
    try:
        broadcast_shapes([array.shape for array in arrays])
    except ValueError:
        listed = ", ".join(f"{name} {array.shape}" for name, array in zip(values, arrays, strict=True))
        raise ShapeError(f"{function}: batch shapes do not broadcast: {listed}") from None
    return arrays


def finite_row(function: str, name: str, n: int, x: ArrayLike) -> Array:
    """(n,) finite numbers."""
    row = float_copy(f"{function}: {name}", x)
    if row.shape != (n,):
        raise ShapeError(f"{function}: {name} has shape {row.shape}, but ({n},) is needed")
    if not np.isfinite(row).all():
        raise InputError(f"{function}: {name} is not finite")
    return row


def joint_column(robot: Robot, name: str, values: ArrayLike, least: str) -> Array:
    """(nv,) numbers, read-only: one for each joint, or the same for all.

    Args:
        robot: with its joints.
        name: of the argument, for messages.
        values: one number or (nv,).
        least: "greater than zero" or "zero or more".
    """
    try:
        column = np.broadcast_to(float_copy(f"with_elastic_joints: {name}", values), (robot.nv,)).copy()
    except DtypeError:
        raise
    except ValueError:
        raise ShapeError(
            f"with_elastic_joints: {name} must be a number or {robot.nv} of them, one for each joint of '{robot.name}'"
        ) from None
    wrong = ~np.isfinite(column) | ((column <= 0) if least.startswith("greater") else (column < 0))
    if wrong.any():
        joint = robot.coordinate_names[int(np.argmax(wrong))]
        raise InputError(f"with_elastic_joints: {name} of joint '{joint}' must be {least}, not {column[wrong][0]:g}")
    column.flags.writeable = False
    return column
