"""Linear models, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.linear_models import linearize, linearize_task
from revolute.dynamics.task_space import ALL
from revolute.errors import InputError
from revolute.machine.functions.task_space import check_output, chosen_task
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]


def _linearize(model: Model) -> Signature:
    n = model.nv

    def body(q: Any, qd: Any, tau: Any) -> Any:
        return [[x for row in rows for x in row] for rows in linearize(reduced(model), q, qd, tau)]

    inputs = (position(model), rate(model, "qd"), rate(model, "tau"))
    return Signature("linearize", inputs, (("A", (2 * n, 2 * n)), ("B", (2 * n, n))), body)


def _linearize_task(model: Model, frame: str, reference: str = "body", rows: tuple[int, ...] = ALL) -> Signature:
    task, n = chosen_task(model, frame, reference, rows), model.nv
    if len(rows) != n:
        raise InputError(
            f"linearize_task: a robot of {n} degrees of freedom needs {n} rows of a link's twist as its "
            f"coordinates, not {len(rows)}: BP 7.4 is about arms that are not redundant"
        )

    def body(q: Any, qd: Any, qdd: Any) -> Any:
        *matrices, found = linearize_task(reduced(model), q, qd, qdd, task)
        return [[x for row in rows for x in row] for rows in (*matrices, found.check())]

    inputs = (position(model), rate(model, "qd"), rate(model, "qdd"))
    outputs = (("D", (n, n)), ("V", (n, n)), ("P", (n, n)), check_output(task))
    return Signature("linearize_task", inputs, outputs, body)


FUNCTIONS: dict[str, Function] = {
    "linearize": Function(_linearize, inverts=True),
    "linearize_task": Function(_linearize_task, frozenset({"frame", "reference", "rows"}), needed=frozenset({"frame"})),
}
