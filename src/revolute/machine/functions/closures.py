"""Recursions of closed loops: errors, and their derivatives."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.linear_models import brackets
from revolute.machine.functions.tangents import along_motion, by_positions, by_rates
from revolute.model.model import Closure, Model
from revolute.model.reduce import aligned
from revolute.spatial.scalar import Scalars

__all__ = ["drift", "error", "jacobian", "partials"]

Closures = tuple[Closure, ...]


def error(model: Model, closures: Closures, q: Scalars) -> list[Any]:
    """Errors e of all closures."""
    aligned_model = aligned(model)
    return [x for closure in closures for x in closure.error(aligned_model, q)]


def jacobian(model: Model, closures: Closures, q: Scalars) -> list[list[Any]]:
    """Rows of J with de/dt = J qd."""
    return by_positions(model, error(model, closures, q), q)


def drift(model: Model, closures: Closures, q: Scalars, qd: Scalars) -> list[Any]:
    """dJ/dt qd."""
    return along_motion(model, along_motion(model, error(model, closures, q), q, qd), q, qd)


def partials(model: Model, closures: Closures, q: Scalars, qd: Scalars, qdd: Scalars, forces: Scalars) -> Any:
    """d(J^T f)/dq, d(J qd)/dq, derivatives of J qdd + dJ/dt qd by q and qd, and ad(qd) of all joints."""
    e = error(model, closures, q)
    speeds = along_motion(model, e, q, qd)
    accelerations = along_motion(model, speeds, q, qd, qdd)
    loads = by_positions(model, [sum(f * x for f, x in zip(forces, e, strict=True))], q)[0]
    return (
        by_positions(model, loads, q),
        by_positions(model, speeds, q),
        by_positions(model, accelerations, q),
        by_rates(accelerations, qd),
        brackets(model, qd),
    )
