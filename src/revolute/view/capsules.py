"""A robot as capsules from joint to joint, without meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.model.configurations import neutral
from revolute.model.model import Model
from revolute.plot.skeleton import link_points, numbers, poses
from revolute.view.mesh_files import Surface
from revolute.view.viewable import Array

__all__ = ["capsules", "span"]

THICKNESS = 0.02
"""Radius of a capsule, as a fraction of the robot's span."""
LINK, JOINT = (0.63, 0.68, 0.73, 1.0), (0.04, 0.43, 0.6, 1.0)


def span(model: Model) -> float:
    """Size of a robot at its neutral configuration [m], at least 1e-3."""
    T = poses(model, neutral(model))
    frames = [T[frame.body][:3, :3] @ numbers(frame.placement.p) + T[frame.body][:3, 3] for frame in model.frames]
    return max(float(np.linalg.norm(np.ptp(np.array([*frames, *T[:, :3, 3]]), axis=0))), 1e-3)


def capsules(model: Model) -> dict[int, list[Surface]]:
    """Capsules from each joint to the next ones, and a cylinder about each revolute axis, by indices of frames."""
    from trimesh import creation

    radius = THICKNESS * span(model)
    frame_of = {}
    for k, frame in reversed(list(enumerate(model.frames))):
        frame_of[frame.body] = k
    found: dict[int, list[Surface]] = {}
    for i, own in enumerate(link_points(model)[0]):
        if i not in frame_of:  # the world of a free base
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


def _capsule(end: Array, radius: float) -> object:
    from trimesh import creation, geometry

    length = float(np.linalg.norm(end))
    solid = creation.capsule(radius=radius, height=length, count=(16, 16))
    solid.apply_translation((0, 0, length / 2 - solid.bounds.mean(axis=0)[2]))
    turn: Any = geometry.align_vectors
    solid.apply_transform(turn((0, 0, 1), end / length))
    return solid
