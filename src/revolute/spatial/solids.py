"""Inertias of uniform solids, for payloads and for links without measured inertias."""

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import InputError, extra
from revolute.spatial import Inertia, Matrix, Vector

ARCHIVES = (".zip", ".3mf", ".zae", ".gz", ".bz2", ".xz", ".tgz", ".tar")
"""Suffixes of archives, which trimesh would decompress in memory without a size limit."""


def from_mesh(
    mesh: str | os.PathLike[str] | tuple[ArrayLike, ArrayLike], mass: float | None, density: float | None, scale: float
) -> Inertia:
    """See `Inertia.mesh`."""
    if (mass is None) == (density is None):
        raise InputError("mesh: give either mass [kg] or density [kg/m^3]")
    for name, value in (("mass", mass) if density is None else ("density", density), ("scale", scale)):
        if not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
            raise InputError(f"mesh: {name} must be a positive number, not {value!r}")
    try:
        volume, first, second = moments(triangles(*read(mesh)) * float(scale))
    except InputError as error:
        if not isinstance(mesh, (str, os.PathLike)) or os.fspath(mesh) in str(error):
            raise
        raise InputError(f"{os.fspath(mesh)}: {error}") from None
    rho = float(mass) / volume if mass is not None else float(density or 0)
    h, K = rho * first, rho * second
    I = np.trace(K) * np.eye(3) - K
    return Inertia(rho * volume, Vector(h.tolist()), Matrix(((I + I.T) / 2).tolist()))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # overflow is rejected later
def moments(corners: Array) -> tuple[float, Array, Array]:
    """Volume, integral of x and integral of x x^T, by sums over tetrahedra between faces and the mean of their corners.

    A tetrahedron with corners 0, a, b, c and volume V adds V, V s / 4 and V (a a^T + b b^T + c c^T + s s^T) / 20, where
    s = a + b + c. For the last sum, K, see BP 4.3.6. Raise `InputError` if the mesh encloses no volume, or is so
    large that numbers overflow.
    """
    centre = corners.reshape(-1, 3).mean(axis=0)
    a, b, c = np.moveaxis(corners - centre, 1, 0)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(volumes.sum())
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    if abs(volume) <= 1e-12 * size * size * size:
        raise InputError(f"mesh: it encloses no volume ({volume:.3g} m^3 in {size:.3g} m)")
    s = a + b + c
    first = np.einsum("i,ij->j", volumes, s) / 4
    second = sum(np.einsum("i,ij,ik->jk", volumes, x, x) for x in (a, b, c, s)) / 20
    if volume < 0:  # negative if the faces point inwards
        volume, first, second = -volume, -first, -second
    second_moment = second + np.outer(first, centre) + np.outer(centre, first) + volume * np.outer(centre, centre)
    if not np.isfinite([volume, *(first + volume * centre), *second_moment.ravel()]).all():
        raise InputError(f"mesh: its vertices are too far apart, {size:.3g} m; check its unit")
    return volume, first + volume * centre, second_moment


def triangles(vertices: ArrayLike, faces: ArrayLike) -> Array:
    """(F, 3, 3) corners of the faces of a closed surface."""
    try:
        points, corners = np.asarray(vertices, dtype=float), np.asarray(faces)
    except (TypeError, ValueError):
        points, corners = np.empty(0), np.empty(0)
    if points.ndim != 2 or points.shape[1:] != (3,) or not np.isfinite(points).all():
        raise InputError("mesh: vertices must be finite numbers of the shape (V, 3)")
    if corners.size == 0:
        raise InputError("mesh: it has no faces")
    if corners.ndim != 2 or corners.shape[1:] != (3,) or corners.dtype.kind not in "iu":
        raise InputError("mesh: faces must be whole numbers of the shape (F, 3), three vertices per triangle")
    if corners.min() < 0 or corners.max() >= len(points):
        raise InputError(f"mesh: faces use vertices {corners.min()} to {corners.max()}, but there are {len(points)}")
    _, distinct = np.unique(points, axis=0, return_inverse=True)  # STL files repeat each vertex per face
    corners = distinct.reshape(-1)[corners].astype(np.int64)
    # a closed mesh contains each directed edge once, and once in the opposite direction
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    forward = edges[:, 0] * len(points) + edges[:, 1]
    backward = edges[:, 1] * len(points) + edges[:, 0]
    if open_edges := len(np.setxor1d(forward, backward)) // 2 + len(forward) - len(np.unique(forward)):
        raise InputError(
            f"mesh: its surface is open, or its faces are not oriented consistently: {open_edges} edges are not shared "
            "by two faces; repair it, or use its convex hull"
        )
    face_corners: Array = points[np.asarray(faces)]
    return face_corners


def read(mesh: Any) -> tuple[Any, Any]:
    """Vertices and faces of a mesh; trimesh reads files."""
    if isinstance(mesh, tuple) and len(mesh) == 2:
        return mesh
    if not isinstance(mesh, (str, os.PathLike)):
        raise InputError(f"mesh: give the path of a file, or (vertices, faces), not {type(mesh).__name__}")
    if os.fspath(mesh).lower().endswith(ARCHIVES):
        raise InputError(f"mesh: '{os.fspath(mesh)}' is an archive, which may unpack to any size; give the mesh in it")
    with extra("reading a mesh file needs the package trimesh", "mesh"):
        import trimesh
    try:
        with np.errstate(all="ignore"):  # `triangles` checks the numbers afterwards
            surface = trimesh.load_mesh(os.fspath(mesh))
        return np.array(surface.vertices), np.array(surface.faces)
    except Exception as error:  # trimesh may raise exceptions of any type
        raise InputError(f"mesh: '{os.fspath(mesh)}' cannot be read: {error}") from None
