"""A robot as capsules from joint to joint, made of the model alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.model.configurations import neutral
from revolute.model.model import Model
from revolute.plot.skeleton import poses
from revolute.view.mesh_files import Surface
from revolute.view.viewable import Array

__all__ = ["capsules", "span"]

THICKNESS = 0.02
"""Radius of a capsule, as a share of the robot's span."""
LINK, JOINT = (0.63, 0.68, 0.73, 1.0), (0.04, 0.43, 0.6, 1.0)


def span(model: Model) -> float:
    """Size of the robot at its neutral configuration [m], at least 1e-3."""
    T = poses(model, neutral(model))
    frames = [T[frame.body][:3, :3] @ _numbers(frame.placement.p) + T[frame.body][:3, 3] for frame in model.frames]
    return max(float(np.linalg.norm(np.ptp(np.array([*frames, *T[:, :3, 3]]), axis=0))), 1e-3)


def capsules(model: Model) -> dict[int, list[Surface]]:
    """Capsules from each joint to the next ones, and a cylinder about each turning axis, by places of frames."""
    from trimesh import creation

    radius = THICKNESS * span(model)
    frame_of = {}
    for k, frame in reversed(list(enumerate(model.frames))):
        frame_of[frame.body] = k
    found: dict[int, list[Surface]] = {}
    for i, own in enumerate(_points(model)):
        if i not in frame_of:  # the world below a free base
            continue
        parts = []
        axis = model.bodies[i].joint.turning_axis()
        if axis is not None:
            along = _numbers(axis) * 1.9 * radius
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


def _points(model: Model) -> list[list[Array]]:
    """For every body the points that its link reaches to, along its axes."""
    points: list[list[Array]] = [[] for _ in model.bodies]
    for body in model.bodies[1:]:
        points[body.parent].append(_numbers(body.placement.p))
    for i, body in enumerate(model.bodies):
        if not points[i]:  # no joint follows
            points[i] = [_numbers(frame.placement.p) for frame in model.frames if frame.body == i]
            if not any(x.any() for x in points[i]) and body.inertia.m != 0:
                points[i].append(_numbers(body.inertia.com()))
    return points


def _numbers(x: object) -> Array:
    return np.array([float(component) for component in x])  # type: ignore[attr-defined]
