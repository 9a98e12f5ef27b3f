"""The equations of motion in task space, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import Function, Shape, Signature, flat, position, rate
from revolute.dynamics.kinematics import check_reference
from revolute.dynamics.task_space import (
    ALL,
    Task,
    dynamically_consistent_inverse,
    task_space_dynamics,
    task_space_forces,
)
from revolute.errors import InputError
from revolute.graph import Input
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS", "check_output", "chosen_task"]

OPTIONS = frozenset({"frame", "reference", "rows", "damped"})


def chosen_task(model: Model, frame: str, reference: str, rows: tuple[int, ...]) -> Task:
    """The task of these options.

    Raises:
        UnknownNameError: no link of that name.
        InputError: no such reference, or no such rows.
    """
    model.frame(frame)
    check_reference(reference)
    known = isinstance(rows, tuple) and all(isinstance(row, int) and 0 <= row <= 5 for row in rows)
    if not known or not rows or len(set(rows)) != len(rows):
        raise InputError(f"rows must be different ones of 0 ... 5, for wx, wy, wz, vx, vy, vz, not {rows}")
    return Task(frame, reference, rows)


def _extra(damped: bool) -> tuple[Input, ...]:
    return (Input("damping", (), "lambda"),) if damped else ()


def check_output(task: Task) -> tuple[str, Shape]:
    """The output that tells singular states: see `Mobility.check`."""
    return "check", (len(task.rows), 4)


def _task_space_dynamics(
    model: Model, frame: str, reference: str = "body", rows: tuple[int, ...] = ALL, damped: bool = False
) -> Signature:
    task = chosen_task(model, frame, reference, rows)
    m = len(rows)

    def body(q: Any, qd: Any, *damping: Any) -> Any:
        inertia, mu, p, found = task_space_dynamics(reduced(model), q, qd, task, *_first(damping))
        return flat(inertia), mu, p, flat(found.check())

    inputs = (position(model), rate(model, "qd"), *_extra(damped))
    outputs = (("Lambda", (m, m)), ("mu", (m,)), ("p", (m,)), check_output(task))
    return Signature("task_space_dynamics", inputs, outputs, body)


def _dynamically_consistent_inverse(
    model: Model, frame: str, reference: str = "body", rows: tuple[int, ...] = ALL, damped: bool = False
) -> Signature:
    task = chosen_task(model, frame, reference, rows)

    def body(q: Any, *damping: Any) -> Any:
        inverse, found = dynamically_consistent_inverse(reduced(model), q, task, *_first(damping))
        return flat(inverse), flat(found.check())

    inputs = (position(model), *_extra(damped))
    outputs = (("inverse", (model.nv, len(rows))), check_output(task))
    return Signature("dynamically_consistent_inverse", inputs, outputs, body)


def _task_space_forces(
    model: Model, frame: str, reference: str = "body", rows: tuple[int, ...] = ALL, damped: bool = False
) -> Signature:
    task = chosen_task(model, frame, reference, rows)

    def body(q: Any, qd: Any, acceleration: Any, *damping: Any) -> Any:
        tau, F, found = task_space_forces(reduced(model), q, qd, acceleration, task, *_first(damping))
        return tau, F, flat(found.check())

    inputs = (position(model), rate(model, "qd"), Input("acceleration", (len(rows),), "rows"), *_extra(damped))
    outputs = (("tau", (model.nv,)), ("F", (len(rows),)), check_output(task))
    return Signature("task_space_forces", inputs, outputs, body)


def _first(damping: Any) -> tuple[Any, ...]:
    """The scalar of a scalar input, where there is one."""
    return tuple(x[0] for x in damping)


FUNCTIONS: dict[str, Function] = {
    name: Function(make, OPTIONS, inverts=True, needed=frozenset({"frame"}))
    for name, make in {
        "task_space_dynamics": _task_space_dynamics,
        "dynamically_consistent_inverse": _dynamically_consistent_inverse,
        "task_space_forces": _task_space_forces,
    }.items()
}
