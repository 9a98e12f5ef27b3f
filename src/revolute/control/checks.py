"""Checks of the arguments of controllers and filters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy, instance, instances, nearest, number
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["coordinates", "machine", "positive_definite", "positive_semidefinite", "row", "seconds", "table"]

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""Eigenvalues and differences below this share of a matrix's size are rounding."""


def machine(what: str, robot: Any) -> Any:
    """A robot, with drives or without, or `InputError`."""
    return instance(f"{what}: robot", robot, (Robot, DrivenRobot))


def seconds(what: str, x: Any) -> float:
    """A positive time, or `InputError`."""
    value = number(what, x)
    if not 0 < value < math.inf:
        raise InputError(f"{what} must be a positive time [s], not {x!r}")
    return value


def row(what: str, x: ArrayLike, n: int) -> Array:
    """n finite numbers; a single number counts for all of them.

    Raises:
        ShapeError: another number of them.
        InputError: one is not finite.
    """
    values = float_copy(what, x)
    if values.shape not in ((), (n,)):
        raise ShapeError(f"{what} has shape {values.shape}, but ({n},) or one number is needed")
    if not np.isfinite(values).all():
        raise InputError(f"{what} is not finite")
    return np.broadcast_to(values, (n,)).copy()


def table(what: str, x: ArrayLike, shape: tuple[int, ...], owner: str) -> Array:
    """Finite numbers of this shape.

    Raises:
        ShapeError: another shape.
        InputError: one is not finite.
    """
    values = float_copy(what, x)
    if values.shape != shape:
        raise ShapeError(f"{what} has shape {values.shape}, but robot '{owner}' needs {shape}")
    if not np.isfinite(values).all():
        raise InputError(f"{what} is not finite")
    return values


def positive_semidefinite(what: str, x: ArrayLike, n: int) -> Array:
    """A symmetric matrix (n, n) without negative eigenvalues, from itself or from its diagonal (n,).

    Raises:
        ShapeError: another shape.
        InputError: not finite, not symmetric, or with a negative eigenvalue.
    """
    return _symmetric(what, x, n, "positive semi-definite", lambda lowest, size: lowest >= -ROUNDING * size)


def positive_definite(what: str, x: ArrayLike, n: int) -> Array:
    """A symmetric matrix (n, n) with positive eigenvalues, from itself or from its diagonal (n,).

    Raises:
        ShapeError: another shape.
        InputError: not finite, not symmetric, or with an eigenvalue that is not positive.
    """
    return _symmetric(what, x, n, "positive definite", lambda lowest, size: lowest > 0)


def _symmetric(what: str, x: ArrayLike, n: int, kind: str, allowed: Any) -> Array:
    values = float_copy(what, x)
    if values.shape not in ((n,), (n, n)):
        raise ShapeError(f"{what} has shape {values.shape}, but ({n},), a diagonal, or ({n}, {n}) is needed")
    if not np.isfinite(values).all():
        raise InputError(f"{what} is not finite")
    if values.ndim == 1:
        lowest = float(values.min(initial=math.inf))
        matrix = np.diag(values)
    else:
        size = float(np.abs(values).max(initial=0.0))
        if np.abs(values - values.T).max(initial=0.0) > 1e3 * ROUNDING * size:
            raise InputError(f"{what} is not symmetric; give (X + X.T) / 2 if that is meant")
        matrix = (values + values.T) / 2
        lowest = float(np.linalg.eigvalsh(matrix).min(initial=math.inf))
    if not allowed(lowest, float(np.abs(matrix).max(initial=0.0))):
        raise InputError(f"{what} is not {kind}: its lowest eigenvalue is {lowest:.3g}")
    return matrix


def coordinates(what: str, names: Sequence[str] | None, known: Sequence[str]) -> list[int]:
    """The places of coordinates by their names; all of them for None.

    Raises:
        UnknownNameError: no such coordinate.
        InputError: none at all, or one twice.
    """
    if names is None:
        return list(range(len(known)))
    wanted = instances(what, names, str)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"{what}: no coordinate '{name}'; {nearest(name, known)}")
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(f"{what} must name at least one coordinate, and each once, not {names!r}")
    return [list(known).index(name) for name in wanted]
