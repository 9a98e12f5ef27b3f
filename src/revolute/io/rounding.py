"""Removal of rounding errors from axes and rotations in files."""

from __future__ import annotations

from collections.abc import Iterable

from revolute.spatial import Vector

__all__ = ["SNAP", "snap", "unit_axis"]

SNAP = 1e-11
"""Rounding of entries of axes and rotations: the tolerance of `Rotation.from_rpy`."""


def snap(x: float) -> float:
    """The nearest integer, if it is within rounding."""
    return round(x) if abs(x - round(x)) < SNAP else x


def unit_axis(direction: Iterable[float]) -> Vector:
    """A unit vector without rounding errors; integers if it is along a coordinate axis."""
    unit = [0 if abs(x) < SNAP else x for x in direction]
    return Vector(map(round, unit) if unit.count(0) == 2 else unit)
