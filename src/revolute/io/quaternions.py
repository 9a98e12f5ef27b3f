"""Quaternions as files have them: of any length, though only the direction is used."""

from __future__ import annotations

import math
from collections.abc import Sequence

from revolute.io.rounding import snap
from revolute.spatial import Matrix, Rotation
from revolute.spatial.quaternion import rotation

__all__ = ["LOOSE", "of_quaternion", "quaternion_doubt", "quaternion_fault"]

LOOSE = 1e-3
"""Lengths further from one than this are not due to the digits of a file."""


def of_quaternion(xyzw: Sequence[float]) -> Rotation:
    """The rotation of a quaternion of any length, w last, freed of rounding."""
    length = math.hypot(*xyzw)
    x, y, z, w = (component / length for component in xyzw)
    rows = rotation((x, y, z, w)).matrix()
    return Rotation.of(Matrix(map(snap, row) for row in rows))


def quaternion_fault(components: Sequence[float]) -> str:
    """Why these are no orientation; empty if they are one."""
    if 1e-9 < math.hypot(*components) < math.inf:
        return ""
    return "this quaternion has no direction; give one of length one"


def quaternion_doubt(components: Sequence[float]) -> str:
    """What is suspicious about these as a quaternion; empty if nothing is."""
    length = math.hypot(*components)
    if abs(length - 1) <= LOOSE:
        return ""
    return f"the length of this quaternion is {length:.6g}, not one; only its direction is used"
