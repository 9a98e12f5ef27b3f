"""Methods of `Robot`: derivatives by the state, and linear models."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["Derivatives"]


class Derivatives(Face):
    """Derivatives by the state, and linear models."""
