"""Methods of `Robot`: accelerations of given forces."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["ForwardDynamics"]


class ForwardDynamics(Face):
    """Accelerations of given forces."""
