"""Limits and drives of all joints of a model, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.model.model import Model
from revolute.model.symbols import numeric

__all__ = ["drive_column", "limit_column"]


def limit_column(model: Model, name: str, size: str, default: float) -> NDArray[Any]:
    """(nq,) or (nv,) limits, in the order of the coordinates; read-only.

    Args:
        model: the robot.
        name: a field of `Limits`.
        size: "nq" or "nv".
        default: value for joints without this limit.
    """
    rows = [(getattr(body.limits, name) or (default,) * getattr(body.joint, size)) for body in model.bodies]
    return _read_only(rows)


def drive_column(model: Model, name: str, default: float) -> NDArray[Any]:
    """(nv,) drive data, in the order of the coordinates; read-only.

    Args:
        model: the robot.
        name: a field of `Drive`.
        default: value for joints without these data.

    Raises:
        InputError: the model has symbols.
    """
    return _read_only([(getattr(b.drive, name) or (default,) * b.joint.nv) for b in numeric(model, name).bodies])


def _read_only(rows: list[tuple[float, ...]]) -> NDArray[Any]:
    column = np.array([x for row in rows for x in row], dtype=float)
    column.flags.writeable = False
    return column
