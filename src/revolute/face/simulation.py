"""Methods of `Robot`: motions of given forces."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["Simulation"]


class Simulation(Face):
    """Motions of given forces."""
