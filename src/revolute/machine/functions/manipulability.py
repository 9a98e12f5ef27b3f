"""Recursions of manipulability and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics.manipulability import guarded_inverse, squared_manipulability
from revolute.dynamics.task_space import ALL, Task
from revolute.errors import InputError
from revolute.machine.functions import task_space
from revolute.machine.functions.tangents import gradient_by_positions
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, sqrt

__all__ = ["check", "manipulability", "manipulability_gradient"]

Scalars = Sequence[Scalar]
Rows = str | tuple[int, ...]

_NAMED = {"all": ALL, "angular": ALL[:3], "linear": ALL[3:]}


def check(model: Model, frame: str, reference: str = "body", rows: Rows = "all") -> None:
    """There are such a link frame, frame of reference and rows."""
    if isinstance(rows, str) and rows not in _NAMED:
        raise InputError(f"rows must be 'all', 'angular', 'linear' or a tuple of some of 0 ... 5, not {rows!r}")
    task_space.check(model, frame, reference, _numbers(rows))


def manipulability(model: Model, q: Scalars, frame: str, reference: str = "body", rows: Rows = "all") -> Any:
    """w."""
    return sqrt(squared_manipulability(model, q, Task(frame, reference, _numbers(rows))))


def manipulability_gradient(model: Model, q: Scalars, frame: str, reference: str = "body", rows: Rows = "all") -> Any:
    """dw/dq = d(w^2)/dq / (2 w)."""
    squared = squared_manipulability(model, q, Task(frame, reference, _numbers(rows)))
    share = guarded_inverse(sqrt(squared)) * 0.5
    return [x * share for x in gradient_by_positions(model, squared, q)]


def _numbers(rows: Rows) -> tuple[int, ...]:
    return _NAMED[rows] if isinstance(rows, str) else rows
