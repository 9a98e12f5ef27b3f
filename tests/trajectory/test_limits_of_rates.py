"""Trapezoidal velocities and limited jerk: durations in closed form, limits that are touched, common ends."""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import every, one_joint

import revolute
from revolute.trajectory import Trajectory, jerk_limited, trapezoid

ONE, ARM = revolute.robots.planar(1), revolute.robots.planar(3)
WAY = [[0.0, 0.0, 0.0], [1.5, -0.4, 0.02], [1.5, 0.3, -1.0]]
SPEEDS, RAMPS, JERKS = np.array([1.0, 2.0, 0.5]), np.array([2.0, 1.0, 3.0]), np.array([20.0, 5.0, 40.0])


def own_time(distance: float, speed: float, ramp: float) -> float:
    """Least time from rest to rest: d/v + v/a if the speed is reached, else 2 sqrt(d/a)."""
    distance = abs(distance)
    return distance / speed + speed / ramp if distance * ramp > speed**2 else 2 * math.sqrt(distance / ramp)


def largest(motion: Trajectory, kind: str, **limits: Any) -> np.ndarray:
    return np.array([abs(x.value) for x in motion.check(**limits).rows if x.kind == kind])


@every(st.floats(1e-3, 100), st.floats(1e-2, 10), st.floats(1e-2, 100), examples=30)
def test_a_trapezoid_takes_the_least_time(distance: float, speed: float, ramp: float) -> None:
    motion = trapezoid(ONE, [[-1.0], [distance - 1.0]], velocity=speed, acceleration=ramp)
    assert motion.duration == pytest.approx(own_time(distance, speed, ramp), rel=1e-12)
    assert largest(motion, "acceleration", velocity=speed) == pytest.approx(ramp, rel=1e-9)
    assert largest(motion, "velocity", velocity=speed) <= speed * (1 + 1e-12)
    np.testing.assert_allclose(motion.q(motion.duration), distance - 1, rtol=1e-12, atol=1e-12)
    rounding = 4 * np.finfo(float).eps * motion.duration  # of times
    np.testing.assert_allclose(motion.qd(motion.duration), 0, atol=rounding * ramp + 1e-12)


def test_synchronised_joints_go_straight_and_end_together() -> None:
    motion = trapezoid(ARM, WAY, velocity=SPEEDS, acceleration=RAMPS)
    stop = motion.breaks[np.flatnonzero(np.abs(motion.qd(motion.breaks)).max(axis=1) < 1e-12)]
    assert len(stop) == 3
    for start, end, first, last in zip(stop, stop[1:], WAY, WAY[1:], strict=False):
        moved, way = motion.q(np.linspace(start, end, 20)[1:-1]) - first, np.subtract(last, first)
        share = moved @ way / (way @ way)
        np.testing.assert_allclose(moved, share[:, None] * way, atol=1e-14)
        assert share[0] > 0 and (np.diff(share) > 0).all() and share[-1] < 1
    assert motion.check(velocity=SPEEDS, acceleration=RAMPS)


def test_joints_that_are_not_synchronised_take_their_own_least_times() -> None:
    motion = trapezoid(ARM, WAY, velocity=SPEEDS, acceleration=RAMPS, synchronised=False)
    way = np.diff(WAY, axis=0)
    times = np.array([[own_time(d, v, a) if d else 0 for d, v, a in zip(x, SPEEDS, RAMPS, strict=True)] for x in way])
    assert motion.duration == pytest.approx(times.max(axis=1).sum(), rel=1e-12)
    t = np.linspace(0, times.max(axis=1)[0], 50)
    for k in range(3):
        np.testing.assert_allclose(motion.q(times[0, k] + 1e-9)[k], WAY[1][k], atol=1e-12)  # it waits there
        assert abs(motion.q(times[0, k] - 1e-3)[k] - WAY[1][k]) > 1e-7
        alone = trapezoid(ONE, np.array(WAY)[:2, [k]], velocity=SPEEDS[k], acceleration=RAMPS[k])
        np.testing.assert_allclose(motion.q(t)[:, k], alone.q(t)[:, 0], atol=1e-13)
        np.testing.assert_allclose(motion.qd(t)[:, k], alone.qd(t)[:, 0], atol=1e-13)


def test_free_joints_keep_limits_of_their_speeds() -> None:
    body, limits = one_joint(revolute.Free()), [0.5, 0.6, 0.7, 0.2, 0.25, 0.3]
    motion = trapezoid(body, body.random_configuration(3, rng=1), velocity=limits, acceleration=1.0)
    report = motion.check(velocity=limits)
    assert report.ok and max(x.share for x in report.rows if x.kind == "velocity") > 0.5


@settings(max_examples=25)
@given(st.floats(0.5, 10), st.floats(0.1, 1), st.floats(0.5, 2), st.floats(5, 50))
def test_limited_jerk_takes_the_time_of_seven_phases(distance: float, speed: float, ramp: float, jerk: float) -> None:
    """d/v + v/a + a/j, if acceleration and speed are reached."""
    if speed < ramp**2 / jerk or distance < speed * (speed / ramp + ramp / jerk):
        return
    motion = jerk_limited(ONE, [[0.0], [distance]], velocity=speed, acceleration=ramp, jerk=jerk)
    assert motion.duration == pytest.approx(distance / speed + speed / ramp + ramp / jerk, rel=1e-9)
    assert motion.check(velocity=speed, acceleration=ramp, jerk=jerk)
    assert largest(motion, "jerk", velocity=speed, jerk=jerk) == pytest.approx(jerk, rel=1e-9)


@pytest.mark.parametrize("synchronised", [True, False])
def test_limited_jerk_is_smooth_and_within_limits(synchronised: bool) -> None:
    limits = {"velocity": SPEEDS, "acceleration": RAMPS, "jerk": JERKS}
    motion = jerk_limited(ARM, WAY, **limits, synchronised=synchronised)
    assert motion.check(**limits)
    for at in motion.breaks[1:-1]:
        for before, after in zip(motion(np.nextafter(at, 0)), motion(at), strict=True):
            np.testing.assert_allclose(before, after, atol=1e-10)  # Ruckig's own rounding
    np.testing.assert_allclose(motion.q([0, motion.duration]), [WAY[0], WAY[-1]], atol=1e-11)
    np.testing.assert_allclose(motion.qd([0, motion.duration]), 0, atol=1e-10)


def test_reports_name_joint_instant_value_and_limit() -> None:
    motion = trapezoid(ARM, WAY[:2], velocity=1.0, acceleration=2.0)
    report = motion.check(velocity={"joint2": 0.2}, acceleration=2.0)
    (excess,) = report.excesses
    assert not report and not report.ok
    assert (excess.kind, excess.joint, excess.unit, excess.limit) == ("velocity", "joint2", "rad/s", 0.2)
    assert excess.value == pytest.approx(-1 / 1.5 * 0.4) and 0.5 - 1e-9 <= excess.t <= 1.5 + 1e-9
    assert str(excess).startswith("velocity of 'joint2' is -0.2667 rad/s at ")
    assert str(excess).endswith("the limit is 0.2 rad/s")
    assert str(report).splitlines()[0] == "1 limit is passed" and f"! {excess}" in str(report)
    assert str(motion.check()).startswith("within all limits")


def test_positions_between_waypoints_are_checked() -> None:
    arm, speeds = revolute.robots.panda(), np.zeros((2, 7))
    low = arm.home()
    low[3], speeds[0, 3] = -0.08, 0.5
    (excess,) = revolute.trajectory.cubic(arm, [low, low], 1.0, velocities=speeds).check(arm).excesses
    t = 1 / 3  # the largest of 0.5 t (1 - t)^2
    assert (excess.kind, excess.joint) == ("position", "panda_joint4")
    assert excess.t == pytest.approx(t, abs=1e-6) and excess.value == pytest.approx(-0.08 + 0.5 * t * (1 - t) ** 2)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: trapezoid(ARM, WAY, acceleration=1.0), "no limit of velocity for 'joint1' and 2 more: none is given"),
    (lambda: trapezoid(revolute.robots.ur5(), [[0] * 6, [1] * 6], acceleration={"elbow_joint": 1.0}),
     "no limit of acceleration for 'shoulder_pan_joint' and 4 more"),
    (lambda: trapezoid(ARM, WAY, velocity=1, acceleration=-1.0), "acceleration limit of 'joint1' must be positive"),
    (lambda: trapezoid(ARM, WAY, velocity=[1, 1], acceleration=1), r"has shape \(2,\); give one number, or 3"),
    (lambda: trapezoid(ARM, [[0, 0, 0]] * 2, velocity=1, acceleration=1), "all waypoints are equal"),
    (lambda: jerk_limited(ARM, WAY, velocity=1, acceleration=1, jerk={"joint1": 1}), "limit of jerk for 'joint2'"),
    (lambda: jerk_limited(ARM, WAY, velocity=1, acceleration=1e-12, jerk=1e12), "Ruckig found no motion from"),
    (lambda: trapezoid(ARM, WAY[:2], velocity=1, acceleration=1).check(ONE), "has different joints than"),
    (lambda: trapezoid(ARM, WAY, velocity=1, acceleration=1).check(torque=1), "torque limits require the robot"),
    (lambda: trapezoid(ARM, WAY, velocity={"elbow": 1}, acceleration=1),
     "velocity: there is no coordinate 'elbow'; available: joint1"),
])  # fmt: skip
def test_limits_that_do_not_fit_are_named(call: Callable[[], Any], message: str) -> None:
    assert_raises((revolute.InputError, revolute.UnknownNameError), message, call)


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruckig", None)
    limits = {"velocity": 1, "acceleration": 1, "jerk": 1}
    message = r"jerk limits need Ruckig.*\.\[control\]"
    assert_raises(revolute.MissingExtraError, message, jerk_limited, ONE, [[0.0], [1.0]], **limits)
