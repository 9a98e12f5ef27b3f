"""Position of a mesh file's vertices in the frame of a MuJoCo mesh, before MuJoCo centres the mesh."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from revolute.io.mjcf_numbers import rotation, vector
from revolute.spatial import Rotation, Transform, Vector

__all__ = ["MeshReference", "references"]


@dataclass(frozen=True)
class MeshReference:
    """The attributes refpos and refquat of a mesh: vertices v of the file become S R^T (v - p), with the scale S.

    Attributes:
        pose: R and p.
        scale: the diagonal of S.
    """

    pose: Transform
    scale: Vector

    def placement(self) -> Transform | None:
        """The pose in which the vertices S v are the same; None if S R^T is not a rotation times S."""
        if Rotation() != self.pose.R and len(set(self.scale)) > 1:
            return None
        turn = self.pose.R.T
        p = turn @ self.pose.p
        return Transform(turn, Vector(-s * x for s, x in zip(self.scale, p, strict=True)))


def references(specification: Any) -> dict[str, MeshReference]:
    """The meshes of an MjSpec with a refpos or refquat, by name of the mesh or of its file."""
    found = {}
    for mesh in specification.meshes:
        pose = Transform(rotation(mesh.refquat), vector(mesh.refpos))
        if pose != Transform():
            name = mesh.name or os.path.splitext(os.path.basename(mesh.file))[0]
            found[name] = MeshReference(pose, vector(mesh.scale))
    return found
