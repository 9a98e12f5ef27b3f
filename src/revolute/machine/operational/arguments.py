"""Arguments of `Robot.operational_space`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from revolute.arguments import user_scalars
from revolute.errors import GraphError, InputError, ModelError
from revolute.graph import Input, trace
from revolute.machine.functions.operational_coordinates import (
    EulerCoordinates,
    OperationalCoordinates,
    QuaternionCoordinates,
    UserCoordinates,
)
from revolute.model.joints import SphericalEuler
from revolute.model.symbols import numeric

if TYPE_CHECKING:
    from revolute.machine.robot import Robot


def operational_coordinates(
    robot: Robot, task: str | Callable[..., Any], orientation: str | None, rows: Sequence[int] | None
) -> OperationalCoordinates:
    """The coordinates that the arguments of `Robot.operational_space` describe. Raise for invalid arguments."""
    if callable(task):
        if orientation is not None or rows is not None:
            raise InputError("operational_space: orientation and rows apply only to a link, not to a function h")
        return UserCoordinates(task, _number(robot, task))
    if not isinstance(task, str):
        raise InputError(f"operational_space: give the name of a link, or a function h(model, q), not {task!r}")
    robot.frame(task)
    if isinstance(orientation, str) and orientation == "quaternion":
        if rows is not None:
            raise InputError("operational_space: rows select Euler angles and x, y, z; a quaternion cannot be split")
        return QuaternionCoordinates(task)
    sequence = "ZYX" if orientation is None else orientation
    try:
        SphericalEuler(sequence)
    except ModelError as error:
        raise InputError(f"operational_space: orientation must be 'quaternion' or Euler angles; {error}") from None
    return EulerCoordinates(task, sequence, _rows(rows))


def _rows(rows: Sequence[int] | None) -> tuple[int, ...]:
    if rows is None:
        return (0, 1, 2, 3, 4, 5)
    try:
        chosen = tuple(index(row) for row in rows if not isinstance(row, bool))
        valid = 0 < len(chosen) == len(rows) == len(set(chosen)) and set(chosen) <= set(range(6))
    except TypeError:
        valid = False
    if not valid:
        raise InputError(
            f"operational_space: rows must be distinct numbers in 0 ... 5, for three angles and x, y, z, not {rows!r}"
        )
    return chosen


def _number(robot: Robot, h: Callable[..., Any]) -> int:
    number = 0

    def body(q: Any) -> list[Any]:
        nonlocal number
        x = user_scalars("operational_space: h(model, q)", h, numeric(robot, "operational_space"), q)
        number = len(x)
        return [("x", (number,), x)]

    try:
        trace("h", body, [Input("q", (robot.nq,), "nq")])
    except (GraphError, TypeError) as error:
        raise InputError(f"operational_space: h(model, q) must return real scalars; {error}") from error
    return number
