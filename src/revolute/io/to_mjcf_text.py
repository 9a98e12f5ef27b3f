"""Poses as attributes of MJCF."""

from __future__ import annotations

import math

from revolute.io.plain import digits
from revolute.spatial import Rotation, Transform

__all__ = ["pose"]


def pose(X: Transform) -> dict[str, str]:
    """A pose as attributes."""
    position = {"pos": digits(X.p)} if any(X.p) else {}
    return position | ({} if Rotation() == X.merged().R else {"quat": digits(_quaternion(X.R))})


def _quaternion(rotation: Rotation) -> tuple[float, ...]:
    """The unit quaternion, w first. The diagonal gives the largest part, so that no digits are lost."""
    R = [[float(x) for x in row] for row in rotation.matrix()]
    squares = [1 + R[0][0] + R[1][1] + R[2][2], *(1 + 2 * R[k][k] - R[0][0] - R[1][1] - R[2][2] for k in range(3))]
    largest = max(range(4), key=squares.__getitem__)
    if largest == 0:
        parts = [squares[0], R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        parts = [R[k][j] - R[j][k], 0.0, 0.0, 0.0]
        parts[1 + i], parts[1 + j], parts[1 + k] = squares[largest], R[j][i] + R[i][j], R[k][i] + R[i][k]
    length = math.hypot(*parts)
    return tuple(part / length for part in parts)
