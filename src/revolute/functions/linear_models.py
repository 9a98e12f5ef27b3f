"""Linear models, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.linear_models import linearize, linearize_task
from revolute.dynamics.task_space import ALL
from revolute.errors import InputError
from revolute.functions.signature import Function, Signature, position, rate
from revolute.functions.task_space import check_output, chosen_task
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _linearize(robot: Robot) -> Signature:
    n = robot.nv

    def body(q: Any, qd: Any, tau: Any) -> Any:
        return [[x for row in rows for x in row] for rows in linearize(reduced(robot), q, qd, tau)]

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "tau"))
    return Signature("linearize", inputs, (("A", (2 * n, 2 * n)), ("B", (2 * n, n))), body)


def _linearize_task(robot: Robot, frame: str, reference: str = "body", rows: tuple[int, ...] = ALL) -> Signature:
    task, n = chosen_task(robot, frame, reference, rows), robot.nv
    if len(rows) != n:
        raise InputError(
            f"linearize_task: a robot of {n} degrees of freedom needs {n} rows of a link's twist as its "
            f"coordinates, not {len(rows)}: BP 7.4 is about arms that are not redundant"
        )

    def body(q: Any, qd: Any, qdd: Any) -> Any:
        *matrices, found = linearize_task(reduced(robot), q, qd, qdd, task)
        return [[x for row in rows for x in row] for rows in (*matrices, found.check())]

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "qdd"))
    outputs = (("D", (n, n)), ("V", (n, n)), ("P", (n, n)), check_output(task))
    return Signature("linearize_task", inputs, outputs, body)


FUNCTIONS: dict[str, Function] = {
    "linearize": Function(_linearize, inverts=True),
    "linearize_task": Function(_linearize_task, frozenset({"frame", "reference", "rows"})),
}
