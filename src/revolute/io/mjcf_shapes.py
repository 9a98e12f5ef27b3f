"""The geoms of a body of MJCF: its size."""

from __future__ import annotations

from typing import Any

from revolute.io.mjcf_numbers import rotation, vector
from revolute.io.shapes import Shape, box, capsule, cylinder, ellipsoid, mesh
from revolute.spatial import Transform

__all__ = ["body_shapes"]


def body_shapes(model: Any, body: int) -> tuple[Shape, ...]:
    """The geoms of a body that collide, or else all of them; () if one is not a solid."""
    geoms = range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
    indices = [k for k in geoms if model.geom_contype[k] or model.geom_conaffinity[k]] or geoms
    shapes = tuple(_shape(model, k) for k in indices)
    return tuple(shape for shape in shapes if shape is not None) if None not in shapes else ()


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
    mesh_id = model.geom_dataid[k]
    points, faces = model.mesh_vertadr[mesh_id], model.mesh_faceadr[mesh_id]
    vertices = model.mesh_vert[points : points + model.mesh_vertnum[mesh_id]]
    return mesh(pose, vertices, model.mesh_face[faces : faces + model.mesh_facenum[mesh_id]])
