"""Surfaces of a robot's links: the surfaces of shapes, or capsules if the description contains no shapes."""

from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, MissingExtraError, warn_caller
from revolute.model import Model, Shape
from revolute.plot.skeleton import link_points, numbers, span
from revolute.view.mesh_files import Surface, surfaces, trimesh

ENDLESS = 10.0  # edge length of the squares that represent infinite planes [m]
THICKNESS = 0.02  # radius of a capsule, as a fraction of the robot's span
LINK, JOINT = (0.63, 0.68, 0.73, 1.0), (0.04, 0.43, 0.6, 1.0)


def link_surfaces(model: Model, collisions: bool = False) -> dict[int, list[Surface]]:
    """Surfaces in the frames of links, by the link's index in `model.frames`.

    Links are shown by visual shapes, or else by collision shapes; `collisions` reverses this preference. A
    mesh that cannot be shown is omitted with a warning. A robot without shapes is drawn as capsules.
    """
    found: dict[int, list[Surface]] = {}
    known: dict[tuple[object, ...], list[Surface] | None] = {}
    reasons = []
    for k, frame in enumerate(model.frames):
        chosen = (frame.collisions or frame.visuals) if collisions else (frame.visuals or frame.collisions)
        for shape in chosen:
            key = (shape.kind, shape.file, shape.folder, shape.size)
            try:
                parts = known[key] if key in known else _surfaces(shape)
            except (InputError, MissingExtraError) as error:
                reasons.append(f"link '{frame.name}': {error}")
                parts = None
            known[key] = parts
            T = shape.placement.matrix()
            found.setdefault(k, []).extend(moved(part, T, shape.color) for part in parts or ())
    if reasons:
        more = f"; and {len(reasons) - 3} more" if len(reasons) > 3 else ""
        warn_caller(f"robot '{model.name}': not shown: {'; '.join(reasons[:3])}{more}")
    return {k: parts for k, parts in found.items() if parts} or capsules(model)


def moved(part: Surface, T: Array, color: tuple[float, ...] = ()) -> Surface:
    """The surface at a different pose; a colour in the description overrides the colour in the mesh file."""
    return Surface(part.vertices @ T[:3, :3].T + T[:3, 3], part.faces, color or part.color)


def _surfaces(shape: Shape) -> list[Surface]:
    if shape.kind == "mesh":
        return surfaces(shape)
    size, creation = shape.size, trimesh().creation
    if shape.kind == "box":
        solid = creation.box(extents=size)
    elif shape.kind == "sphere":
        solid = creation.icosphere(subdivisions=3, radius=size[0])
    elif shape.kind == "cylinder":
        solid = creation.cylinder(radius=size[0], height=size[1], sections=32)
    elif shape.kind == "capsule":
        solid = creation.capsule(radius=size[0], height=size[1])
        solid.apply_translation((0, 0, -solid.bounds.mean(axis=0)[2]))
    elif shape.kind == "ellipsoid":
        solid = creation.icosphere(subdivisions=3)
        solid.apply_scale(size)
    else:
        solid = creation.box(extents=(size[0] or ENDLESS, size[1] or ENDLESS, 1e-3))
    return [Surface(np.asarray(solid.vertices, float), np.asarray(solid.faces))]


def first_links(model: Model) -> dict[int, int]:
    """For each body, the index of its first link."""
    return {frame.body: k for k, frame in reversed(list(enumerate(model.frames)))}


def capsules(model: Model) -> dict[int, list[Surface]]:
    """Capsules from each joint to the next ones, and a cylinder about each revolute axis, by indices of frames."""
    radius, creation = THICKNESS * span(model), trimesh().creation
    frame_of = first_links(model)
    found: dict[int, list[Surface]] = {}
    for i, own in enumerate(link_points(model)[0]):
        if i not in frame_of:  # the world has no frame, so skip it
            continue
        parts = []
        axis = model.bodies[i].joint.turning_axis()
        if axis is not None:
            along = numbers(axis) * 1.9 * radius
            parts.append((creation.cylinder(1.5 * radius, segment=np.array([-along, along]), sections=24), JOINT))
        else:
            parts.append((creation.icosphere(2, 1.6 * radius), JOINT))
        parts += [(_capsule(x, radius), LINK) for x in own if np.linalg.norm(x) > 0.5 * radius]
        place = np.linalg.inv(model.frames[frame_of[i]].placement.matrix())
        found[frame_of[i]] = [
            Surface(solid.vertices @ place[:3, :3].T + place[:3, 3], np.asarray(solid.faces), color)
            for solid, color in parts
        ]
    return found


def _capsule(end: Array, radius: float) -> Any:
    length = float(np.linalg.norm(end))
    solid = trimesh().creation.capsule(radius=radius, height=length, count=(16, 16))
    solid.apply_translation((0, 0, length / 2 - solid.bounds.mean(axis=0)[2]))
    solid.apply_transform(trimesh().geometry.align_vectors((0, 0, 1), end / length))
    return solid
