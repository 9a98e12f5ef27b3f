"""Joint velocities and accelerations from the time derivatives of positions."""

import numpy as np

from revolute.arguments import Array
from revolute.model.configurations import rotations
from revolute.model.joints import Free, Planar, Spherical
from revolute.model.model import Model


def continuous(model: Model, q: Array) -> tuple[Array, tuple[str, ...]]:
    """Positions (n, nq) without jumps of angles and quaternion signs, and the names of joints that had jumps.

    An angle that jumps by more than pi between two rows counts as wrapped modulo 2 pi; a quaternion whose scalar
    product with the previous one is negative has changed its sign. Neither change moves the robot.
    """
    smooth, jumped, angles = q.copy(), [], [turning.q for turning in rotations(model)]
    smooth[:, angles] = np.unwrap(q[:, angles], axis=0)
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if body.joint.quaternion_at is not None:
            start = at.start + body.joint.quaternion_at
            quaternion = smooth[:, start : start + 4]
            same = np.sum(quaternion[1:] * quaternion[:-1], axis=1) >= 0
            quaternion[1:] *= np.cumprod(np.where(same, 1, -1))[:, None]
        if (smooth[:, at] != q[:, at]).any():
            jumped.append(body.joint_name)
    return smooth, tuple(jumped)


def rates(model: Model, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
    """Joint velocities and accelerations (n, nv) from q (n, nq) and its first and second time derivatives.

    They equal the time derivatives except for free, spherical and planar joints, whose qd is the body twist (w, v) or a
    part of it:

        w  = 2 vec(conj(s) ds) / |s|^2                       s: quaternion, of any length
        wd = (2 vec(conj(s) dds) - w d|s|^2) / |s|^2
        v  = R^T dp,    vd = R^T ddp - w x v                 p: position, R: body to base
    """
    qd, qdd = np.empty((2, len(q), model.nv))
    for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True):
        if conversion := {Free: _twist, Spherical: _spin, Planar: _glide}.get(type(body.joint)):
            qd[:, to], qdd[:, to] = conversion(q[:, at], dq[:, at], ddq[:, at])
        else:
            qd[:, to], qdd[:, to] = dq[:, at], ddq[:, at]
    return qd, qdd


def _twist(q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
    s = q[:, 3:]
    w, wd = _spin(s, dq[:, 3:], ddq[:, 3:])
    v, linear = (_to_body(s / np.linalg.norm(s, axis=1)[:, None], x[:, :3]) for x in (dq, ddq))
    return np.hstack([w, v]), np.hstack([wd, linear - np.cross(w, v)])


def _spin(s: Array, ds: Array, dds: Array) -> tuple[Array, Array]:
    length = np.sum(s * s, axis=1)[:, None]
    w = 2 * _conjugate_times(s, ds) / length
    return w, (2 * _conjugate_times(s, dds) - 2 * w * np.sum(s * ds, axis=1)[:, None]) / length


def _glide(q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
    c, s, w = np.cos(q[:, 2]), np.sin(q[:, 2]), dq[:, 2]
    v, linear = (np.stack([c * x[:, 0] + s * x[:, 1], c * x[:, 1] - s * x[:, 0]]) for x in (dq, ddq))
    turned = np.stack([-w * v[1], w * v[0]])  # the cross product w x v
    return np.stack([w, *v], axis=1), np.stack([ddq[:, 2], *(linear - turned)], axis=1)


def _conjugate_times(a: Array, b: Array) -> Array:
    """Vector part of conj(a) b; quaternions (x, y, z, w)."""
    product: Array = a[:, 3:] * b[:, :3] - b[:, 3:] * a[:, :3] - np.cross(a[:, :3], b[:, :3])
    return product


def _to_body(s: Array, x: Array) -> Array:
    """R^T x of a unit quaternion s: x - 2 w (s x x) + 2 s x (s x x)."""
    turned = np.cross(s[:, :3], x)
    rotated: Array = x - 2 * s[:, 3:] * turned + 2 * np.cross(s[:, :3], turned)
    return rotated
