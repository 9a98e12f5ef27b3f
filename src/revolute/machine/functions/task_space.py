"""Recursions of the equations of motion in task space; manipulability and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from revolute.dynamics import linear_models
from revolute.dynamics import task_space as recursions
from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.kinematics import check_reference
from revolute.dynamics.manipulability import guarded_inverse, squared_manipulability
from revolute.dynamics.mobility import ALL, TwistRows
from revolute.errors import InputError
from revolute.machine.functions.traced import gradient_by_positions
from revolute.model.model import Model
from revolute.spatial import Scalar, Scalars, Tree, Wrenches, sqrt

Rows = tuple[int, ...]


def check(model: Model, frame: str, reference: str = "body", rows: Rows = ALL) -> None:
    """Raise an error if the link frame, the frame of reference or a row does not exist."""
    model.frame(frame)
    check_reference(reference)
    valid = isinstance(rows, tuple) and all(type(row) is int and 0 <= row <= 5 for row in rows)
    if not valid or not rows or len(set(rows)) != len(rows):
        raise InputError(f"rows must be distinct numbers in 0 ... 5, for wx, wy, wz, vx, vy, vz, not {rows}")


def check_square(
    model: Model, frame: str, reference: str = "body", rows: Rows = ALL, freedoms: int | None = None
) -> None:
    """Run `check`, and raise unless there are as many rows as degrees of freedom, by default those of the model."""
    check(model, frame, reference, rows)
    n = model.nv if freedoms is None else freedoms
    if len(rows) != n:
        raise InputError(
            f"linearize_task: a robot of {n} degrees of freedom needs {n} rows of a link's twist as its "
            f"coordinates, not {len(rows)}: BP section 7.4 applies only to non-redundant arms"
        )


def of_task(recursion: Callable[..., Any]) -> Callable[..., Any]:
    """Convert a recursion of a task to one of rows of a link's twist, with `Mobility.check` as the last result."""

    def of_frame(
        *arguments: Any, frame: str, reference: str = "body", rows: Rows = ALL, damping: Scalars = (0,),
        wrenches: Wrenches = None,
    ) -> Tree:
        options = {"damping": damping[0], "wrenches": wrenches}
        taken = {name: x for name, x in options.items() if name in recursion.__code__.co_varnames}
        *results, mobility = recursion(*arguments, task=TwistRows(frame, reference, rows), **taken)
        return *results, mobility.check()

    return of_frame


task_space_dynamics = of_task(recursions.task_space_dynamics)
task_space_forces = of_task(recursions.task_space_forces)
dynamically_consistent_inverse = of_task(recursions.dynamically_consistent_inverse)
linearize_task = of_task(linear_models.linearize_task)


Named = str | tuple[int, ...] | None
NAMED_ROWS = {"all": ALL, "angular": ALL[:3], "linear": ALL[3:]}


def check_rows(model: Model, frame: str, reference: str = "body", rows: Named = None) -> None:
    """Raise an error if the link frame, the frame of reference or a row does not exist."""
    if isinstance(rows, str) and rows not in NAMED_ROWS:
        raise InputError(f"rows must be 'all', 'angular', 'linear' or a tuple with some of 0 ... 5, not {rows!r}")
    check(model, frame, reference, numbers(rows))


def manipulability(model: Model, q: Scalars, frame: str, reference: str = "body", rows: Named = None) -> Tree:
    """w."""
    return sqrt(squared_manipulability(_jacobian(model, q, frame, reference, rows)))


def manipulability_gradient(model: Model, q: Scalars, frame: str, reference: str = "body", rows: Named = None) -> Tree:
    """dw/dq."""
    return gradient(model, q, _jacobian(model, q, frame, reference, rows))


def _jacobian(model: Model, q: Scalars, frame: str, reference: str, rows: Named) -> list[list[Scalar]]:
    return TwistRows(frame, reference, numbers(rows)).of(jacobian(model, q, frame, reference))


def gradient(space: Model, q: Scalars, J: Sequence[Scalars]) -> Tree:
    """dw/dq = d(w^2)/dq / (2 w); q are positions of the joints of `space`."""
    squared = squared_manipulability(J)
    share = guarded_inverse(sqrt(squared)) * 0.5
    return [x * share for x in gradient_by_positions(space, squared, q)]


def numbers(rows: Named) -> tuple[int, ...]:
    """Numbers of rows of a twist, from a name in `NAMED_ROWS` or from numbers; all rows if None."""
    return NAMED_ROWS[rows or "all"] if rows is None or isinstance(rows, str) else rows


def frame_rows(caller: str, rows: Any) -> tuple[int, ...]:
    """Numbers of rows of a twist, from a name or numbers; all rows if None. Error messages name the `caller`."""
    if rows is None or (isinstance(rows, str) and rows in NAMED_ROWS):
        return numbers(rows)
    try:
        if isinstance(rows, str) or any(isinstance(row, bool) for row in rows):
            raise TypeError
        return tuple(index(row) for row in rows)
    except TypeError:
        raise InputError(
            f"{caller}: rows must be 'all', 'angular', 'linear' or some of 0 ... 5, for wx, wy, wz, vx, vy, vz, "
            f"not {rows!r}"
        ) from None
