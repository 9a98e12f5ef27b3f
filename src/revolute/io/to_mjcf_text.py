"""Poses as attributes of MJCF."""

from __future__ import annotations

from revolute.io.plain import digits
from revolute.spatial import Rotation, Transform

__all__ = ["pose"]


def pose(X: Transform) -> dict[str, str]:
    """A pose as attributes."""
    position = {"pos": digits(X.p)} if any(X.p) else {}
    x, y, z, w = X.R.quaternion()
    return position | ({} if Rotation() == X.merged().R else {"quat": digits((w, x, y, z))})
