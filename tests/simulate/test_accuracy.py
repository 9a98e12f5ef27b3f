"""Accuracy over long times: energy, a chaotic motion and a tumbling body beside 20 digits by mpmath."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import revolute
from revolute import Inertia, Link, Robot

Point = list[Any]


@pytest.mark.slow
@pytest.mark.parametrize(("q0", "rtol"), [([0, 0.3, 0, -1.5, 0, 1.6, 0], 1e-10), (None, 1e-12)])
def test_energy_of_a_panda_over_a_minute(q0: Any, rtol: float) -> None:
    """It falls and whirls at up to 150 rad/s without friction: 1e-9 of the energy that goes to and fro."""
    robot, t = revolute.robots.panda(), np.linspace(0, 60, 601)
    start = robot.home() if q0 is None else q0
    motion = robot.simulate(start, np.zeros(7), None, t, "DOP853", rtol=rtol, atol=rtol / 10)
    assert np.ptp(motion.energy) < 1e-9 * np.ptp(motion.potential_energy)


def extrapolated(field: Callable[[Point], Point], y: Point, h: Any, columns: int = 8) -> Point:
    """One step by Gragg's midpoint rule with 2, 4 ... 2 columns parts, extrapolated: order 2 columns. HNW II.9."""

    def moved(y: Point, rate: Point, h: Any) -> Point:
        return [a + h * b for a, b in zip(y, rate, strict=True)]

    table: list[Point] = []
    start = field(y)
    for k in range(1, columns + 1):
        n = 2 * k
        before, now = y, moved(y, start, h / n)
        for _ in range(n - 1):
            before, now = now, moved(before, field(now), 2 * h / n)
        smooth = [(a + b) / 2 for a, b in zip(now, moved(before, field(now), h / n), strict=True)]
        row = [smooth]
        for j in range(1, k):
            ratio = mpmath.mpf(k) ** 2 / (k - j) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[-1], table[j - 1], strict=True)])
        table = row
    return table[-1]


def double_pendulum(y: Point) -> Point:
    """Two rods of 1 kg and 1 m as `revolute.robots.planar(2)` has them, from the Lagrangian by hand. SHV 6.4."""
    a, b, u, v = y
    g, c, s = mpmath.mpf(9.81), mpmath.cos(b), mpmath.sin(b)
    third = mpmath.mpf(1) / 3
    M11, M12, M22 = 1 + 2 * third + c, third + c / 2, third
    far = g * mpmath.cos(a + b) / 2
    r1, r2 = s * (u * v + v * v / 2) - 3 * g * mpmath.cos(a) / 2 - far, -s * u * u / 2 - far
    D = M11 * M22 - M12 * M12
    return [u, v, (M22 * r1 - M12 * r2) / D, (M11 * r2 - M12 * r1) / D]


def test_a_chaotic_double_pendulum_for_as_long_as_digits_last() -> None:
    """Errors are at most those of the solver's steps, times how far two motions from nearly one state part.

    The Lyapunov exponent is near 1.2 /s: by theory 13 digits are lost within ln(1e13) / 1.2 = 25 s.
    """
    arm, start, t = revolute.robots.planar(2), [0.0, 0.5, 0.0, 0.0], np.arange(5.0)
    states = []
    for change in (0.0, 1e-9):
        motion = arm.simulate([start[0] + change, start[1]], start[2:], None, t, "DOP853", rtol=1e-13, atol=1e-14)
        states.append(np.concatenate([motion.q, motion.qd], axis=-1))
    parted = np.abs(states[1] - states[0]).max(axis=1) / 1e-9
    growth = np.maximum.accumulate(parted)
    assert 0.8 < np.log(growth[-1]) / t[-1] < 1.8
    with mpmath.workdps(22):
        y, parts = [mpmath.mpf(x) for x in start], 64
        exact = [y]
        for _ in t[1:]:
            for _ in range(parts):
                y = extrapolated(double_pendulum, y, mpmath.mpf(1) / parts)
            exact.append(y)
    errors = np.abs(states[0] - np.array(exact, float)).max(axis=1)
    rounding = 1e-13 * np.abs(states[0]).max()  # of a step; some 100 steps a second add as a random walk does
    assert (errors <= 10 * rounding * growth + 1e-15).all()
    assert errors[-1] < 1e-9


def test_a_tumbling_body_for_a_minute() -> None:
    """Euler's top by Jacobi's elliptic functions, near the unstable axis: no chaos, so errors grow with t at most.

    Landau & Lifshitz, Mechanics, 37. (M^2 > 2 E I2, and w2 = 0 at the start.)
    """
    inertias, w0, t = (0.2, 0.3, 0.4), (3.0, 0.0, 2.5), np.linspace(0, 60, 31)
    body = Inertia.from_com(2.0, (0, 0, 0), np.diag(inertias))
    robot = Robot.from_links("tumbling", [Link("box", body)], [], base="free", gravity=(0, 0, 0))
    motion = robot.simulate(robot.neutral(), [*w0, 0, 0, 0], None, t, "DOP853", rtol=1e-13, atol=1e-14)
    with mpmath.workdps(25):
        I1, I2, I3 = map(mpmath.mpf, inertias)
        first, third = mpmath.mpf(w0[0]), mpmath.mpf(w0[2])
        E2, M2 = I1 * first**2 + I3 * third**2, (I1 * first) ** 2 + (I3 * third) ** 2
        assert E2 * I2 < M2
        rate = mpmath.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
        m = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
        sizes = {"cn": first, "sn": mpmath.sqrt((E2 * I3 - M2) / (I2 * (I3 - I2))), "dn": third}
        exact = [[x * mpmath.ellipfun(name, rate * float(s), m=m) for name, x in sizes.items()] for s in t]
    errors = np.abs(motion.qd[:, :3] - np.array(exact, float)).max(axis=1)
    assert (errors <= 1e-13 * (1 + 3 * t)).all()
    # the moment of momentum stays where it is, so turns are right too
    R = robot.forward_kinematics(motion.q, "box")[:, :3, :3]
    momentum = np.einsum("tij,tj->ti", R, motion.qd[:, :3] * inertias)
    assert (np.abs(momentum - momentum[0]).max(axis=1) <= 1e-13 * (1 + 3 * t)).all()
