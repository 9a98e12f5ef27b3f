"""Inverse dynamics and its parts, as their declarations want them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics.newton_euler import newton_euler
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = ["bias_forces", "gravity_forces"]

Scalars = Sequence[Scalar]


def bias_forces(model: Model, q: Scalars, qd: Scalars) -> Any:
    """Forces at zero acceleration."""
    return newton_euler(model, q, qd, (0,) * model.nv)


def gravity_forces(model: Model, q: Scalars) -> Any:
    """Forces at rest."""
    still = (0,) * model.nv
    return newton_euler(model, q, still, still)

