"""Twists and wrenches. LP 3.3-3.4, 8.2; RBDA 2."""

from __future__ import annotations

from dataclasses import dataclass

from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import Vector, cross, dot

__all__ = ["Force", "Motion"]


@dataclass(frozen=True)
class Motion:
    """A twist (w, v) or its rate: angular part, then the velocity of the frame's origin."""

    ang: Vector
    lin: Vector

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Motion(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Motion(self.ang - other.ang, self.lin - other.lin)

    def __mul__(self, s: Scalar) -> Motion:
        return Motion(self.ang * s, self.lin * s)

    def cross(self, other: Motion) -> Motion:
        """ad_V W: the rate of a motion W that moves with this twist V. LP 9.29-9.30."""
        w, v = self.ang, self.lin
        return Motion(cross(w, other.ang), cross(w, other.lin) + cross(v, other.ang))

    def cross_force(self, F: Force) -> Force:
        """V x* F: the rate of a wrench F that moves with this twist V. LP -ad_V^T."""
        return Force(cross(self.ang, F.ang) + cross(self.lin, F.lin), cross(self.ang, F.lin))

    def power(self, F: Force) -> Scalar:
        """V . F, the power of a wrench."""
        return dot(self.ang, F.ang) + dot(self.lin, F.lin)


@dataclass(frozen=True)
class Force:
    """A wrench (m, f): moment about the frame's origin, then force."""

    ang: Vector
    lin: Vector

    def __add__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            return NotImplemented
        return Force(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            return NotImplemented
        return Force(self.ang - other.ang, self.lin - other.lin)
