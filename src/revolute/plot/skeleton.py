"""Surfaces of a robot drawn without meshes, as tubes between its joints and frames; surfaces of simple solids."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.dynamics.kinematics import poses_in_parents
from revolute.model import Model, neutral
from revolute.records import dataclass

THICKNESS = 0.018  # radius of the tubes of links, as a fraction of the robot's span
SIDES = 16  # number of faces that approximate a round surface
PARALLEL = 1e-3  # angle between axes up to which they count as parallel [rad], because numbers in files are rounded


def poses(model: Model, q: Sequence[float]) -> Array:
    """(n + 1, 4, 4) poses of all bodies in the base frame."""
    T: list[Array] = []
    for body, pose in zip(model.bodies, poses_in_parents(model, q), strict=True):
        local = pose.matrix()
        T.append(T[body.parent] @ local if T else local)
    return np.array(T)


def ends(model: Model) -> tuple[str, ...]:
    """For the last body of every branch, the frame farthest from its joint."""
    carrying = {body.parent for body in model.bodies[1:]}
    names = []
    for i in range(1, len(model.bodies)):
        if i not in carrying:
            ways = {f.name: round(math.hypot(*map(float, f.placement.p)), 9) for f in model.frames if f.body == i}
            names.append(max(ways, key=lambda name: ways[name]))
    return tuple(names)


def motion_plane(model: Model) -> Array | None:
    """(3,) normal of a plane in which all bodies move, in the base frame, or None; level for a single slide."""
    turns, slides = [], []
    for body, T in zip(model.bodies, poses(model, neutral(model)), strict=True):
        for column in body.joint.columns():
            turns.append(T[:3, :3] @ numbers(column.ang))
            slides.append(T[:3, :3] @ numbers(column.lin))
    across = [np.cross(v, w) for v in slides for w in (*slides, (0, 0, 1), (1, 0, 0))]
    normal = next((w / np.linalg.norm(w) for w in (*turns, *across) if np.linalg.norm(w) > PARALLEL), None)
    if normal is None or any(np.linalg.norm(np.cross(w, normal)) > PARALLEL for w in turns):
        return None
    return None if any(abs(v @ normal) > PARALLEL for v in slides) else normal


def half_axes(model: Model, i: int) -> tuple[Array, Array] | None:
    """The uniform ellipsoid with a body's mass and inertia: (3,) its centre and (3, 3) semi-axes as columns.

    Semi-axes a_k follow from the principal moments I_k: I_1 = m (a_2^2 + a_3^2) / 5, ... A semi-axis is zero if the
    inertia is not physically consistent. None without mass.
    """
    inertia = model.bodies[i].inertia
    mass = float(inertia.m)
    if not mass > 0:
        return None
    moments, axes = np.linalg.eigh(np.array([list(map(float, row)) for row in inertia.about_com()]))
    lengths = np.sqrt(np.maximum(5 / mass * (moments.sum() / 2 - moments), 0))
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return numbers(inertia.com()), axes * lengths


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Surfaces of links and joints, fixed to bodies."""

    span: float  # size of the robot [m], at least 1e-6
    quads: Array  # (k, 4, 3) quadrangles in the frames of their bodies [m]
    body: Array  # (k,) index of the body of each quadrangle
    joint: Array  # (k,) whether the quadrangle belongs to the body's joint rather than its link
    # {body: its parent, the position of its joint in the parent, radius} of prismatic joints
    rails: dict[int, tuple[int, Array, float]]
    middles: Array  # (n + 1, 3) midpoints of the links, in the frames of their bodies [m]

    @classmethod
    def of(cls, model: Model) -> Skeleton:
        """The skeleton of a robot without symbols."""
        points, parents = link_points(model)
        size = span(model)
        pieces: list[tuple[int, bool, Array]] = []
        rails = {}
        for i, (body, own) in enumerate(zip(model.bodies, points, strict=True)):
            lengths = [float(np.linalg.norm(x)) for x in own]
            reach = max([*lengths, parents[i]])
            radius = THICKNESS * size * min(1.0, max(0.3, 6 * reach / size))
            if any(body.joint.linear) and body.joint.quaternion_at is None:
                rails[i] = body.parent, numbers(body.placement.p), radius
            pieces += [(i, True, quads) for quads in _joint(body.joint, i, radius)]
            for x, length in zip(own, lengths, strict=True):
                if length > 0.5 * radius:
                    start = x * (radius / length if length > 3 * radius else 0)  # start inside the joint's cylinder
                    pieces.append((i, False, _rod(start, x, radius)))
        return cls(
            size, np.concatenate([quads for *_, quads in pieces]),
            np.concatenate([np.full(len(quads), i) for i, _, quads in pieces]),
            np.concatenate([np.full(len(quads), joint) for _, joint, quads in pieces]), rails,
            np.array([max(own, key=np.linalg.norm) / 2 for own in points]),
        )

    def at(self, T: Array) -> tuple[Array, Array, Array]:
        """Quads, body and joint in the base frame, for (n + 1, 4, 4) poses, with rods of prismatic joints."""
        pose = T[self.body]
        faces = [self.quads @ np.swapaxes(pose[:, :3, :3], 1, 2) + pose[:, None, :3, 3]]
        body, joint = [self.body], [self.joint]
        for i, (parent, place, radius) in self.rails.items():
            start, end = (T[parent] @ [*place, 1])[:3], T[i, :3, 3]
            if np.linalg.norm(end - start) > 0.5 * radius:
                rod = _rod(start, end, 0.8 * radius)
                faces.append(rod)
                body.append(np.full(len(rod), i))
                joint.append(np.full(len(rod), False))
        return np.concatenate(faces), np.concatenate(body), np.concatenate(joint)


def _rod(start: Array, end: Array, radius: float) -> Array:
    length = float(np.linalg.norm(end - start))
    return tube(start, end, 0.75 * radius, int(np.clip(np.ceil(length / (3 * radius)), 1, 12)))


def span(model: Model) -> float:
    """Size of a robot at its neutral configuration [m], at least 1e-6."""
    pairs = zip(poses(model, neutral(model)), link_points(model)[0], strict=True)
    corners = np.array([(T @ [*x, 1])[:3] for T, points in pairs for x in points])
    return max(float(np.linalg.norm(np.ptp(corners, axis=0))), 1e-6)


def link_points(model: Model) -> tuple[list[list[Array]], list[float]]:
    """For each body, its origin and the end points of its link; and the joint's distance from the parent's origin."""
    points: list[list[Array]] = [[np.zeros(3)] for _ in model.bodies]
    before = [0.0] * len(model.bodies)
    for i, body in enumerate(model.bodies[1:], 1):
        place = numbers(body.placement.p)
        before[i] = float(np.linalg.norm(place))
        points[body.parent].append(place)
    for i in range(len(model.bodies)):
        if len(points[i]) == 1:  # the body has no child bodies
            points[i] += [numbers(frame.placement.p) for frame in model.frames if frame.body == i]
            if not any(x.any() for x in points[i]):
                points[i] += _far_end(model, i)
        points[i] = list({tuple(np.round(x, 9)): x for x in points[i]}.values())
    return points, before


def _far_end(model: Model, i: int) -> list[Array]:
    """The end of a link without frames: that of a uniform rod with its inertia, at most twice as far as the centre."""
    com, axes = half_axes(model, i) or (np.zeros(3), np.zeros((3, 3)))
    distance = float(np.linalg.norm(com))
    return [com * (1 + min(1, 0.6**0.5 * float(np.linalg.norm(com @ axes)) / distance / distance))] if distance else []


def _joint(joint: Any, i: int, radius: float) -> Iterator[Array]:
    """Cylinders about revolute axes, boxes along prismatic axes, balls for other joints, a cube for the base."""
    turning, sliding = joint.turning_axis(), joint.sliding_axis()
    if turning is not None:
        axis = numbers(turning) * 1.9 * radius
        yield tube(-axis, axis, 1.5 * radius, 2)
    elif sliding is not None:
        axis = numbers(sliding) * 2.4 * radius
        yield tube(-axis, axis, 1.9 * radius, 2, 4)
    elif i == 0:
        yield tube((0, 0, -1.3 * radius), (0, 0, 1.3 * radius), 1.84 * radius, 2, 4)
    else:
        yield ball((0, 0, 0), 1.6 * radius)


def numbers(x: Iterable[Any]) -> Array:
    """Convert a vector to an array of floats."""
    return np.array([float(component) for component in x])


def tube(start: ArrayLike, end: ArrayLike, radius: float, rings: int = 1, sides: int = SIDES) -> Array:
    """(k, 4, 3) surface of a cylinder from one point to another, with its ends; four sides make a box.

    `radius` is the radius of the circle through the corners, and `sides` is even. With several `rings` along the axis,
    quadrangles are short, and better sorted by depth.
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.cross(along, np.eye(3)[np.argmin(abs(along))])
    across /= np.linalg.norm(across)
    angles = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    circle = radius * (np.outer(np.cos(angles), across) + np.outer(np.sin(angles), np.cross(along, across)))
    levels = np.linspace(start, end, rings + 1)[:, None] + circle  # shape (rings + 1, sides, 3)
    after = np.roll(levels, -1, axis=1)
    wall = np.stack([levels[:-1], after[:-1], after[1:], levels[1:]], axis=2).reshape(-1, 4, 3)
    fan = np.array([(0, k, k + 1, k + 2) for k in range(1, sides - 2, 2)])
    return np.concatenate([wall, levels[-1][fan], levels[0][fan[:, ::-1]]])


def ball(center: ArrayLike, axes: ArrayLike, sides: int = SIDES) -> Array:
    """(k, 4, 3) surface of an ellipsoid with (3, 3) semi-axes as columns, right-handed; or of a ball with a radius."""
    axes = np.asarray(axes, dtype=float)
    frame = axes if axes.ndim else axes * np.eye(3)
    along, down = np.linspace(0, 2 * np.pi, sides + 1), np.linspace(0, np.pi, sides // 2 + 1)
    around = np.stack([np.cos(along), np.sin(along), np.ones_like(along)], axis=-1)
    unit = np.stack([np.sin(down), np.sin(down), np.cos(down)], axis=-1)[:, None] * around
    grid = np.asarray(center, dtype=float) + unit @ frame.T
    quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
    surface: Array = quads.reshape(-1, 4, 3)
    return surface


def normals(quads: Array) -> Array:
    """(..., 3) outward unit normals of (..., 4, 3) quadrangles; zero for a quadrangle without area."""
    across = np.cross(quads[..., 2, :] - quads[..., 0, :], quads[..., 3, :] - quads[..., 1, :])
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    unit: Array = np.divide(across, length, out=np.zeros_like(across), where=length > 0)
    return unit
