"""Axes and orientations in files, without rounding errors.

Quaternions need not be unit quaternions: only their direction is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from revolute.io.description import Remark
from revolute.spatial import Matrix, Rotation, Vector
from revolute.spatial.quaternion import rotation

if TYPE_CHECKING:
    from revolute.io.xml import Tag

SNAP = 1e-11  # maximum rounding error of entries of axes and rotations, as in `Rotation.from_rpy`
LOOSE = 1e-3  # maximum deviation of a vector's length from one that counts as a rounding error of the file


def snap(x: float) -> float:
    """Round x to the nearest integer if the difference is within `SNAP`."""
    return round(x) if abs(x - round(x)) < SNAP else x


def unit_axis(direction: Iterable[float]) -> Vector:
    """A unit vector without rounding errors; its entries are integers if it is along a coordinate axis."""
    unit = [0 if abs(x) < SNAP else x for x in direction]
    return Vector(map(round, unit) if unit.count(0) == 2 else unit)


def normalized(node: Tag, what: str, direction: Sequence[float]) -> Vector:
    """The unit vector along a direction in an element. The error message begins with `what`."""
    length = math.hypot(*direction)
    if not 1e-9 < length < math.inf:
        node.fail(f"{what}, which has no direction; give a vector of length one")
    return Vector(x / length for x in direction)


def of_quaternion(xyzw: Sequence[float]) -> Rotation:
    """The rotation of a quaternion (x, y, z, w) of any length; entries close to 0, 1 and -1 are made exact."""
    length = math.hypot(*xyzw)
    x, y, z, w = (component / length for component in xyzw)
    rows = rotation((x, y, z, w)).matrix()
    return Rotation.from_matrix(Matrix(map(snap, row) for row in rows))


def read_quaternion(node: Tag, what: str, xyzw: Sequence[float], remarks: list[Remark] | None) -> Rotation:
    """The rotation of an element's quaternion; add a remark if its length is not one. Messages begin with `what`."""
    length = math.hypot(*xyzw)
    if not 1e-9 < length < math.inf:
        node.fail(f"{what}: this quaternion has no direction; give one of length one")
    if remarks is not None and abs(length - 1) > LOOSE:
        text = f"the length of this quaternion is {length:.6g}, not one; only its direction is used"
        remarks.append(Remark(f"{node.where}: {what}: {text}"))
    return of_quaternion(xyzw)
