"""Recursions of closed loops: errors, and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.machine.functions.tangents import along_motion, by_positions
from revolute.model.model import Closure, Model
from revolute.model.reduce import aligned
from revolute.spatial.scalar import Scalar

__all__ = ["drift", "error", "jacobian"]

Scalars = Sequence[Scalar]
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
