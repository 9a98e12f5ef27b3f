"""Linear models, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.linear_models import linearize
from revolute.functions.signature import Function, Signature, position, rate
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _linearize(robot: Robot) -> Signature:
    n = robot.nv

    def body(q: Any, qd: Any, tau: Any) -> Any:
        return [[x for row in rows for x in row] for rows in linearize(reduced(robot), q, qd, tau)]

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "tau"))
    return Signature("linearize", inputs, (("A", (2 * n, 2 * n)), ("B", (2 * n, n))), body)


FUNCTIONS: dict[str, Function] = {
    "linearize": Function(_linearize),
}
