"""Axes and rotations from files: freed of rounding, and checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.spatial import Vector

__all__ = ["SLOPPY", "SNAP", "rotation_fault", "snap", "unit_axis"]

SNAP = 1e-11
"""Rounding of entries of axes and rotations: the tolerance of `Rotation.from_rpy`."""
SLOPPY = 1e-6
"""Largest error of a rotation or a unit vector that is accepted."""


def snap(x: float) -> float:
    """The nearest whole number, if it is within rounding."""
    return round(x) if abs(x - round(x)) < SNAP else x


def unit_axis(direction: Iterable[float]) -> Vector:
    """A unit vector freed of rounding; whole numbers if it lies along a coordinate axis."""
    unit = [0 if abs(x) < SNAP else x for x in direction]
    return Vector(round(x) if unit.count(0) == 2 else x for x in unit)


def rotation_fault(R: NDArray[Any]) -> str | None:
    """The reason why a (3, 3) matrix is no rotation; None if it is one."""
    product = R @ R.T
    if not np.abs(product - np.eye(3)).max() <= SLOPPY:  # refuses nan too
        return f"its rotation is not orthogonal: R R^T = {product.round(4).tolist()}"
    if np.linalg.det(R) < 0:
        return "its axes are left-handed (determinant -1); turn one of them round"
    return None
