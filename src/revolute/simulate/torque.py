"""Joint forces of a simulation: none, constant, a table over time, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.errors import DtypeError, InputError, ShapeError, SimulationError
from revolute.robot import Robot

__all__ = ["Torque", "source"]

Array = NDArray[Any]
Torque = Callable[[int, float, Array, Array], Array]
"""(index of the instant, time, q, qd) -> (..., nv) joint forces."""


def source(robot: Robot, torque: Any, t: Array, batch: tuple[int, ...]) -> Torque:
    """The joint forces as a function that checks what it gives.

    Raises:
        ShapeError: an array is neither (nv,) nor (..., T, nv).
    """
    if torque is None:
        still = np.zeros((*batch, robot.nv))
        return lambda k, time, q, qd: still
    if callable(torque):
        return _checked(robot, torque, batch)
    return _table(robot, torque, t, batch)


def _table(robot: Robot, torque: ArrayLike, t: Array, batch: tuple[int, ...]) -> Torque:
    try:
        table = np.asarray(torque, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise DtypeError(f"simulate: torque must be real numbers or a function, not {torque!r}") from None
    wrong = ~np.isfinite(table)
    if wrong.any():
        raise InputError(f"simulate: torque is not finite at {tuple(int(k) for k in np.argwhere(wrong)[0])}")
    if table.shape == (robot.nv,):
        constant = np.broadcast_to(table, (*batch, robot.nv))
        return lambda k, time, q, qd: constant
    if table.ndim < 2 or table.shape[-2:] != (len(t), robot.nv):
        raise ShapeError(
            f"simulate: torque has shape {table.shape}, but robot '{robot.name}' needs ({robot.nv},), "
            f"(..., {len(t)}, {robot.nv}) with a row for every instant of t, or a function"
        )
    try:
        rows = np.broadcast_to(table, (*batch, len(t), robot.nv))
    except ValueError:
        raise ShapeError(f"simulate: torque has the batch {table.shape[:-2]}, but the states have {batch}") from None
    return lambda k, time, q, qd: rows[..., k, :]


def _checked(robot: Robot, torque: Callable[..., Any], batch: tuple[int, ...]) -> Torque:
    shape = (*batch, robot.nv)

    def call(k: int, time: float, q: Array, qd: Array) -> Array:
        try:
            tau = np.asarray(torque(time, q, qd), dtype=float)
        except Exception as error:
            raise SimulationError(f"simulate: torque(t={time:g} s) raised {type(error).__name__}: {error}") from error
        if tau.shape not in (shape, shape[-1:]):
            raise SimulationError(
                f"simulate: torque(t={time:g} s) has shape {tau.shape}, but {shape} is needed"
            )
        full = np.broadcast_to(tau, shape)
        wrong = ~np.isfinite(full).reshape(-1, robot.nv).all(axis=0)
        if wrong.any():
            name = robot.coordinate_names[int(np.argmax(wrong))]
            raise SimulationError(f"simulate: torque(t={time:g} s) is not finite for joint '{name}'")
        return full

    return call
