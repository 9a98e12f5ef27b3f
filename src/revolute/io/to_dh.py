"""The Denavit-Hartenberg table of a serial arm, from the common normals of its joint axes."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from revolute.arguments import Array, number
from revolute.errors import InputError, ModelError
from revolute.io.dh import CONVENTIONS, DHRow, DHTable
from revolute.io.plain import need_numbers
from revolute.model.joints import Prismatic, Revolute
from revolute.model.model import Model
from revolute.spatial import Matrix, Rotation, Transform, Vector


def to_dh(model: Model, convention: str, flange: str | None, tolerance: float) -> DHTable:
    """See `Robot.to_dh`."""
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise InputError(f"convention must be one of {', '.join(map(repr, CONVENTIONS))}, not {convention!r}")
    if not number("tolerance", tolerance) > 0:
        raise InputError(f"tolerance, both an angle [rad] and a length [m], must be positive, not {tolerance}")
    _check(model)
    end = Transform() if flange is None else model.frame(flange).placement
    if flange is not None and model.frame(flange).body != model.n_joints:
        raise InputError(f"flange: link '{flange}' is not on the last body, '{model.bodies[-1].name}'")
    homes = _homes(model)
    lines = [(np.zeros(3), np.array([0.0, 0.0, 1.0]))]  # point and direction of each axis 0 ... n; axis 0 is z
    for body, home in zip(model.bodies[1:], homes[1:], strict=True):
        axis: Vector = body.joint.axis  # type: ignore[attr-defined]  # of one-axis joints
        lines.append((home[:3, 3], home[:3, :3] @ np.array([float(x) for x in axis])))
    table = _table(model, convention, homes, lines, tolerance)
    return replace(table, flange=(table.flange @ end).merged())


def _table(
    model: Model, convention: str, homes: Sequence[Array], lines: Sequence[tuple[Array, Array]], tolerance: float
) -> DHTable:
    x, start = np.array([1.0, 0.0, 0.0]), lines[0][0]  # direction and end of the previous normal
    a, alpha, d, theta = [0.0], [0.0], [0.0], [0.0]  # angles about, offsets along x_k-1 and z_k; entry 0: mount
    near, far = [], []  # frames on axis k, and at the other end of the normal
    for k, (_, z) in enumerate(lines):
        last_x = x
        foot, x, end = _normal(start, x, lines[k], lines[k + 1], tolerance) if k + 1 < len(lines) else (start, x, start)
        next_z = lines[k + 1][1] if k + 1 < len(lines) else z
        if k:
            d.append(float((foot - start) @ z))
            theta.append(_angle(last_x, x, z))
        near.append(_frame(x, z, foot))
        far.append(_frame(x, next_z, end))
        a.append(float((end - foot) @ x))
        alpha.append(_angle(z, next_z, x))
        start = end
    craig = convention != "standard"
    frames = near if craig else far
    size = max(map(abs, (*a, *d)))
    rows = []
    for k, body in enumerate(model.bodies[1:], 1):
        across = k if craig else k + 1
        lengths = [0.0 if abs(x) < 1e-15 * size else x for x in (a[across], d[k])]
        inertia = _pose(np.linalg.inv(frames[k]) @ homes[k]) @ body.inertia
        slides = isinstance(body.joint, Prismatic)
        drive = replace(body.drive, mimic=None)  # names of mimicked joints are not valid in a DH table
        rows.append(DHRow(lengths[0], alpha[across], lengths[1], theta[k], inertia, body.limits, slides, drive))
    return DHTable(convention, tuple(rows), _pose(frames[0]), _pose(np.linalg.inv(frames[-1]) @ homes[-1]))


def _normal(
    start: Array, x: Array, line: tuple[Array, Array], next_line: tuple[Array, Array], tolerance: float
) -> tuple[Array, Array, Array]:
    """Foot, direction and end of the common normal of two axes."""
    # `start` is the end and `x` the direction of the previous normal. Parallel axes get the normal through `start`;
    # coincident axes keep x. The direction is within a right angle of x, for the smaller offset of theta.
    (_, z), (p, next_z) = line, next_line
    normal = np.cross(z, next_z)
    s = np.linalg.norm(normal)
    between = p - start
    if s <= tolerance:
        across = between - (between @ z) * z
        length = np.linalg.norm(across)
        if length <= tolerance:
            return start, x, start
        return start, _along(x, across / length), start + across
    n = normal / s
    foot = start + (np.cross(between, next_z) @ n / s) * z
    end = p + (np.cross(between, z) @ n / s) * next_z
    return foot, _along(x, n), end


def _along(x: Array, n: Array) -> Array:
    return -n if x @ n < -1e-9 else n


def _angle(first: Array, second: Array, axis: Array) -> float:
    """The angle about an axis [rad]; multiples of a right angle are exact."""
    angle = math.atan2(float(np.cross(first, second) @ axis), float(first @ second))
    quarters = round(angle / (math.pi / 2))
    return quarters * (math.pi / 2) if abs(angle - quarters * (math.pi / 2)) < 1e-11 else angle


def _frame(x: Array, z: Array, origin: Array) -> Array:
    T = np.eye(4)
    T[:3] = np.column_stack([x, np.cross(z, x), z, origin])
    return T


def _pose(T: Array) -> Transform:
    rows = Matrix(tuple(round(x) if abs(x - round(x)) < 1e-15 else x for x in row) for row in T[:3, :3].tolist())
    return Transform(Rotation.from_matrix(rows), Vector(T[:3, 3].tolist()))


def _homes(model: Model) -> list[Array]:
    """Poses of all bodies in the base at q = 0."""
    homes = [np.eye(4)]
    for body in model.bodies[1:]:
        homes.append(homes[body.parent] @ np.array(body.placement.matrix(), dtype=float))
    return homes


def _check(model: Model) -> None:
    need_numbers(model, "a DH table")
    if not model.n_joints:
        raise ModelError(f"robot '{model.name}': it has no joints, so there is no DH table")
    for i, body in enumerate(model.bodies[1:], 1):
        if not isinstance(body.joint, (Revolute, Prismatic)):
            raise ModelError(
                f"joint '{body.joint_name}': DH tables support revolute and prismatic joints, not "
                f"{type(body.joint).__name__.lower()} ones"
            )
        if body.parent != i - 1:
            raise ModelError(
                f"joint '{body.joint_name}': it branches off link '{model.bodies[body.parent].name}', but a DH table "
                "needs a serial arm; select one chain with lock() or subtree()"
            )
