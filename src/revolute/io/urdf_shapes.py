"""The boxes, cylinders, spheres and meshes of a URDF file: how large its links are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from revolute.errors import InputError
from revolute.io.shapes import Shape, box, cylinder, ellipsoid, mesh
from revolute.io.xml import Tag
from revolute.spatial import Transform
from revolute.spatial.solids import read

__all__ = ["origin", "shapes"]


def shapes(root: Tag, source: str | os.PathLike[str], meshes: bool = False) -> dict[str, tuple[Shape, ...]]:
    """For every link its visual shapes, or else its collision shapes; none where one of them is not known.

    Meshes are opened if that is wanted, and known if their files are found and can be read.

    Raises:
        MissingExtraError: meshes, without the package trimesh.
    """
    folder = (Path(source).parent if root.where != "URDF text" else Path()) if meshes else None
    found = {}
    for link in root.children("link"):
        node = Tag(link.element, f"{root.where}: link '{link.text('name')}'")
        for use in ("visual", "collision"):
            solids = [_shape(part, folder) for part in node.children(use)]
            known = tuple(solid for solid in solids if solid is not None)
            if known and len(known) == len(solids):
                found[node.text("name")] = known
                break
    return found


def origin(node: Tag) -> Transform:
    """The pose of an element's <origin>."""
    origin = node.child("origin")
    if origin is None:
        return Transform()
    return Transform.from_rpy(origin.vector("xyz", (0, 0, 0)), origin.vector("rpy", (0, 0, 0)))


def _shape(node: Tag, folder: Path | None) -> Shape | None:
    geometry = node.child("geometry")
    if geometry is None:
        return None
    pose = origin(node)
    if (given := geometry.child("box")) is not None:
        return box(pose, _sizes(node, *given.vector("size")))
    if (given := geometry.child("cylinder")) is not None:
        radius, length = _sizes(node, given.number("radius"), given.number("length"))
        return cylinder(pose, radius, length)
    if (given := geometry.child("sphere")) is not None:
        return ellipsoid(pose, _sizes(node, given.number("radius")) * 3)
    if (given := geometry.child("mesh")) is None or folder is None:
        return None
    path = _found(given.text("filename"), folder.absolute())
    if path is None:
        return None
    try:
        vertices, faces = read(path)
    except InputError:
        return None
    return mesh(pose, np.asarray(vertices) * given.vector("scale", (1, 1, 1)), faces)


def _sizes(node: Tag, *sizes: float) -> tuple[float, ...]:
    if min(sizes) < 0:
        node.fail(f"<{node.tag}> has a shape of size {min(sizes):g}; sizes are positive")
    return sizes


def _found(name: str, folder: Path) -> Path | None:
    """The file of a mesh: beside the URDF file, or in a ROS package around it."""
    package, inside = "", name.removeprefix("file://")
    if name.startswith("package://"):
        package, _, inside = name.removeprefix("package://").partition("/")
    places = [folder]
    if package:
        places = [place for above in (folder, *folder.parents) for place in (above / package, above)]
        places = [place for place in places if place.name == package]
    return next((place / inside for place in places if (place / inside).is_file()), None)
