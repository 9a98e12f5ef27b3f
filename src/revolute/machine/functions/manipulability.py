"""Recursions of manipulability and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.manipulability import guarded_inverse, squared_manipulability
from revolute.dynamics.mobility import ALL, Task
from revolute.errors import InputError
from revolute.machine.functions import task_space
from revolute.machine.functions.tangents import gradient_by_positions
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars, sqrt

__all__ = ["NAMED_ROWS", "check", "gradient", "manipulability", "manipulability_gradient", "numbers"]

Rows = str | tuple[int, ...] | None

NAMED_ROWS = {"all": ALL, "angular": ALL[:3], "linear": ALL[3:]}


def check(model: Model, frame: str, reference: str = "body", rows: Rows = None) -> None:
    """Raise if the link frame, the frame of reference or a row does not exist."""
    if isinstance(rows, str) and rows not in NAMED_ROWS:
        raise InputError(f"rows must be 'all', 'angular', 'linear' or a tuple of some of 0 ... 5, not {rows!r}")
    task_space.check(model, frame, reference, numbers(rows))


def manipulability(model: Model, q: Scalars, frame: str, reference: str = "body", rows: Rows = None) -> Any:
    """w."""
    return sqrt(squared_manipulability(_jacobian(model, q, frame, reference, rows)))


def manipulability_gradient(model: Model, q: Scalars, frame: str, reference: str = "body", rows: Rows = None) -> Any:
    """dw/dq."""
    return gradient(model, q, _jacobian(model, q, frame, reference, rows))


def _jacobian(model: Model, q: Scalars, frame: str, reference: str, rows: Rows) -> list[list[Scalar]]:
    """The task's rows of J."""
    return Task(frame, reference, numbers(rows)).of(jacobian(model, q, frame, reference))


def gradient(space: Model, q: Scalars, J: Sequence[Scalars]) -> Any:
    """dw/dq = d(w^2)/dq / (2 w); q are positions of the joints of `space`."""
    squared = squared_manipulability(J)
    share = guarded_inverse(sqrt(squared)) * 0.5
    return [x * share for x in gradient_by_positions(space, squared, q)]


def numbers(rows: Rows) -> tuple[int, ...]:
    """Rows of a twist, from their name or as they are; all if None."""
    return NAMED_ROWS[rows or "all"] if rows is None or isinstance(rows, str) else rows
