"""Recursions of the equations of motion in task space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revolute.dynamics import linear_models
from revolute.dynamics import task_space as recursions
from revolute.dynamics.kinematics import check_reference
from revolute.dynamics.mobility import ALL, Task
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = [
    "check",
    "check_square",
    "dynamically_consistent_inverse",
    "linearize_task",
    "task_space_dynamics",
    "task_space_forces",
]

Scalars = Sequence[Scalar]
Rows = tuple[int, ...]
Wrenches = Mapping[str, Scalars] | None


def check(model: Model, frame: str, reference: str = "body", rows: Rows = ALL) -> None:
    """An error unless there are such a link frame, frame of reference and rows."""
    model.frame(frame)
    check_reference(reference)
    valid = isinstance(rows, tuple) and all(type(row) is int and 0 <= row <= 5 for row in rows)
    if not valid or not rows or len(set(rows)) != len(rows):
        raise InputError(f"rows must be different ones of 0 ... 5, for wx, wy, wz, vx, vy, vz, not {rows}")


def check_square(
    model: Model, frame: str, reference: str = "body", rows: Rows = ALL, freedoms: int | None = None
) -> None:
    """As `check`, and there are as many rows as degrees of freedom, by default those of the model."""
    check(model, frame, reference, rows)
    n = model.nv if freedoms is None else freedoms
    if len(rows) != n:
        raise InputError(
            f"linearize_task: a robot of {n} degrees of freedom needs {n} rows of a link's twist as its "
            f"coordinates, not {len(rows)}: BP 7.4 is about arms that are not redundant"
        )


def task_space_dynamics(
    model: Model,
    q: Scalars,
    qd: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    damping: Scalars = (0,),
    wrenches: Wrenches = None,
) -> Any:
    """Lambda, mu, p, e, and the check for singular rows: see `Mobility.check`."""
    task = Task(frame, reference, rows)
    *results, mobility = recursions.task_space_dynamics(model, q, qd, task, damping[0], wrenches)
    return *results, mobility.check()


def task_space_forces(
    model: Model,
    q: Scalars,
    qd: Scalars,
    acceleration: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    damping: Scalars = (0,),
    wrenches: Wrenches = None,
) -> Any:
    """tau, F, and the check."""
    task = Task(frame, reference, rows)
    *results, mobility = recursions.task_space_forces(model, q, qd, acceleration, task, damping[0], wrenches)
    return *results, mobility.check()


def dynamically_consistent_inverse(
    model: Model, q: Scalars, frame: str, reference: str = "body", rows: Rows = ALL, damping: Scalars = (0,)
) -> Any:
    """Jbar, and the check."""
    inverse, mobility = recursions.dynamically_consistent_inverse(model, q, Task(frame, reference, rows), damping[0])
    return inverse, mobility.check()


def linearize_task(
    model: Model,
    q: Scalars,
    qd: Scalars,
    qdd: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    wrenches: Wrenches = None,
) -> Any:
    """D, V, P, and the check."""
    task = Task(frame, reference, rows)
    *matrices, mobility = linear_models.linearize_task(model, q, qd, qdd, task, wrenches)
    return *matrices, mobility.check()
