"""Inverse dynamics and its parts, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.newton_euler import newton_euler
from revolute.functions.signature import Function, Signature, position, rate
from revolute.graph import Input
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _inverse_dynamics(robot: Robot, wrenches: tuple[str, ...] = (), base_motion: bool = False) -> Signature:
    loads = tuple(Input(f"wrench on '{name}'", (6,), "m, f") for name in wrenches)
    moving = (Input("base_twist", (6,), "w, v"), Input("base_acceleration", (6,), "wd, vd")) if base_motion else ()
    for name in wrenches:
        robot.frame(name)

    def body(q: Any, qd: Any, qdd: Any, *rest: Any) -> Any:
        applied = dict(zip(wrenches, rest, strict=False))
        return newton_euler(reduced(robot), q, qd, qdd, applied, *rest[len(wrenches) :])

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "qdd"), *loads, *moving)
    return Signature("inverse_dynamics", inputs, (("tau", (robot.nv,)),), body)


def _bias_forces(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "bias_forces",
        (position(robot), rate(robot, "qd")),
        (("tau", (robot.nv,)),),
        lambda q, qd: newton_euler(reduced(robot), q, qd, still),
    )


def _gravity_forces(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "gravity_forces",
        (position(robot),),
        (("tau", (robot.nv,)),),
        lambda q: newton_euler(reduced(robot), q, still, still),
    )


FUNCTIONS = {
    "inverse_dynamics": Function(_inverse_dynamics, frozenset({"wrenches", "base_motion", "parameters"})),
    "bias_forces": Function(_bias_forces, frozenset({"parameters"})),
    "gravity_forces": Function(_gravity_forces, frozenset({"parameters"})),
}
