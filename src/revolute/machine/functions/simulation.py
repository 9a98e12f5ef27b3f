"""Steps of a simulation, and the rate of the state, for compilation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.steps import coordinate_rates, explicit_euler, runge_kutta_4, semi_implicit_euler
from revolute.graph import Input
from revolute.model.columns import drive_column
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]

Step = Callable[..., tuple[Any, Any]]


def _accelerate(model: Model, tau: Any, damping: bool) -> Callable[[Any, Any], Any]:
    """Joint accelerations under given forces, and viscous friction if wanted."""
    light = reduced(model)

    coefficients = drive_column(model, "damping", 0.0).tolist() if damping else []

    def accelerations(q: Any, qd: Any) -> Any:
        driven = [t - d * v for t, d, v in zip(tau, coefficients, qd, strict=True)] if damping else tau
        return articulated_body(light, q, qd, driven)

    return accelerations


def _step(method: Step, model: Model, damping: bool = False) -> Signature:
    def body(q: Any, qd: Any, tau: Any, h: Any) -> Any:
        return method(model, _accelerate(model, tau, damping), q, qd, h[0])

    inputs = (position(model), rate(model, "qd"), rate(model, "tau"), Input("h", (), "seconds"))
    return Signature(f"{method.__name__}_step", inputs, (("q", (model.nq,)), ("qd", (model.nv,))), body)


def _state_rate(model: Model, damping: bool = False) -> Signature:
    def body(q: Any, qd: Any, tau: Any) -> Any:
        return coordinate_rates(model, q, qd), _accelerate(model, tau, damping)(q, qd)

    inputs = (position(model), rate(model, "qd"), rate(model, "tau"))
    return Signature("state_rate", inputs, (("dq/dt", (model.nq,)), ("qdd", (model.nv,))), body)


_DAMPED = frozenset({"damping"})

FUNCTIONS = {
    **{
        f"{method.__name__}_step": Function(partial(_step, method), _DAMPED, inverts=True, internal=True)
        for method in (explicit_euler, semi_implicit_euler, runge_kutta_4)
    },
    "state_rate": Function(_state_rate, _DAMPED, inverts=True, internal=True),
}
