"""Methods of `Robot`: mass, Coriolis and gravity terms in joint space."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["JointSpace"]


class JointSpace(Face):
    """Mass, Coriolis and gravity terms in joint space."""
