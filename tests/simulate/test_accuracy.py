"""Accuracy over long times: energy, a chaotic motion and a tumbling body beside 20 digits by mpmath."""

from typing import Any

import mpmath
import numpy as np
import pytest

import revolute
from revolute import Inertia, Link, Robot


@pytest.mark.slow
@pytest.mark.parametrize(("q0", "rtol"), [([0, 0.3, 0, -1.5, 0, 1.6, 0], 1e-10), (None, 1e-12)])
def test_energy_of_a_panda_over_a_minute(q0: Any, rtol: float) -> None:
    """It falls and whirls at up to 150 rad/s without friction: 1e-9 of the energy that goes to and fro."""
    robot, t = revolute.robots.panda(), np.linspace(0, 60, 601)
    start = robot.home() if q0 is None else q0
    motion = robot.simulate(start, np.zeros(7), None, t, "DOP853", rtol=rtol, atol=rtol / 10)
    assert np.ptp(motion.energy) < 1e-9 * np.ptp(motion.potential_energy)


EXACT = np.array([
    [0.0, 0.5, 0.0, 0.0],
    [-2.831532007341937770, 0.599085883409232605, -3.790077044297994779, 3.113662207502566092],
    [-1.434626599320456536, -0.338433372019400626, -2.557488248645773869, 17.00864514675765740],
    [-0.527716439114035926, 0.859828498031854344, -2.131949479594339018, -1.709742864222036877],
    [-2.856571069026887057, -1.242988664292070045, 0.276921076509460102, -4.227912896194018130],
])
"""q and qd of two rods of 1 kg and 1 m, each second, by mpmath.odefun with 22 digits from the Lagrangian. SHV 6.4."""


def test_a_chaotic_double_pendulum_for_as_long_as_digits_last() -> None:
    """Errors are at most those of the solver's steps, times how far two motions from nearly one state part.

    The Lyapunov exponent is near 1.2 /s: by theory 13 digits are lost within ln(1e13) / 1.2 = 25 s.
    """
    t = np.arange(5.0)
    motion = revolute.robots.planar(2).simulate(
        [[0.0, 0.5], [1e-9, 0.5]], [0.0, 0.0], None, t, "DOP853", rtol=1e-13, atol=1e-14
    )
    states = np.concatenate([motion.q, motion.qd], axis=-1)
    growth = np.maximum.accumulate(np.abs(states[1] - states[0]).max(axis=1) / 1e-9)
    assert 0.8 < np.log(growth[-1]) / t[-1] < 1.8
    errors = np.abs(states[0] - EXACT).max(axis=1)
    rounding = 1e-13 * np.abs(states[0]).max()  # of a step; some 100 steps a second add as a random walk does
    assert (errors <= 10 * rounding * growth + 1e-15).all() and errors[-1] < 1e-9


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
