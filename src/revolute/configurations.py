"""Steps between configurations, joint by joint: see `revolute.joints`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import broadcast_shapes
from revolute.errors import DtypeError, ShapeError
from revolute.joints import Joint
from revolute.robot import Robot

__all__ = ["difference", "integrate", "normalize"]

Array = NDArray[Any]
Index = tuple[slice, ...]
"""For every body, where its joint's entries are."""


def integrate(robot: Robot, q: ArrayLike, d: ArrayLike) -> Array:
    """See `Robot.integrate`."""
    places = {"q": (q, robot.q_index), "d": (d, robot.v_index)}
    return _by_joint("integrate", lambda joint: joint.integrate, robot, robot.nq, places)


def difference(robot: Robot, q0: ArrayLike, q1: ArrayLike) -> Array:
    """See `Robot.difference`."""
    places = {"q0": (q0, robot.q_index), "q1": (q1, robot.q_index)}
    return _by_joint("difference", lambda joint: joint.difference, robot, robot.nv, places)


def normalize(robot: Robot, q: ArrayLike) -> Array:
    """See `Robot.normalize`."""
    return _by_joint("normalize", lambda joint: joint.normalized, robot, robot.nq, {"q": (q, robot.q_index)})


def _by_joint(
    method: str, own: Callable[[Joint], Any], robot: Robot, size: int, given: dict[str, tuple[ArrayLike, Index]]
) -> Array:
    """Each joint's own method, on arrays of components (never numbers); float32 if all arrays are."""
    arrays = [_array(robot, method, name, x, at[-1].stop) for name, (x, at) in given.items()]
    try:
        batch = broadcast_shapes([array.shape[:-1] for array in arrays])
    except ValueError:
        listed = ", ".join(f"{name} {array.shape[:-1]}" for name, array in zip(given, arrays, strict=True))
        raise ShapeError(f"{method}: batch shapes do not broadcast: {listed}") from None
    single = all(array.dtype == np.float32 for array in arrays)
    rows = math.prod(batch)
    tables = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(rows, x.shape[-1]) for x in arrays]
    found = np.empty((rows, size), dtype=np.float32 if single else np.float64)
    start = 0
    with np.errstate(all="ignore"):  # of what is not finite, as in kernels
        for body, *places in zip(robot.bodies, *(at for _, at in given.values()), strict=True):
            columns = [x[:, at].T.astype(float) for x, at in zip(tables, places, strict=True)]
            for component in own(body.joint)(*columns):
                found[:, start] = component
                start += 1
    return found.reshape(*batch, size)


def _array(robot: Robot, method: str, name: str, given: ArrayLike, size: int) -> Array:
    try:
        array = np.asarray(given)
    except ValueError:
        raise ShapeError(f"{method}: {name} is ragged; its rows must have equal lengths") from None
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{method}: {name} must be real numbers, not {array.dtype}")
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{method}: {name} has shape {array.shape}, but robot '{robot.name}' needs (..., {size})")
    return array
