"""Geoms of MJCF as shapes and as solids of links."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from revolute.io.mjcf_drives import MjModel, mujoco
from revolute.io.mjcf_numbers import rotation, vector
from revolute.io.solids import Solid, mesh, solid_of
from revolute.model.mesh_files import absolute
from revolute.model.shapes import Shape
from revolute.spatial import Rotation, Transform, Vector

HIDDEN = 3  # lowest geom group that MuJoCo's viewer hides by default; all higher groups are hidden too
PLAIN = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's default colour of geoms

SIZES: dict[str, tuple[tuple[int, float], ...]] = {
    "plane": ((0, 2), (1, 2)),
    "sphere": ((0, 1),),
    "capsule": ((0, 1), (1, 2)),
    "ellipsoid": ((0, 1), (1, 1), (2, 1)),
    "cylinder": ((0, 1), (1, 2)),
    "box": ((0, 2), (1, 2), (2, 2)),
}
"""Dimensions of each shape: index in `geom_size`, and factor, because MuJoCo uses half-lengths."""


class Geoms:
    """Reader of the geoms of a compiled model.

    Attributes:
        left_out: names of geoms that no shape can represent, each with its kind.
    """

    def __init__(
        self, model: MjModel, names: Sequence[str], bodies: Sequence[str], meshes: Sequence[str], fields: Sequence[str],
        moved: Mapping[str, Transform | None],
    ) -> None:
        """Read all geoms; `names` are the names of geoms ("" if unnamed), `fields` those of height fields."""
        self.model, self.names, self.bodies, self.meshes, self.fields = model, names, bodies, meshes, fields
        self.moved = moved
        self.left_out: list[str] = []
        self.shapes = [self._shape(k) for k in range(model.ngeom)]

    def visuals(self, body: int) -> tuple[Shape, ...]:
        """Shapes of a body that MuJoCo's viewer shows by default, or that do not collide."""
        return self._shapes(k for k in self._geoms(body) if self.model.geom_group[k] < HIDDEN or not self._collides(k))

    def collisions(self, body: int) -> tuple[Shape, ...]:
        """Shapes of a body that collide."""
        return self._shapes(filter(self._collides, self._geoms(body)))

    def solids(self, body: int) -> tuple[Solid, ...]:
        """Solids of a body's colliding geoms, or of all its geoms if none collides; () if one of these is no solid."""
        indices = [*filter(self._collides, self._geoms(body))] or self._geoms(body)
        solids = [self._solid(k) for k in indices]
        return tuple(each for each in solids if each is not None) if None not in solids else ()

    def _geoms(self, body: int) -> range:
        start = self.model.body_geomadr[body]
        return range(start, start + self.model.body_geomnum[body])

    def _collides(self, k: int) -> bool:
        return bool(self.model.geom_contype[k] or self.model.geom_conaffinity[k])

    def _shapes(self, indices: Iterable[int]) -> tuple[Shape, ...]:
        return tuple(shape for k in indices if (shape := self.shapes[k]) is not None)

    def _shape(self, k: int) -> Shape | None:
        model, name, kind = self.model, self.names[k], self._kind(k)
        pose = Transform(rotation(model.geom_quat[k]), vector(model.geom_pos[k]))
        if kind in SIZES:
            size = tuple(float(model.geom_size[k][i]) * factor for i, factor in SIZES[kind])
            return Shape(kind, size, pose, self._color(k), name=name)
        number = int(model.geom_dataid[k])
        in_file = self.moved.get(self.meshes[number], Transform()) if kind == "mesh" else Transform()
        file = self._mesh_file(k) if kind == "mesh" else ""
        if not file or in_file is None:
            owner = name or f"a geom of {self.bodies[model.geom_bodyid[k]]}"
            self.left_out.append(f"{owner} ({self._what(kind, number, file)})")
            return None
        # MuJoCo shifts a mesh to its centre of mass and rotates it to its principal axes
        moved = Transform(rotation(model.mesh_quat[number]), vector(model.mesh_pos[number]))
        placement = (pose @ moved.inverse() @ in_file).merged()
        return Shape("mesh", tuple(model.mesh_scale[number].tolist()), placement, self._color(k), file, name=name)

    def _what(self, kind: str, number: int, file: str) -> str:
        """The kind of a geom in a message, with the name of its mesh or height field."""
        if kind == "mesh":
            reason = "with a refquat and unequal scales" if file else "without a file"
            return f"mesh {self.meshes[number]} {reason}"
        return f"height field {self.fields[number]}" if kind == "hfield" else kind

    def _kind(self, k: int) -> str:
        return str(mujoco().mjtGeom(int(self.model.geom_type[k])).name.removeprefix("mjGEOM_").lower())

    def _mesh_file(self, k: int) -> str:
        start = self.model.mesh_pathadr[self.model.geom_dataid[k]]
        if start < 0:
            return ""
        raw: bytes = self.model.paths[start : self.model.paths.index(b"\0", start)]
        return absolute(raw.decode(errors="replace"), os.getcwd())

    def _color(self, k: int) -> tuple[float, ...]:
        model, material = self.model, self.model.geom_matid[k]
        color = tuple(float(str(x)) for x in model.geom_rgba[k])  # shortest decimal of a 32-bit float
        if color == PLAIN:
            if material < 0:
                return ()
            color = tuple(float(str(x)) for x in model.mat_rgba[material])
        return tuple(min(max(x, 0.0), 1.0) for x in color)

    def _solid(self, k: int) -> Solid | None:
        model, kind = self.model, self._kind(k)
        if kind != "mesh":
            shape = self.shapes[k]
            return None if shape is None else solid_of(shape)
        pose = Transform(rotation(model.geom_quat[k]), vector(model.geom_pos[k]))
        mesh_id = model.geom_dataid[k]
        points, faces = model.mesh_vertadr[mesh_id], model.mesh_faceadr[mesh_id]
        vertices = model.mesh_vert[points : points + model.mesh_vertnum[mesh_id]]
        return mesh(pose, vertices, model.mesh_face[faces : faces + model.mesh_facenum[mesh_id]])


def moved_meshes(specification: Any) -> dict[str, Transform | None]:
    """The meshes of an MjSpec with a refpos p or refquat R, by name of the mesh or of its file.

    Vertices v of the file become S R^T (v - p), with the scale S, before MuJoCo centres the mesh. The result is the
    pose in which vertices S v coincide with them; None if S R^T is not a rotation times S.
    """
    moved: dict[str, Transform | None] = {}
    for each in specification.meshes:
        R, p, scale = rotation(each.refquat), vector(each.refpos), vector(each.scale)
        if Transform(R, p) != Transform():
            name = each.name or os.path.splitext(os.path.basename(each.file))[0]
            origin = Vector(-s * x for s, x in zip(scale, R.T @ p, strict=True))
            moved[name] = None if Rotation() != R and len(set(scale)) > 1 else Transform(R.T, origin)
    return moved
