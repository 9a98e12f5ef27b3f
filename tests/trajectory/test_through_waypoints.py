"""Cubic, quintic, minimum-jerk and spline trajectories: their derivatives, ends, and what they are the least of."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from fitting import both_sides, derivatives
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import revolute
from revolute.trajectory import Trajectory, cubic, minimum_jerk, quintic, spline

ARM = revolute.robots.planar(3)
TIMES = np.array([0.0, 0.7, 1.1, 2.5, 3.0])
MAKERS: dict[str, tuple[Callable[..., Trajectory], int, int]] = {
    "cubic": (cubic, 3, 1),
    "quintic": (quintic, 5, 2),
    "minimum_jerk": (minimum_jerk, 5, 4),
    **{ends: (partial(spline, ends=ends), 3, 2) for ends in ("natural", "clamped", "periodic", "not-a-knot")},
}
"""With their degrees, and how many derivatives are continuous at waypoints."""


def waypoints(seed: int = 0, count: int = 5) -> np.ndarray:
    q = np.random.default_rng(seed).uniform(-2, 2, (count, 3))
    q[-1] = q[0]
    return q


def made(name: str) -> Trajectory:
    return MAKERS[name][0](ARM, waypoints(), TIMES)


@pytest.mark.parametrize("name", MAKERS)
def test_velocities_accelerations_and_jerks_are_the_derivatives_of_positions(name: str) -> None:
    """A polynomial through degree + 1 values is the piece itself; rounding grows by (degree^2 / h) a derivative."""
    motion, degree = made(name), MAKERS[name][1]
    for start, end in pairwise(TIMES):
        for at in (start + 1e-9, (start + 2 * end) / 3):
            q, qd, qdd, jerk = derivatives(motion.q, start, end - 1e-12, at, 3, degree)
            tolerance, pairs = 1e-13, ((motion.q, q), (motion.qd, qd), (motion.qdd, qdd), (motion.jerk, jerk))
            for found, exact in pairs:
                np.testing.assert_allclose(found(at), exact, rtol=0, atol=tolerance)
                tolerance *= degree**2 * 2 / (end - start)


@pytest.mark.parametrize("name", MAKERS)
def test_they_pass_through_their_waypoints_at_their_times(name: str) -> None:
    """To rounding: terms of a quintic piece are tens of times larger than their sum."""
    for t, q in zip(TIMES, waypoints(), strict=True):
        for side in both_sides(t) if t else (t,):
            np.testing.assert_allclose(made(name).q(side), q, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", MAKERS)
def test_so_many_derivatives_are_continuous_and_the_next_one_jumps(name: str) -> None:
    motion, (_, degree, smooth) = made(name), MAKERS[name]
    jumps = np.zeros((len(TIMES) - 2, 6))
    for i, at in enumerate(TIMES[1:-1], 1):
        left = derivatives(motion.q, TIMES[i - 1], np.nextafter(at, 0), at, 5, degree)
        right = derivatives(motion.q, at, TIMES[i + 1] - 1e-12, at, 5, degree)
        jumps[i - 1] = [np.abs(a - b).max() / (1 + np.abs(a).max()) for a, b in zip(left, right, strict=True)]
    assert (jumps[:, : smooth + 1] < 1e-8).all(), jumps
    assert jumps[:, smooth + 1].max() > 0.01


def test_ends_of_splines() -> None:
    end = float(TIMES[-1])
    np.testing.assert_allclose(made("natural").qdd([0, end]), 0, atol=1e-12)
    np.testing.assert_allclose(made("clamped").qd([0, end]), 0, atol=1e-13)
    repeated = made("periodic")
    for rate in (repeated.q, repeated.qd, repeated.qdd):
        np.testing.assert_allclose(rate(0.3), rate(end + 0.3), atol=1e-12)
        np.testing.assert_allclose(rate(0.0), rate(np.nextafter(end, 0)), atol=1e-11)
    curve = CubicSpline(TIMES, waypoints(), bc_type="not-a-knot")
    np.testing.assert_allclose(made("not-a-knot").qd(1.7), curve(1.7, 1), rtol=1e-13)


@given(st.integers(0, 10_000))
def test_given_velocities_and_accelerations_are_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-2, 2, (3, 4, 3))
    t = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 2, 3))])
    motion = quintic(ARM, q, t, velocities=qd, accelerations=qdd)
    swing = cubic(ARM, q, t, velocities=qd)
    for k, at in enumerate(t):
        for side in both_sides(at)[0 if k == 3 else 1 :]:
            # Horner's rule in powers of h, whose terms reach 100 times the acceleration's size
            np.testing.assert_allclose(motion.qd(side), qd[k], atol=1e-12)
            np.testing.assert_allclose(motion.qdd(side), qdd[k], atol=1e-10)
            np.testing.assert_allclose(swing.qd(side), qd[k], atol=1e-12)


def test_minimum_jerk_between_two_points_is_the_known_quintic() -> None:
    """q0 + d (10 s^3 - 15 s^4 + 6 s^5). Flash & Hogan 1985."""
    s = np.linspace(0, 1, 33)
    motion = minimum_jerk(revolute.robots.planar(1), [[0.5], [2.0]], 4.0)
    np.testing.assert_allclose(motion.q(4 * s)[:, 0], 0.5 + 1.5 * (10 * s**3 - 15 * s**4 + 6 * s**5), atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_motion_has_less_jerk(seed: int) -> None:
    """Adding a motion that is zero at waypoints, and at rest at the ends, adds its own jerk's integral, and no more."""
    rates = np.random.default_rng(seed).uniform(-1, 1, (2, len(TIMES), 3))
    rates[:, [0, -1]] = 0
    rival = quintic(ARM, waypoints(), TIMES, velocities=rates[0], accelerations=rates[1])
    x, w = np.polynomial.legendre.leggauss(6)
    t = np.concatenate([(a + b) / 2 + (b - a) / 2 * x for a, b in pairwise(TIMES)])
    weights = np.concatenate([(b - a) / 2 * w for a, b in pairwise(TIMES)])
    motions = made("minimum_jerk"), minimum_jerk(ARM, waypoints(seed + 10), TIMES), rival
    least, other, rough = (motion.jerk(t) for motion in motions)

    def inner(a: np.ndarray, b: np.ndarray) -> float:
        return float(weights @ (a * b).sum(axis=1))

    assert abs(inner(least, rough - least)) < 1e-9 * inner(least, least)
    assert inner(rough, rough) > inner(least, least) * (1 + 1e-6)
    assert abs(inner(other, rough - least)) < 1e-9 * (inner(least, least) + inner(other, other))  # any least one
    assert motions[0].duration == TIMES[-1]


def test_times_may_be_a_duration_and_need_not_begin_at_zero() -> None:
    q = waypoints()
    even = quintic(ARM, q, 2.0)
    np.testing.assert_array_equal(even.breaks, [0, 0.5, 1, 1.5, 2])
    np.testing.assert_array_equal(quintic(ARM, q, [3.0, 3.5, 4.0, 4.5, 5.0]).q(0.7), even.q(0.7))


def test_before_the_start_and_after_the_end_it_rests() -> None:
    q, qd, qdd = cubic(ARM, waypoints()[:3], 2.0, velocities=[1.0, 2.0, 3.0])([[-1.0, 0.0], [2.0, 5.0]])
    np.testing.assert_allclose(q, [[waypoints()[0]] * 2, [waypoints()[2]] * 2], atol=1e-14)
    np.testing.assert_allclose(qd[[0, 1], [1, 0]], [[1, 2, 3]] * 2, atol=1e-13)
    assert not qd[[0, 1], [0, 1]].any() and not qdd[[0, 1], [0, 1]].any()


def test_a_table_with_labels_is_read_by_them() -> None:
    pandas = pytest.importorskip("pandas")
    q = waypoints()
    table = pandas.DataFrame(q[:, ::-1], columns=["joint3", "joint2", "joint1"])
    np.testing.assert_array_equal(quintic(ARM, table, 1.0).q(0.4), quintic(ARM, q, 1.0).q(0.4))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: quintic(ARM, [[0, 0, 0]], 1.0), "needs at least 2 waypoints, not 1"),
    (lambda: spline(ARM, waypoints()[:2], 1.0, ends="periodic"), "needs at least 3 waypoints, not 2"),
    (lambda: spline(ARM, waypoints()[:3], 1.0, ends="not-a-knot"), "needs at least 4 waypoints, not 3"),
    (lambda: quintic(ARM, [0, 0, 0], 1.0), r"waypoints have shape \(3,\), but robot 'planar3' needs \(k, 3\)"),
    (lambda: quintic(ARM, waypoints(), [0, 1, 1, 2, 3]), "times must increase, but waypoint 2 is at 1 s after 1 s"),
    (lambda: quintic(ARM, waypoints(), [0, 1, np.nan, 2, 3]), "times must be finite"),
    (lambda: quintic(ARM, waypoints(), [0, 1]), r"times have shape \(2,\), but there are 5 waypoints"),
    (lambda: quintic(ARM, waypoints(), 0.0), "the duration must be a positive number of seconds, not 0"),
    (lambda: quintic(ARM, [[0, 0, 0], [0, np.inf, 0]], 1.0), "waypoint 1, 'joint2' is not finite"),
    (lambda: quintic("ur5", waypoints(), 1.0), "robot must be a Robot, or a robot with drives, not str"),
    (lambda: quintic(revolute.robots.planar(1).lock({"joint1": 0}), [[], []], 1.0), "no movable joint"),
    (lambda: quintic(ARM, waypoints(), 1.0, velocities=[1, 2]), r"velocities must have shape \(5, 3\)"),
    (lambda: quintic(ARM, waypoints(), 1.0, velocities=[1, 2, np.nan]), "velocities must be finite"),
    (lambda: spline(ARM, waypoints()[:4], 1.0, ends="periodic"), "must end where it starts, but 'joint2' ends"),
    (lambda: spline(ARM, waypoints(), 1.0, ends="free"), "ends must be one of natural, clamped, periodic"),
    (lambda: made("cubic").q(np.nan), "times t must be finite"),
    (lambda: made("cubic").sample(0.0), "dt must be a positive number of seconds"),
    (lambda: made("cubic").sample(1e-12), "more than 20,000,000 rows"),
    (lambda: quintic(ARM, waypoints(), 1e-300), "numbers are too large, or times too close"),
    (lambda: quintic(ARM, waypoints(), 1e300), "numbers are too large, or times too close"),
    (lambda: made("cubic").at_speed(-1), "the factor must be a positive number"),
])  # fmt: skip
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    assert_raises(revolute.InputError, message, call)


def test_waypoints_outside_of_limits_are_named() -> None:
    robot, q = revolute.robots.ur5(), [[0] * 6, [0, 0, 3.2, 0, 0, 0]]
    message = "waypoint 1 is outside the limits: 'elbow_joint' is 3.2, its upper limit 3.14"
    assert_raises(revolute.TrajectoryError, message, quintic, robot, q, 1.0)
