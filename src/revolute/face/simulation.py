"""Methods of `Robot`: motions of given forces."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["Simulations"]


class Simulations(Face):
    """Motions of given forces."""
