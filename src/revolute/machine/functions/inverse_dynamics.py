"""Inverse dynamics and its parts, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.arguments import instances
from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import Input
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS", "bias_forces", "gravity_forces"]


def _inverse_dynamics(model: Model, wrenches: tuple[str, ...] = (), base_motion: bool = False) -> Signature:
    links = instances("kernel: wrenches", wrenches, str)
    loads = tuple(Input(f"wrench on '{name}'", (6,), "m, f") for name in links)
    moving = (Input("base_twist", (6,), "w, v"), Input("base_acceleration", (6,), "wd, vd")) if base_motion else ()
    for name in links:
        model.frame(name)

    def body(q: Any, qd: Any, qdd: Any, *rest: Any) -> Any:
        applied = dict(zip(links, rest, strict=False))
        return newton_euler(reduced(model), q, qd, qdd, applied, *rest[len(links) :])

    inputs = (position(model), rate(model, "qd"), rate(model, "qdd"), *loads, *moving)
    return Signature("inverse_dynamics", inputs, (("tau", (model.nv,)),), body)


def bias_forces(model: Model, q: Any, qd: Any) -> Any:
    """Forces at zero acceleration."""
    return newton_euler(model, q, qd, (0,) * model.nv)


def gravity_forces(model: Model, q: Any) -> Any:
    """Forces at rest."""
    still = (0,) * model.nv
    return newton_euler(model, q, still, still)


FUNCTIONS = {
    "inverse_dynamics": Function(_inverse_dynamics, frozenset({"wrenches", "base_motion", "parameters"})),
}
