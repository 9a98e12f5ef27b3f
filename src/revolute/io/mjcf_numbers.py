"""Arrays of a compiled MuJoCo model as vectors, axes and rotations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import ModelError
from revolute.io.quaternions import of_quaternion
from revolute.io.rounding import unit_axis
from revolute.spatial import Rotation, Vector

__all__ = ["axis", "rotation", "vector"]


def vector(row: NDArray[Any]) -> Vector:
    """Three numbers; none of them -0."""
    return Vector(0 if x == 0 else x for x in row.tolist())


def axis(row: NDArray[Any]) -> Vector:
    """A unit axis without rounding errors."""
    if not np.isfinite(row).all():
        raise ModelError(f"the axis of a joint is not finite: {row.tolist()}")
    return unit_axis(row.tolist())


def rotation(quaternion: NDArray[Any]) -> Rotation:
    """The rotation of a quaternion of MuJoCo, w first."""
    w, x, y, z = quaternion.tolist()
    if not 0 < math.hypot(w, x, y, z) < math.inf:
        raise ModelError(f"an orientation has no direction: quaternion {[w, x, y, z]}; give one of length one")
    return of_quaternion((x, y, z, w))
