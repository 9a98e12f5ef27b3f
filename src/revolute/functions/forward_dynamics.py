"""Accelerations of given forces, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.articulated_body import articulated_body
from revolute.functions.signature import Function, Signature, position, rate
from revolute.graph import Input
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _forward_dynamics(robot: Robot, wrenches: tuple[str, ...] = ()) -> Signature:
    loads = tuple(Input(f"wrench on '{name}'", (6,), "m, f") for name in wrenches)
    for name in wrenches:
        robot.frame(name)

    def body(q: Any, qd: Any, tau: Any, *applied: Any) -> Any:
        return articulated_body(reduced(robot), q, qd, tau, dict(zip(wrenches, applied, strict=True)))

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "tau"), *loads)
    return Signature("forward_dynamics", inputs, (("qdd", (robot.nv,)),), body)


FUNCTIONS: dict[str, Function] = {
    "forward_dynamics": Function(_forward_dynamics, frozenset({"wrenches"})),
}
