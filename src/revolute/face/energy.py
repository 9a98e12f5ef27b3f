"""Methods of `Robot`: energies and momenta."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["Energy"]


class Energy(Face):
    """Energies and momenta."""
