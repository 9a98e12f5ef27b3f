"""Errors of closed loops, and their derivatives, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.closures import Closure
from revolute.functions.signature import Function, Signature, position, rate
from revolute.functions.tangents import along_motion, by_positions
from revolute.reduce import aligned
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]

Closures = tuple[Closure, ...]


def _errors(robot: Robot, closures: Closures, q: Any) -> list[Any]:
    turned = aligned(robot)
    return [x for closure in closures for x in closure.error(turned, q)]


def _rows(closures: Closures) -> int:
    return sum(len(closure.row_names()) for closure in closures)


def _closure_error(robot: Robot, closures: Closures) -> Signature:
    return Signature(
        "closure_error",
        (position(robot),),
        (("e", (_rows(closures),)),),
        lambda q: _errors(robot, closures, q),
    )


def _closure_jacobian(robot: Robot, closures: Closures) -> Signature:
    def body(q: Any) -> list[Any]:
        return [x for row in by_positions(robot, _errors(robot, closures, q), q) for x in row]

    return Signature("closure_jacobian", (position(robot),), (("J", (_rows(closures), robot.nv)),), body)


def _closure_drift(robot: Robot, closures: Closures) -> Signature:
    def body(q: Any, qd: Any) -> list[Any]:
        rates = along_motion(robot, _errors(robot, closures, q), q, qd)
        return along_motion(robot, rates, q, qd)

    inputs = (position(robot), rate(robot, "qd"))
    return Signature("closure_drift", inputs, (("Jd qd", (_rows(closures),)),), body)


_OPTIONS = frozenset({"closures"})

FUNCTIONS: dict[str, Function] = {
    "closure_error": Function(_closure_error, _OPTIONS),
    "closure_jacobian": Function(_closure_jacobian, _OPTIONS),
    "closure_drift": Function(_closure_drift, _OPTIONS),
}
