"""Steps of a simulation, and the rate of the state, for compilation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.steps import coordinate_rates, explicit_euler, runge_kutta_4, semi_implicit_euler
from revolute.functions.signature import Function, Signature, position, rate
from revolute.graph import Input
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]

Step = Callable[..., tuple[Any, Any]]


def _accelerate(robot: Robot, tau: Any, damping: bool) -> Callable[[Any, Any], Any]:
    """Joint accelerations under given forces, and viscous friction if wanted."""
    light = reduced(robot)

    def accelerations(q: Any, qd: Any) -> Any:
        driven = [t - float(d) * v for t, d, v in zip(tau, robot.damping, qd, strict=True)] if damping else tau
        return articulated_body(light, q, qd, driven)

    return accelerations


def _step(method: Step, robot: Robot, damping: bool = False) -> Signature:
    def body(q: Any, qd: Any, tau: Any, h: Any) -> Any:
        return method(robot, _accelerate(robot, tau, damping), q, qd, h[0])

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "tau"), Input("h", (), "seconds"))
    return Signature(f"{method.__name__}_step", inputs, (("q", (robot.nq,)), ("qd", (robot.nv,))), body)


def _state_rate(robot: Robot, damping: bool = False) -> Signature:
    def body(q: Any, qd: Any, tau: Any) -> Any:
        return coordinate_rates(robot, q, qd), _accelerate(robot, tau, damping)(q, qd)

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "tau"))
    return Signature("state_rate", inputs, (("dq/dt", (robot.nq,)), ("qdd", (robot.nv,))), body)


_DAMPED = frozenset({"damping"})

FUNCTIONS = {
    **{
        f"{method.__name__}_step": Function(partial(_step, method), _DAMPED, inverts=True)
        for method in (explicit_euler, semi_implicit_euler, runge_kutta_4)
    },
    "state_rate": Function(_state_rate, _DAMPED, inverts=True),
}
