"""Mechanics from first principles, by poses alone: independent of every recursion that is tested.

Poses come from `frame_pose`; rates of poses from complex steps, exact to rounding. A rigid
body's energies follow from its 4x4 pseudo-inertia S = integral of x x^T dm over homogeneous
points x: kinetic energy tr(Td S Td^T) / 2, potential energy -g . (T S)[:3, 3].
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np

from revolute import Free, Planar, Robot, Spherical
from revolute.dynamics.kinematics import frame_pose

STEP = 1e-30
EULER_SEQUENCES = ["".join(axes) for axes in product("XYZ", repeat=3) if axes[1] not in (axes[0], axes[2])]


def poses(robot: Robot, q: np.ndarray) -> np.ndarray:
    """(frames, 4, 4) poses of all links; q may be complex."""
    return np.array([frame_pose(robot, list(q), name).matrix() for name in robot.link_names])


def pose_rates(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(frames, 4, 4) rates of all link poses."""
    return np.imag(poses(robot, q + 1j * STEP * coordinate_rates(robot, q, qd))) / STEP


def coordinate_rates(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """dq/dt, which is not qd of free, spherical and planar joints: p' = R v, quaternion' = quaternion * w / 2."""
    rates = []
    for body, at, rate_at in zip(robot.bodies, robot.q_index, robot.v_index, strict=True):
        x, xd = q[at], qd[rate_at]
        if isinstance(body.joint, Planar):
            c, s = np.cos(x[2]), np.sin(x[2])
            rates += [c * xd[1] - s * xd[2], s * xd[1] + c * xd[2], xd[0]]
        elif isinstance(body.joint, (Free, Spherical)):
            R = np.array(body.joint.transform(list(x)).R.matrix())
            (a, b, c, w), (wx, wy, wz) = x[-4:], xd[:3]
            turn = [
                w * wx + b * wz - c * wy,
                w * wy + c * wx - a * wz,
                w * wz + a * wy - b * wx,
                -a * wx - b * wy - c * wz,
            ]
            rates += [*(R @ xd[3:] if len(xd) == 6 else ()), *(np.array(turn) / 2)]
        else:
            rates += [*xd]
    return np.array(rates)


def advance(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """State after a short time h, to second order."""
    middle = qd + h / 2 * qdd
    half = q + h / 2 * coordinate_rates(robot, q, qd + h / 4 * qdd)
    return q + h * coordinate_rates(robot, half, middle), qd + h * qdd


def pseudo_inertias(robot: Robot) -> dict[str, np.ndarray]:
    """The 4x4 pseudo-inertia of every body, by the name of its link frame."""
    found = {}
    for body in robot.bodies:
        I = np.array(body.inertia.I, dtype=float)
        S = np.zeros((4, 4))
        S[:3, :3] = np.trace(I) / 2 * np.eye(3) - I
        S[:3, 3] = S[3, :3] = body.inertia.h
        S[3, 3] = body.inertia.m
        found[body.name] = S
    return found


def kinetic_energy(robot: Robot, q: np.ndarray, qd: np.ndarray) -> float:
    rates = dict(zip(robot.link_names, pose_rates(robot, q, qd), strict=True))
    return sum(
        float(np.trace(rates[name] @ S @ rates[name].T)) / 2
        for name, S in pseudo_inertias(robot).items()
        if name in rates
    )


def potential_energy(robot: Robot, q: np.ndarray) -> complex:
    placed = dict(zip(robot.link_names, poses(robot, q), strict=True))
    g = np.array(robot.gravity, dtype=float)
    return -sum(g @ (placed[name] @ S)[:3, 3] for name, S in pseudo_inertias(robot).items() if name in placed)


def slope(f: Callable[[complex], Any]) -> np.ndarray:
    """df/ds at s = 0 by a complex step: exact to rounding."""
    return np.imag(np.array(f(1j * STEP), dtype=complex)) / STEP


def slopes(f: Callable[[np.ndarray], Any], directions: Iterable[np.ndarray]) -> np.ndarray:
    """Derivatives of f at zero along each direction, on a new last axis."""
    return np.stack([slope(lambda s, d=d: f(s * d)) for d in directions], -1)


def by_positions(f: Callable[[np.ndarray], Any], robot: Robot, q: np.ndarray) -> np.ndarray:
    """Derivatives of f along each unit joint velocity, on a new last axis."""
    return slopes(lambda d: f(q + d), unit_rates(robot, q))


def by_state(
    f: Callable[..., Any], robot: Robot, q: np.ndarray, qd: np.ndarray, last: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Derivatives of f(q, qd, last) along each unit joint velocity, by qd, and by the last, on a new last axis."""
    unit = np.eye(robot.nv)
    by_qd, by_last = slopes(lambda d: f(q, qd + d, last), unit), slopes(lambda d: f(q, qd, last + d), unit)
    return by_positions(lambda x: f(x, qd, last), robot, q), by_qd, by_last


def unit_rates(robot: Robot, q: np.ndarray) -> list[np.ndarray]:
    """dq/dt for each unit joint velocity."""
    return [coordinate_rates(robot, q, e) for e in np.eye(robot.nv)]


def frame_jacobian(robot: Robot, q: np.ndarray, name: str) -> np.ndarray:
    """(6, nv): twist (w, v) of a link frame along its own axes, from T^-1 dT."""
    k = robot.link_names.index(name)
    T = poses(robot, q)[k]
    columns = []
    for rate in unit_rates(robot, q):
        B = np.linalg.inv(T) @ np.imag(poses(robot, q + 1j * STEP * rate)[k]) / STEP
        columns.append([B[2, 1], B[0, 2], B[1, 0], *B[:3, 3]])
    return np.array(columns).reshape(-1, 6).T


def turn(axis: str, angle: float) -> np.ndarray:
    """An elementary rotation."""
    k, c, s = "XYZ".index(axis), np.cos(angle), np.sin(angle)
    R, at = np.eye(3), [(k + 1) % 3, (k + 2) % 3]
    R[np.ix_(at, at)] = [[c, -s], [s, c]]
    return R


def axes_of(sequence: str, angles: np.ndarray) -> np.ndarray:
    """E with w = E d(angles)/dt: axes of the three turns in the base, each moved by the turns before."""
    R, columns = np.eye(3), []
    for axis, angle in zip(sequence, angles, strict=True):
        columns.append(R @ np.eye(3)["XYZ".index(axis)])
        R = R @ turn(axis, angle)
    return np.array(columns).T
