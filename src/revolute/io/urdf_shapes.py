"""The boxes, cylinders, spheres and meshes of a URDF file: the sizes of its links."""

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
    """The visual shapes of every link, or else its collision shapes; only if all of them are known.

    A mesh is known if `meshes` is true and its file can be found and read.

    Raises:
        MissingExtraError: meshes, without the package trimesh.
    """
    folder = (Path(source).parent if root.where != "URDF text" else Path()) if meshes else None
    shapes_of_links = {}
    for link in root.children("link"):
        node = link.named()
        for use in ("visual", "collision"):
            solids = [_shape(part, folder) for part in node.children(use)]
            readable = tuple(solid for solid in solids if solid is not None)
            if readable and len(readable) == len(solids):
                shapes_of_links[node.text("name")] = readable
                break
    return shapes_of_links


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
    if (solid := geometry.child("box")) is not None:
        return box(pose, _sizes(node, *solid.vector("size")))
    if (solid := geometry.child("cylinder")) is not None:
        radius, length = _sizes(node, solid.number("radius"), solid.number("length"))
        return cylinder(pose, radius, length)
    if (solid := geometry.child("sphere")) is not None:
        return ellipsoid(pose, _sizes(node, solid.number("radius")) * 3)
    if (solid := geometry.child("mesh")) is None or folder is None:
        return None
    path = _mesh_file(solid.text("filename"), folder.absolute())
    if path is None:
        return None
    try:
        vertices, faces = read(path)
    except InputError:
        return None
    return mesh(pose, np.asarray(vertices) * solid.vector("scale", (1, 1, 1)), faces)


def _sizes(node: Tag, *sizes: float) -> tuple[float, ...]:
    if min(sizes) < 0:
        node.fail(f"<{node.tag}> has a shape of size {min(sizes):g}; sizes are positive")
    return sizes


def _mesh_file(name: str, folder: Path) -> Path | None:
    """The file of a mesh: beside the URDF file, or in a ROS package around it."""
    package, inside = "", name.removeprefix("file://")
    if name.startswith("package://"):
        package, _, inside = name.removeprefix("package://").partition("/")
    places = [folder]
    if package:
        places = [place for above in (folder, *folder.parents) for place in (above / package, above)]
        places = [place for place in places if place.name == package]
    return next((place / inside for place in places if (place / inside).is_file()), None)
