"""Recursions of the equations of motion in task space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from revolute.dynamics import linear_models
from revolute.dynamics import task_space as recursions
from revolute.dynamics.kinematics import check_reference
from revolute.dynamics.mobility import ALL, Task
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial.scalar import Scalars, Wrenches

__all__ = [
    "check", "check_square", "dynamically_consistent_inverse", "linearize_task", "of_task", "task_space_dynamics",
    "task_space_forces",
]

Rows = tuple[int, ...]


def check(model: Model, frame: str, reference: str = "body", rows: Rows = ALL) -> None:
    """Raise if the link frame, the frame of reference or a row does not exist."""
    model.frame(frame)
    check_reference(reference)
    valid = isinstance(rows, tuple) and all(type(row) is int and 0 <= row <= 5 for row in rows)
    if not valid or not rows or len(set(rows)) != len(rows):
        raise InputError(f"rows must be different ones of 0 ... 5, for wx, wy, wz, vx, vy, vz, not {rows}")


def check_square(
    model: Model, frame: str, reference: str = "body", rows: Rows = ALL, freedoms: int | None = None
) -> None:
    """As `check`. Raise unless there are as many rows as degrees of freedom, by default those of the model."""
    check(model, frame, reference, rows)
    n = model.nv if freedoms is None else freedoms
    if len(rows) != n:
        raise InputError(
            f"linearize_task: a robot of {n} degrees of freedom needs {n} rows of a link's twist as its "
            f"coordinates, not {len(rows)}: BP 7.4 is about arms that are not redundant"
        )


def of_task(recursion: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion of a `Task`, by the name of its frame; last comes the check for singular rows: `Mobility.check`."""

    def of_frame(
        *arguments: Any, frame: str, reference: str = "body", rows: Rows = ALL, damping: Scalars = (0,),
        wrenches: Wrenches = None,
    ) -> Any:
        options = {"damping": damping[0], "wrenches": wrenches}
        taken = {name: x for name, x in options.items() if name in recursion.__code__.co_varnames}
        *results, mobility = recursion(*arguments, task=Task(frame, reference, rows), **taken)
        return *results, mobility.check()

    return of_frame


task_space_dynamics = of_task(recursions.task_space_dynamics)
task_space_forces = of_task(recursions.task_space_forces)
dynamically_consistent_inverse = of_task(recursions.dynamically_consistent_inverse)
linearize_task = of_task(linear_models.linearize_task)
