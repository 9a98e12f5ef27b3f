"""Solids of links at their true size, for the checks of masses and inertias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.errors import InputError
from revolute.spatial import Transform, Vector
from revolute.spatial.solids import moments, triangles

__all__ = ["Shape", "box", "capsule", "cylinder", "ellipsoid", "mesh"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """A solid in the link's frame, at its true size.

    Attributes:
        volume: of the solid [m^3]; nan of a mesh that is not closed.
        lower, upper: corners of its bounding box, along the axes of the link's frame [m].
        centre: of the volume [m].
        spread: (3, 3) mean of (x - centre)(x - centre)^T over the volume [m^2].
    """

    volume: float
    lower: Vector
    upper: Vector
    centre: Array
    spread: Array


def box(pose: Transform, size: Sequence[float]) -> Shape:
    """A box with edges of the lengths `size`."""
    half = np.array(size) / 2
    return _solid(pose, math.prod(size), np.abs(_axes(pose)) @ half, half**2 / 3)


def cylinder(pose: Transform, radius: float, length: float) -> Shape:
    """A cylinder along z."""
    reach = [abs(z) * length / 2 + radius * math.hypot(x, y) for x, y, z in _axes(pose)]
    return _solid(pose, math.pi * radius * radius * length, reach, [radius * radius / 4] * 2 + [length * length / 12])


def ellipsoid(pose: Transform, radii: Sequence[float]) -> Shape:
    """An ellipsoid with half axes `radii`; a sphere has three equal ones."""
    reach = np.linalg.norm(_axes(pose) * np.array(radii), axis=1)
    return _solid(pose, 4 / 3 * math.pi * math.prod(radii), reach, np.array(radii) ** 2 / 5)


def capsule(pose: Transform, radius: float, length: float) -> Shape:
    """A cylinder along z with half a sphere at either end."""
    r, l = radius, length
    middle, ends = math.pi * r * r * l, 4 / 3 * math.pi * r * r * r
    volume = middle + ends
    across = (middle * r * r / 4 + ends * r * r / 5) / volume if volume else 0.0
    along = (middle * l * l / 12 + ends * (l * l / 4 + 3 / 8 * l * r + r * r / 5)) / volume if volume else 0.0
    return _solid(pose, volume, np.abs(_axes(pose)[:, 2]) * l / 2 + r, [across, across, along])


def mesh(pose: Transform, vertices: ArrayLike, faces: ArrayLike) -> Shape | None:
    """The solid inside a closed surface; volume nan if it is open, None if it has no points or infinite ones."""
    with np.errstate(over="ignore", invalid="ignore"):
        points = np.asarray(vertices, dtype=float) @ _axes(pose).T + np.array(pose.p, dtype=float)
    if not points.size or not np.isfinite(points).all():
        return None
    lower, upper = (Vector(corner.tolist()) for corner in (points.min(axis=0), points.max(axis=0)))
    try:
        volume, first, second = moments(triangles(points, faces))
    except InputError:
        return Shape(math.nan, lower, upper, np.full(3, math.nan), np.full((3, 3), math.nan))
    centre = first / volume
    return Shape(volume, lower, upper, centre, second / volume - np.outer(centre, centre))


def _axes(pose: Transform) -> Array:
    return np.array(pose.R.matrix(), dtype=float)


def _solid(pose: Transform, volume: float, reach: ArrayLike, variances: ArrayLike) -> Shape:
    half, R = Vector(np.asarray(reach, dtype=float).tolist()), _axes(pose)
    return Shape(volume, pose.p - half, pose.p + half, np.array(pose.p, dtype=float), R * np.asarray(variances) @ R.T)
