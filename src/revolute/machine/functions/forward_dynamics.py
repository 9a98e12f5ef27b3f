"""Recursions of forward dynamics: accelerations due to given forces."""

from collections.abc import Callable
from typing import Any

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.composite_body import composite_body
from revolute.dynamics.sparse_factorization import elimination_count
from revolute.errors import InputError
from revolute.machine.functions.traced import cost
from revolute.model.model import Model
from revolute.spatial import Scalars, Tree, Wrenches

_ALGORITHMS: dict[str, Callable[..., Any]] = {"articulated_body": articulated_body, "composite_body": composite_body}


def check_algorithm(model: Model, algorithm: str = "auto") -> None:
    """Raise `InputError` unless the algorithm exists."""
    if algorithm not in ("auto", *_ALGORITHMS):
        raise InputError(f"algorithm must be 'auto' or one of {', '.join(map(repr, _ALGORITHMS))}, not {algorithm!r}")


def forward_dynamics(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None,
    algorithm: str = "auto", **base: Scalars,
) -> Tree:
    """qdd by articulated bodies or by the mass matrix, whichever needs fewer operations; `base`: motion of the base."""
    if algorithm != "auto":
        return _ALGORITHMS[algorithm](model, q, qd, tau, wrenches, **base)
    bodies = articulated_body(model, q, qd, tau, wrenches, **base)
    if elimination_count(model) > cost(bodies):
        return bodies
    return min(bodies, composite_body(model, q, qd, tau, wrenches, **base), key=cost)
