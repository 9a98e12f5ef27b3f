"""Numbers and poses as attributes of MJCF."""

from __future__ import annotations

import math
from collections.abc import Iterable

from revolute.spatial import Rotation, Transform
from revolute.spatial.scalar import Scalar

__all__ = ["numbers", "pose"]


def pose(X: Transform) -> dict[str, str]:
    """A pose as attributes."""
    found = {"pos": numbers(X.p)} if any(X.p) else {}
    return found | ({} if Rotation() == X.merged().R else {"quat": numbers(_quaternion(X.R))})


def _quaternion(rotation: Rotation) -> tuple[float, ...]:
    """Of length one, w first; the largest part from the diagonal, so that no digits are lost."""
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


def numbers(values: Iterable[Scalar]) -> str:
    """With all their digits, and blanks between."""
    return " ".join(repr(float(x)) for x in values)
