"""Joint velocities and accelerations from the time derivatives of positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.joints import Free, Revolute
from revolute.robot import Robot

__all__ = ["continuous", "rates"]

Array = NDArray[Any]


def continuous(robot: Robot, q: Array) -> tuple[Array, tuple[str, ...]]:
    """Positions without the jumps of their coordinates, and the joints that had such.

    Angles that jump by more than pi between two rows have been wrapped; quaternions that
    turn by more than a half in four dimensions have changed sign. Neither moves the robot.

    Args:
        q: (n, nq) positions.
    """
    smooth, jumped = q.copy(), []
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        if isinstance(body.joint, Revolute):
            smooth[:, at] = np.unwrap(q[:, at], axis=0)
        elif isinstance(body.joint, Free):
            quaternion = smooth[:, at][:, 3:]
            same = np.sum(quaternion[1:] * quaternion[:-1], axis=1) >= 0
            quaternion[1:] *= np.cumprod(np.where(same, 1, -1))[:, None]
        if abs(smooth[:, at] - q[:, at]).max(initial=0) > 1:
            jumped.append(body.joint_name)
    return smooth, tuple(jumped)


def rates(robot: Robot, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
    """qd and qdd from the first and second time derivatives of q.

    They are the same numbers but for free joints, whose qd is the body twist (w, v):

        w  = 2 vec(conj(s) ds) / |s|^2                       s: quaternion, of any length
        wd = (2 vec(conj(s) dds) - w d|s|^2) / |s|^2
        v  = R^T dp,    vd = R^T ddp - w x v                 p: position, R: body to base

    Args:
        q, dq, ddq: (n, nq) positions and their time derivatives.

    Returns:
        (n, nv) velocities and accelerations.
    """
    qd, qdd = np.empty((2, len(q), robot.nv))
    for body, at, to in zip(robot.bodies, robot.q_index, robot.v_index, strict=True):
        if isinstance(body.joint, Free):
            qd[:, to], qdd[:, to] = _twist(q[:, at], dq[:, at], ddq[:, at])
        else:
            qd[:, to], qdd[:, to] = dq[:, at], ddq[:, at]
    return qd, qdd


def _twist(q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
    s, ds, dds = q[:, 3:], dq[:, 3:], ddq[:, 3:]
    length = np.sum(s * s, axis=1)[:, None]
    w = 2 * _conjugate_times(s, ds) / length
    wd = (2 * _conjugate_times(s, dds) - 2 * w * np.sum(s * ds, axis=1)[:, None]) / length
    v, linear = (_to_body(s / np.sqrt(length), x[:, :3]) for x in (dq, ddq))
    return np.hstack([w, v]), np.hstack([wd, linear - np.cross(w, v)])


def _conjugate_times(a: Array, b: Array) -> Array:
    """Vector part of conj(a) b; quaternions (x, y, z, w)."""
    product: Array = a[:, 3:] * b[:, :3] - b[:, 3:] * a[:, :3] - np.cross(a[:, :3], b[:, :3])
    return product


def _to_body(s: Array, x: Array) -> Array:
    """R^T x of a unit quaternion s: x - 2 w (s x x) + 2 s x (s x x)."""
    turned = np.cross(s[:, :3], x)
    rotated: Array = x - 2 * s[:, 3:] * turned + 2 * np.cross(s[:, :3], turned)
    return rotated
