"""A floating robot with two arms' joints, and motions of it in flight and under known wrenches."""

from __future__ import annotations

import numpy as np

from revolute import Connection, Free, Inertia, Link, Revolute, Robot, Transform
from revolute.identification import Samples

__all__ = ["RATE", "flight", "floater", "heavier", "pushed"]

Array = np.ndarray
RATE = 500


def floater() -> Robot:
    """A box of 6 kg, and two links on axes that are not parallel."""
    box = Inertia.box(6.0, (0.5, 0.3, 0.2))
    first = Inertia.box(2.0, (0.4, 0.1, 0.1), Transform(p=(0.2, 0.0, 0.02)))
    second = Inertia.box(1.0, (0.1, 0.1, 0.5), Transform(p=(0.03, 0.0, 0.25)))
    return Robot.from_links(
        "floater",
        [Link("world"), Link("box", box), Link("upper", first), Link("lower", second)],
        [
            Connection("free", "world", "box", Free()),
            Connection("shoulder", "box", "upper", Revolute((0, 0, 1)), Transform(p=(0.2, 0.1, 0.1))),
            Connection("elbow", "upper", "lower", Revolute((0, 1, 0)), Transform(p=(0.4, 0.0, 0.0))),
        ],
    )


def heavier(robot: Robot) -> Robot:
    """Each link with its own factor: the robot of the log."""
    factors = np.array([1.2, 0.85, 1.3])
    return robot.with_inertial_parameters(factors[:, None] * robot.inertial_parameters)


def times(seconds: float) -> Array:
    return np.arange(int(seconds * RATE)) / RATE


def flight(robot: Robot, seconds: float = 4.0) -> Samples:
    """A motion by forces of the joints alone, which are measured."""
    t, rng = times(seconds), np.random.default_rng(3)
    w, phase = rng.uniform(4, 12, (2, 6, 1, 2))
    tau = np.zeros((len(t), robot.nv))
    tau[:, 6:] = np.array([1.5, 0.6]) * np.sin(w * t[:, None] + phase).sum(axis=0)
    turning = np.array([1.0, 0.7, -0.5, 0.3, 0.2, 9.0, 0.0, 0.0])  # thrown up
    found = robot.simulate(robot.home(), turning, tau, t)
    return Samples(t, found.q, found.qd, found.qdd, np.where(np.arange(robot.nv) < 6, np.nan, found.tau))


def pushed(robot: Robot, seconds: float = 4.0) -> tuple[Samples, Array]:
    """A motion that is prescribed, with the forces of the joints, and the (T, 6) wrench on the box that it needs."""
    t = times(seconds)
    h = 1e-3
    # derivatives of fourth order of functions with frequencies below 8 rad/s: (8 h)^4 / 30, 1e-10
    steps = [(_curve(t + k * h), c) for k, c in ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))]
    q, qd = _curve(t)
    qdd = sum(c * curve[1] for curve, c in steps) / h
    tau = robot.inverse_dynamics(q, qd, qdd)
    return Samples(t, q, qd, qdd, np.where(np.arange(robot.nv) < 6, np.nan, tau)), tau[:, :6]


def _curve(t: Array) -> tuple[Array, Array]:
    """q and qd: sines, and a quaternion of sines, far from the origin."""
    rng = np.random.default_rng(4)
    w, a, phase = rng.uniform(1, 8, (9, 3)), rng.normal(0, 0.3, (9, 3)), rng.uniform(0, 6, (9, 3))
    x = np.sum(a * np.sin(t[:, None, None] * w + phase), axis=-1)
    v = np.sum(a * w * np.cos(t[:, None, None] * w + phase), axis=-1)
    u, ud = np.column_stack([x[:, :3], np.ones(len(t))]), np.column_stack([v[:, :3], np.zeros(len(t))])
    length = np.linalg.norm(u, axis=1, keepdims=True)
    e = u / length
    ed = ud / length - e * np.sum(u * ud, axis=1, keepdims=True) / length**2
    omega = 2 * (e[:, 3:] * ed[:, :3] - ed[:, 3:] * e[:, :3] - np.cross(e[:, :3], ed[:, :3]))
    R = np.stack([_turned(e, axis) for axis in np.eye(3)], axis=-1)
    velocity = np.einsum("tji,tj->ti", R, v[:, 3:6])
    q = np.column_stack([x[:, 3:6] + [3.0, -2.0, 1.0], e, x[:, 6:8]])
    return q, np.column_stack([omega, velocity, v[:, 6:8]])


def _turned(e: Array, axis: Array) -> Array:
    """(T, 3) an axis turned by quaternions."""
    first = 2 * np.cross(e[:, :3], axis)
    return np.asarray(axis + e[:, 3:] * first + np.cross(e[:, :3], first))
