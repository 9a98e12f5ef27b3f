"""Joint forces of a simulation: none, constant, a table over time, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.model.model import Model

__all__ = ["Torque", "source"]

Array = NDArray[Any]
Torque = Callable[..., Array]
"""(number of the span, time, *state) -> (..., nv) joint forces; a span begins at the instant of its number."""


def source(robot: Model, torque: Any, t: Array, batch: tuple[int, ...]) -> Torque:
    """The joint forces as a function that checks what it returns.

    A table's row holds from its instant to the next. A user's function gets read-only copies of the
    state, and its result is copied, so that it cannot change the motion later.

    Raises:
        ShapeError: an array is neither (nv,) nor (..., T, nv).
        DtypeError: it does not hold real numbers.
    """
    if torque is None:
        torque = np.zeros(robot.nv)
    if callable(torque):
        return _checked(robot, torque, batch)
    return _table(robot, torque, t, batch)


def _table(robot: Model, torque: ArrayLike, t: Array, batch: tuple[int, ...]) -> Torque:
    table = float_copy("simulate: torque", torque)
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        raise InputError(f"simulate: torque is not finite at {tuple(map(int, bad[0]))}")
    if table.shape == (robot.nv,):
        constant = np.broadcast_to(table, (*batch, robot.nv))
        return lambda k, time, *state: constant
    if table.ndim < 2 or table.shape[-2:] != (len(t), robot.nv):
        raise ShapeError(
            f"simulate: torque has shape {table.shape}, but robot '{robot.name}' needs ({robot.nv},), "
            f"(..., {len(t)}, {robot.nv}) with a row for every instant of t, or a function"
        )
    try:
        rows = np.broadcast_to(table, (*batch, len(t), robot.nv))
    except ValueError:
        raise ShapeError(f"simulate: torque has the batch {table.shape[:-2]}, but the states have {batch}") from None
    return lambda k, time, *state: rows[..., k, :]


def _checked(robot: Model, torque: Callable[..., Any], batch: tuple[int, ...]) -> Torque:
    shape = (*batch, robot.nv)

    def call(k: int, time: float, *state: Array) -> Array:
        what = f"simulate: torque(t={time:g} s)"
        try:
            result = torque(time, *map(_read_only_copy, state))
        except Exception as error:
            hint = "; its arguments are read-only: change a copy" if "read-only" in str(error) else ""
            raise SimulationError(f"{what} raised {type(error).__name__}: {error}{hint}") from error
        try:
            tau = float_copy(what, result)
        except InputError as error:
            raise SimulationError(str(error)) from error
        if tau.shape not in (shape, shape[-1:]):
            raise SimulationError(f"{what} has shape {tau.shape}, but {shape} is needed")
        full = np.broadcast_to(tau, shape)
        if not np.isfinite(full).all():
            name = robot.coordinate_names[int(np.argwhere(~np.isfinite(full))[0, -1])]
            raise SimulationError(f"{what} is not finite for joint '{name}'")
        return full

    return call


def _read_only_copy(x: Array) -> Array:
    copy = x.copy()
    copy.flags.writeable = False
    return copy
