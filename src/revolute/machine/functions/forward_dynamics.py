"""Accelerations of given forces, for compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.composite_body import composite_body, mass_matrix_factors
from revolute.dynamics.forward_dynamics_partials import forward_dynamics_partials
from revolute.dynamics.sparse_factorization import Factors, elimination_count
from revolute.errors import InputError
from revolute.graph import Input
from revolute.machine.functions.cost import cost
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]

_METHODS = {"articulated_body": articulated_body, "composite_body": composite_body}

def _forward_dynamics(model: Model, wrenches: tuple[str, ...] = (), method: str = "auto") -> Signature:
    if method not in ("auto", *_METHODS):
        raise InputError(f"method must be 'auto' or one of {', '.join(map(repr, _METHODS))}, not {method!r}")
    loads = tuple(Input(f"wrench on '{name}'", (6,), "m, f") for name in wrenches)
    for name in wrenches:
        model.frame(name)

    def body(q: Any, qd: Any, tau: Any, *applied: Any) -> Any:
        given = (reduced(model), q, qd, tau, dict(zip(wrenches, applied, strict=True)))
        if method != "auto":
            return _METHODS[method](*given)
        bodies = articulated_body(*given)
        if elimination_count(model) > cost(bodies):
            return bodies
        return min(bodies, composite_body(*given), key=cost)

    inputs = (position(model), rate(model, "qd"), rate(model, "tau"), *loads)
    return Signature("forward_dynamics", inputs, (("qdd", (model.nv,)),), body)


def _mass_matrix_inverse(model: Model) -> Signature:
    return _matrix("mass_matrix_inverse", "inverse_M", model, Factors.inverse)


def _cholesky(model: Model) -> Signature:
    return _matrix("cholesky", "L", model, Factors.cholesky)


def _forward_dynamics_partials(model: Model) -> Signature:
    square = (model.nv, model.nv)

    def body(q: Any, qd: Any, tau: Any) -> Any:
        matrices = forward_dynamics_partials(reduced(model), q, qd, tau)
        return [[x for row in matrix for x in row] for matrix in matrices]

    return Signature(
        "forward_dynamics_partials",
        (position(model), rate(model, "qd"), rate(model, "tau")),
        (("dqdd_dq", square), ("dqdd_dqd", square), ("inverse_M", square)),
        body,
    )


def _matrix(name: str, result: str, model: Model, rows: Callable[[Factors], Any]) -> Signature:
    return Signature(
        name,
        (position(model),),
        ((result, (model.nv, model.nv)),),
        lambda q: [x for row in rows(mass_matrix_factors(reduced(model), q)) for x in row],
    )


FUNCTIONS: dict[str, Function] = {
    "forward_dynamics": Function(_forward_dynamics, frozenset({"wrenches", "method", "parameters"}), inverts=True),
    "forward_dynamics_partials": Function(_forward_dynamics_partials, frozenset({"parameters"}), inverts=True),
    "mass_matrix_inverse": Function(_mass_matrix_inverse, frozenset({"parameters"}), inverts=True),
    "cholesky": Function(_cholesky, frozenset({"parameters"}), inverts=True),
}
