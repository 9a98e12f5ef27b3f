"""Errors of closed loops, and their derivatives, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.arguments import instances
from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.closures import Closure
from revolute.machine.functions.tangents import along_motion, by_positions
from revolute.model.model import Model
from revolute.model.reduce import aligned

__all__ = ["FUNCTIONS"]

Closures = tuple[Closure, ...]


def _errors(model: Model, closures: Closures, q: Any) -> list[Any]:
    turned = aligned(model)
    return [x for closure in closures for x in closure.error(turned, q)]


def _rows(closures: Closures) -> int:
    instances("kernel: closures", closures, Closure)  # type: ignore[type-abstract]
    return sum(len(closure.row_names()) for closure in closures)


def _closure_error(model: Model, closures: Closures) -> Signature:
    return Signature(
        "closure_error",
        (position(model),),
        (("e", (_rows(closures),)),),
        lambda q: _errors(model, closures, q),
    )


def _closure_jacobian(model: Model, closures: Closures) -> Signature:
    def body(q: Any) -> list[Any]:
        return [x for row in by_positions(model, _errors(model, closures, q), q) for x in row]

    return Signature("closure_jacobian", (position(model),), (("J", (_rows(closures), model.nv)),), body)


def _closure_drift(model: Model, closures: Closures) -> Signature:
    def body(q: Any, qd: Any) -> list[Any]:
        rates = along_motion(model, _errors(model, closures, q), q, qd)
        return along_motion(model, rates, q, qd)

    inputs = (position(model), rate(model, "qd"))
    return Signature("closure_drift", inputs, (("Jd qd", (_rows(closures),)),), body)


_OPTIONS = frozenset({"closures"})

FUNCTIONS: dict[str, Function] = {
    "closure_error": Function(_closure_error, _OPTIONS, internal=True, needed=_OPTIONS),
    "closure_jacobian": Function(_closure_jacobian, _OPTIONS, internal=True, needed=_OPTIONS),
    "closure_drift": Function(_closure_drift, _OPTIONS, internal=True, needed=_OPTIONS),
}
