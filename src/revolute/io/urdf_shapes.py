"""The boxes, cylinders and spheres of a URDF file: how large its links are."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

from revolute.io.urdf import origin
from revolute.io.xml import Node, parse
from revolute.spatial import Transform, Vector

__all__ = ["Shape", "shapes"]


@dataclass(frozen=True)
class Shape:
    """A solid, as large as it is in the link's frame.

    Attributes:
        volume: of the solid [m^3].
        lower, upper: corners of the smallest box along the axes of the link's frame that holds it [m].
    """

    volume: float
    lower: Vector
    upper: Vector


def shapes(source: str | os.PathLike[str]) -> dict[str, tuple[Shape, ...]]:
    """For every link its visual shapes, or else its collision shapes; none where there is a mesh among them."""
    root = parse(source, "URDF")
    found = {}
    for link in root.children("link"):
        node = Node(link.element, f"{root.where}: link '{link.text('name')}'")
        for use in ("visual", "collision"):
            solids = [_shape(part) for part in node.children(use)]
            known = tuple(solid for solid in solids if solid is not None)
            if known and len(known) == len(solids):
                found[node.text("name")] = known
                break
    return found


def _shape(node: Node) -> Shape | None:
    geometry = node.child("geometry")
    if geometry is None:
        return None
    pose = origin(node)
    rows = [[float(x) for x in row] for row in pose.R.matrix()]
    if (box := geometry.child("box")) is not None:
        size = box.vector("size")
        reach = [sum(abs(x) * s / 2 for x, s in zip(row, size, strict=True)) for row in rows]
        return _solid(node, size, math.prod(size), pose, reach)
    if (cylinder := geometry.child("cylinder")) is not None:
        radius, length = cylinder.number("radius"), cylinder.number("length")
        reach = [abs(z) * length / 2 + radius * math.hypot(x, y) for x, y, z in rows]
        return _solid(node, (radius, length), math.pi * radius * radius * length, pose, reach)
    if (sphere := geometry.child("sphere")) is not None:
        radius = sphere.number("radius")
        return _solid(node, (radius,), 4 / 3 * math.pi * radius * radius * radius, pose, [radius] * 3)
    return None


def _solid(node: Node, sizes: Sequence[float], volume: float, pose: Transform, reach: Sequence[float]) -> Shape:
    if min(sizes) < 0:
        node.fail(f"<{node.tag}> has a shape of size {min(sizes):g}; sizes are positive")
    half = Vector(reach)
    return Shape(volume, pose.p - half, pose.p + half)
