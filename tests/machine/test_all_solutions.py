"""`inverse_kinematics(..., all=True)`: all solutions of closed forms, once each, in order, within limits."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import limited, load

import revolute
from revolute import Joint, Limits, Link, PointClosure, Robot, ShapeError
from revolute.machine.inverse_kinematics import PoseSolutions

TURN = 2 * math.pi
UR5, PUMA, PANDA = revolute.robots.ur5(), revolute.robots.puma560(), revolute.robots.panda()
START = [0.3, -1.2, 1.1, -0.7, 0.9, 0.4]
SINGULAR = 1e-3
"""Least singular value below which solutions may be found twice, or merge."""


def apart(q: Any, other: Any) -> Any:
    """Largest difference of joint angles, modulo 2 pi."""
    way = np.asarray(q) - other
    return np.abs(way - TURN * np.round(way / TURN)).max(axis=-1)


def link(a: float, alpha: float, d: float, t: float) -> np.ndarray:
    """The transformation of a row of a Denavit-Hartenberg table."""
    (c, s), (ca, sa) = ((math.cos(x), math.sin(x)) for x in (t, alpha))
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def ur5_solutions(T: np.ndarray) -> np.ndarray:
    """(k, 6) positions of the UR5 for a pose of tool0, by geometry; angles modulo 2 pi. Hawkins 2013."""
    d1, a2, a3, d4, d5, d6 = 0.089159, -0.425, -0.39225, 0.10915, 0.09465, 0.0823
    quarter, found = math.pi / 2, []
    T = np.diag([-1, -1, 1, 1]) @ T  # the base of the table is rotated by half a turn
    wrist = T[:3, 3] - d6 * T[:3, 2]
    around, aside = math.atan2(wrist[1], wrist[0]) + quarter, math.acos(d4 / math.hypot(wrist[0], wrist[1]))
    for shoulder, flip, elbow in product((1, -1), repeat=3):
        t1 = around + shoulder * aside
        normal = np.array([math.sin(t1), -math.cos(t1), 0])
        if abs(c5 := (normal @ T[:3, 3] - d4) / d6) > 1:
            continue
        t5 = flip * math.acos(c5)
        t6 = math.atan2(-flip * (normal @ T[:3, 1]), flip * (normal @ T[:3, 0]))
        ends = link(0, -quarter, d5, t5) @ link(0, 0, d6, t6)
        arm = np.linalg.inv(link(0, quarter, d1, t1)) @ T @ np.linalg.inv(ends)
        x, y = arm[:2, 3]
        if abs(c3 := (x * x + y * y - a2**2 - a3**2) / (2 * a2 * a3)) > 1:
            continue
        t3 = elbow * math.acos(c3)
        t2 = math.atan2(y, x) - math.atan2(a3 * math.sin(t3), a2 + a3 * math.cos(t3))
        found.append([t1, t2, t3, math.atan2(arm[1, 0], arm[0, 0]) - t2 - t3, t5, t6])
    return np.array(found).reshape(-1, 6)


def puma_solutions(T: np.ndarray) -> np.ndarray:
    """(k, 6) positions of the Puma 560 for a pose of its flange at the wrist's centre, by geometry."""
    a2, a3, d3, d4 = 0.4318, -0.0203, 0.2435 - 0.0934, 0.4331
    (x, y, z), found = T[:3, 3], []
    if x * x + y * y < d3**2:
        return np.empty((0, 6))
    forearm, bend = math.hypot(a3, d4), math.atan2(-d4, a3)
    for shoulder, elbow, flip in product((1, -1), repeat=3):
        u = shoulder * math.sqrt(x * x + y * y - d3**2)
        c = (u * u + z * z - a2**2 - forearm**2) / (2 * a2 * forearm)
        if abs(c) > 1:
            continue
        psi = elbow * math.acos(c)
        t1, t3 = math.atan2(y, x) - math.atan2(d3, u), psi - bend
        t2 = math.atan2(-z, u) - math.atan2(forearm * math.sin(psi), a2 + forearm * math.cos(psi))
        (c1, s1), (c23, s23) = ((math.cos(t), math.sin(t)) for t in (t1, t2 + t3))
        R3 = np.array([[c1 * c23, -c1 * s23, -s1], [s1 * c23, -s1 * s23, c1], [-s23, -c23, 0]])
        M = R3.T @ T[:3, :3] @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # turns about -y, z, -y
        t5 = flip * math.acos(np.clip(M[1, 1], -1, 1))
        found.append([t1, t2, t3, math.atan2(-flip * M[2, 1], -flip * M[0, 1]), t5,
                      math.atan2(-flip * M[1, 2], flip * M[1, 0])])  # fmt: skip
    return np.array(found).reshape(-1, 6)


CLOSED: dict[str, tuple[Robot, str, Callable[[np.ndarray], np.ndarray]]] = {
    "ur5": (UR5, "tool0", ur5_solutions),
    "puma560": (PUMA, PUMA.link_names[-1], puma_solutions),
}


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("arm", CLOSED)
def test_all_solutions_are_those_of_closed_forms(arm: str, count: int) -> None:
    robot, frame, solutions = CLOSED[arm]
    q = np.random.default_rng(5).uniform(-math.pi, math.pi, (count, 6))
    poses = robot.forward_kinematics(q, frame)
    found = robot.inverse_kinematics(poses, frame, limits=False, all=True)
    total = missed = 0
    for k in range(count):
        closed, ends = solutions(poses[k]), found.q[k][found.converged[k]]
        assert np.abs(robot.forward_kinematics(closed, frame) - poses[k]).max() < 1e-6
        assert apart(closed, q[k]).min() < 1e-6
        sigma = np.linalg.svd(robot.jacobian(ends, frame), compute_uv=False)[:, -1]
        regular = ends[sigma > SINGULAR]
        assert (apart(regular[:, None], ends[None]) < 1e-3).sum() == len(regular), "found twice"
        assert all(apart(closed, x).min() < 1e-6 for x in regular), "not of the closed form"
        total += len(closed)
        missed += sum(apart(ends, x).min(initial=9) > 1e-3 for x in closed)
    assert missed <= 0.0005 * total, f"{missed} of {total} missed"
    ends = robot.forward_kinematics(found.q[found.converged], frame)
    wanted = poses[np.nonzero(found.converged)[0]]
    assert np.abs(ends - wanted).max() < 1e-11
