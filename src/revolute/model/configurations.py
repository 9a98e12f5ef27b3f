"""Steps between configurations, joint by joint: see `revolute.model.joints`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import broadcast_shapes
from revolute.errors import DtypeError, ShapeError
from revolute.model.joints import Joint
from revolute.model.model import Model

__all__ = ["difference", "integrate", "neutral", "normalize"]

Array = NDArray[Any]
Index = tuple[slice, ...]
"""For every body, where its joint's entries are."""


def neutral(model: Model) -> list[float]:
    """The nq coordinates of the zero configuration."""
    return [x for body in model.bodies for x in body.joint.neutral()]


def integrate(model: Model, q: ArrayLike, d: ArrayLike) -> Array:
    """See `Robot.integrate`."""
    places = {"q": (q, model.q_index), "d": (d, model.v_index)}
    return _by_joint("integrate", lambda joint: joint.integrate, model, model.nq, places)


def difference(model: Model, q0: ArrayLike, q1: ArrayLike) -> Array:
    """See `Robot.difference`."""
    places = {"q0": (q0, model.q_index), "q1": (q1, model.q_index)}
    return _by_joint("difference", lambda joint: joint.difference, model, model.nv, places)


def normalize(model: Model, q: ArrayLike) -> Array:
    """See `Robot.normalize`."""
    return _by_joint("normalize", lambda joint: joint.normalized, model, model.nq, {"q": (q, model.q_index)})


def _by_joint(
    method: str, own: Callable[[Joint], Any], model: Model, size: int, given: dict[str, tuple[ArrayLike, Index]]
) -> Array:
    """Each joint's own method, on arrays of components (never numbers); float32 if all arrays are."""
    arrays = [_array(model, method, name, x, at[-1].stop) for name, (x, at) in given.items()]
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
        for body, *places in zip(model.bodies, *(at for _, at in given.values()), strict=True):
            columns = [x[:, at].T.astype(float) for x, at in zip(tables, places, strict=True)]
            for component in own(body.joint)(*columns):
                found[:, start] = component
                start += 1
    return found.reshape(*batch, size)


def _array(model: Model, method: str, name: str, given: ArrayLike, size: int) -> Array:
    try:
        array = np.asarray(given)
    except ValueError:
        raise ShapeError(f"{method}: {name} is ragged; its rows must have equal lengths") from None
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{method}: {name} must be real numbers, not {array.dtype}")
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{method}: {name} has shape {array.shape}, but robot '{model.name}' needs (..., {size})")
    return array
