"""The geoms of a body of MJCF: how large it is."""

from __future__ import annotations

from typing import Any

from revolute.io.mjcf_numbers import rotation, vector
from revolute.io.shapes import Shape, box, capsule, cylinder, ellipsoid, mesh
from revolute.spatial import Transform

__all__ = ["body_shapes"]


def body_shapes(model: Any, body: int) -> tuple[Shape, ...]:
    """Of a compiled model: the geoms that collide, or else all; none where one of them is no solid."""
    geoms = range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
    solid = [k for k in geoms if model.geom_contype[k] or model.geom_conaffinity[k]] or geoms
    found = tuple(_shape(model, k) for k in solid)
    return tuple(shape for shape in found if shape is not None) if None not in found else ()


def _shape(model: Any, k: int) -> Shape | None:
    import mujoco

    pose = Transform(rotation(model.geom_quat[k]), vector(model.geom_pos[k]))
    kind = mujoco.mjtGeom(int(model.geom_type[k])).name.removeprefix("mjGEOM_")
    a, b, c = model.geom_size[k].tolist()
    if kind == "BOX":
        return box(pose, (2 * a, 2 * b, 2 * c))
    if kind in ("SPHERE", "ELLIPSOID"):
        return ellipsoid(pose, (a, a, a) if kind == "SPHERE" else (a, b, c))
    if kind in ("CYLINDER", "CAPSULE"):
        return (cylinder if kind == "CYLINDER" else capsule)(pose, a, 2 * b)
    if kind != "MESH":
        return None
    own = model.geom_dataid[k]
    points, faces = model.mesh_vertadr[own], model.mesh_faceadr[own]
    vertices = model.mesh_vert[points : points + model.mesh_vertnum[own]]
    return mesh(pose, vertices, model.mesh_face[faces : faces + model.mesh_facenum[own]])
