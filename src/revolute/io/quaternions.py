"""Quaternions in files. They need not be unit quaternions: only their direction is used."""

from __future__ import annotations

import math
from collections.abc import Sequence

from revolute.io.rounding import snap
from revolute.spatial import Matrix, Rotation
from revolute.spatial.quaternion import rotation

__all__ = ["LOOSE", "of_quaternion", "quaternion_doubt", "quaternion_fault"]

LOOSE = 1e-3
"""Maximum deviation of a length from one that rounding in files explains."""


def of_quaternion(xyzw: Sequence[float]) -> Rotation:
    """The rotation of a quaternion (x, y, z, w) of any length. Entries within rounding of 0 and 1 are made exact."""
    length = math.hypot(*xyzw)
    x, y, z, w = (component / length for component in xyzw)
    rows = rotation((x, y, z, w)).matrix()
    return Rotation.of(Matrix(map(snap, row) for row in rows))


def quaternion_fault(components: Sequence[float]) -> str:
    """The reason why a quaternion has no direction; empty if it has one."""
    if 1e-9 < math.hypot(*components) < math.inf:
        return ""
    return "this quaternion has no direction; give one of length one"


def quaternion_doubt(components: Sequence[float]) -> str:
    """A warning if the length of a quaternion is not one; empty if it is."""
    length = math.hypot(*components)
    if abs(length - 1) <= LOOSE:
        return ""
    return f"the length of this quaternion is {length:.6g}, not one; only its direction is used"
