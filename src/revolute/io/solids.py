"""Solids enclosed by shapes of links, for the checks of masses and inertias."""

import math
from collections.abc import Callable, Container

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.errors import InputError
from revolute.model import Link, Shape
from revolute.records import dataclass
from revolute.spatial import Transform, Vector
from revolute.spatial.solids import moments, read, triangles

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid in the link's frame, at its true size."""

    volume: float  # volume of the solid [m^3]; nan for a mesh that is not closed
    # lower, upper: corners of the axis-aligned bounding box, in the link's frame [m]
    lower: Vector
    upper: Vector
    centre: Array  # centroid of the volume, in the link's frame [m]
    spread: Array  # (3, 3) mean of (x - centre)(x - centre)^T over the volume, in the link's frame [m^2]


def solids(link: Link, meshes: bool, incomplete: Container[tuple[str, str]]) -> tuple[Solid, ...]:
    """The solids of a link's visual shapes, or else of its collision shapes; empty if a solid is unknown.

    `incomplete` contains (link, use) of shapes that could not be read. Meshes require trimesh.
"""
    for use, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        known = [solid_of(shape, meshes) for shape in shapes]
        if known and None not in known and (link.name, use) not in incomplete:
            return tuple(each for each in known if each is not None)
    return ()


def solid_of(shape: Shape, meshes: bool = False) -> Solid | None:
    """The solid of a shape; None for a shape without volume, and for an unread or unreadable mesh."""
    if shape.kind == "mesh":
        path = shape.path if meshes else None
        if path is None:
            return None
        try:
            vertices, faces = read(path)
        except InputError:
            return None
        return mesh(shape.placement, np.asarray(vertices) * shape.size, faces)
    form = _FORMS.get(shape.kind)
    return _solid(shape.placement, *form(*shape.size)) if form else None


_Form = tuple[float, Callable[[Array], ArrayLike], ArrayLike]
"""Volume; function from a rotation to the half-extents along the link's axes; variances along the solid's axes."""


def _box(*size: float) -> _Form:
    half = np.array(size) / 2
    return math.prod(size), lambda axes: np.abs(axes) @ half, half**2 / 3


def _cylinder(r: float, l: float) -> _Form:
    def reach(axes: Array) -> ArrayLike:
        return [abs(z) * l / 2 + r * math.hypot(x, y) for x, y, z in axes]

    return math.pi * r * r * l, reach, [r * r / 4] * 2 + [l * l / 12]


def _ellipsoid(*radii: float) -> _Form:
    squares = np.array(radii) ** 2
    return 4 / 3 * math.pi * math.prod(radii), lambda axes: np.linalg.norm(axes * np.array(radii), axis=1), squares / 5


def _capsule(r: float, l: float) -> _Form:
    middle, ends = math.pi * r * r * l, 4 / 3 * math.pi * r * r * r
    volume = middle + ends
    across = (middle * r * r / 4 + ends * r * r / 5) / volume if volume else 0.0
    along = (middle * l * l / 12 + ends * (l * l / 4 + 3 / 8 * l * r + r * r / 5)) / volume if volume else 0.0
    return volume, lambda axes: np.abs(axes[:, 2]) * l / 2 + r, [across, across, along]


_FORMS: dict[str, Callable[..., _Form]] = {
    "box": _box, "sphere": lambda r: _ellipsoid(r, r, r), "cylinder": _cylinder, "capsule": _capsule,
    "ellipsoid": _ellipsoid,
}  # fmt: skip


def mesh(pose: Transform, vertices: ArrayLike, faces: ArrayLike) -> Solid | None:
    """The solid inside a surface; its volume is NaN if the surface is open. None unless all points are finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        points = np.asarray(vertices, dtype=float) @ _axes(pose).T + np.array(pose.p, dtype=float)
    if not points.size or not np.isfinite(points).all():
        return None
    lower, upper = (Vector(corner.tolist()) for corner in (points.min(axis=0), points.max(axis=0)))
    try:
        volume, first, second = moments(triangles(points, faces))
    except InputError:
        return Solid(math.nan, lower, upper, np.full(3, math.nan), np.full((3, 3), math.nan))
    centre = first / volume
    return Solid(volume, lower, upper, centre, second / volume - np.outer(centre, centre))


def _axes(pose: Transform) -> Array:
    return np.array(pose.R.matrix(), dtype=float)


def _solid(pose: Transform, volume: float, reach: Callable[[Array], ArrayLike], variances: ArrayLike) -> Solid:
    R = _axes(pose)
    half = Vector(np.asarray(reach(R), dtype=float).tolist())
    return Solid(volume, pose.p - half, pose.p + half, np.array(pose.p, dtype=float), R * np.asarray(variances) @ R.T)
