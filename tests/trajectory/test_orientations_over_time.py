"""Trajectories of joints with quaternions: on the group, C1 and C2, whatever the signs of the quaternions."""

import numpy as np
import pytest
from comparing import assert_each, assert_raises
from fitting import both_sides, derivatives
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import BOX, chain, one_joint
from scipy.interpolate import CubicSpline

import revolute
from revolute import Planar, Revolute, Robot, Spherical, TrajectoryError
from revolute.trajectory import cubic, jerk_limited, minimum_jerk, quintic, spline, trapezoid
from revolute.trajectory.turning import turning_rates

TIMES = np.array([0.0, 0.8, 1.3, 2.6])
FLOATING = revolute.robots.random_tree(2, rng=1, base="free")
BALL = one_joint(Spherical())
MIXED = chain((BOX, Planar()), (BOX, Revolute((0, 1, 0))), (BOX, Spherical()))
BALLS = revolute.robots.random_tree(1, rng=1, base="free", types=["spherical"])
"""Two quaternions: the second has another place in q than in qd."""
ROBOTS = {"floating": FLOATING, "ball": BALL, "mixed": MIXED, "balls": BALLS}
KINDS = {
    "cubic": lambda robot, q: cubic(robot, q, TIMES, velocities=np.linspace(-1, 1, robot.nv)),
    "quintic": lambda robot, q: quintic(robot, q, TIMES, velocities=np.linspace(-1, 1, robot.nv)),
    "natural": lambda robot, q: spline(robot, q, TIMES),
    "clamped": lambda robot, q: spline(robot, q, TIMES, ends="clamped"),
    "periodic": lambda robot, q: spline(robot, np.vstack([q[:-1], q[:1]]), TIMES, ends="periodic"),
    "trapezoid": lambda robot, q: trapezoid(robot, q, velocity=3.0, acceleration=8.0),
}


def way(robot: Robot, seed: int = 3, count: int = 4) -> np.ndarray:
    return robot.random_configuration(count, rng=seed)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("kind", KINDS)
def test_velocities_are_those_of_the_motion_on_the_group(kind: str, name: str) -> None:
    """log(q(t0)^-1 q(t)) has the rates qd and qdd at t0. By a polynomial of degree 15 over 20 ms, to rounding."""
    robot = ROBOTS[name]
    motion = KINDS[kind](robot, way(robot))
    for at in np.random.default_rng(0).uniform(0.02, motion.duration - 0.02, 6):
        if np.abs(motion.breaks - at).min() < 0.011:
            continue
        q0 = motion.q(at)
        _, qd, qdd = derivatives(lambda t, q0=q0: robot.difference(q0, motion.q(t)), at - 0.01, at + 0.01, at, 2, 7)
        np.testing.assert_allclose(motion.qd(at), qd, atol=1e-10)
        np.testing.assert_allclose(motion.qdd(at), qdd, atol=1e-7)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("kind", KINDS)
def test_quaternions_have_length_one_and_derivatives_are_continuous(kind: str, name: str) -> None:
    robot, smooth = ROBOTS[name], 1 if kind in ("cubic", "trapezoid") else 2
    motion = KINDS[kind](robot, way(robot))
    t = np.linspace(0, motion.duration, 2001)[:-1]  # a periodic one begins again with the sign of its start
    q = motion.q(t)
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        if body.joint.quaternion_at is not None:
            s = q[:, at][:, body.joint.quaternion_at :]
            np.testing.assert_allclose(np.linalg.norm(s, axis=1), 1, atol=1e-15)
            assert np.abs(np.diff(s, axis=0)).max() < 0.05  # at 20 rad/s a step turns by 0.03 rad
    for at in motion.breaks[1:-1]:
        before, after = (motion(side) for side in both_sides(at))
        assert np.abs(robot.difference(before[0], after[0])).max() < 1e-12
        for a, b in zip(before[1 : 1 + smooth], after[1 : 1 + smooth], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-10 * (1 + np.abs(a).max()))


def test_ends_of_splines_of_orientations() -> None:
    end = TIMES[-1]
    for robot in ROBOTS.values():
        q = way(robot)
        np.testing.assert_allclose(KINDS["clamped"](robot, q).qd([0, end]), 0, atol=1e-11)
        repeated = KINDS["periodic"](robot, q)
        assert_each(np.testing.assert_allclose, repeated(0.0)[1:], repeated(np.nextafter(end, 0))[1:], atol=1e-9)
    np.testing.assert_allclose(KINDS["natural"](BALL, way(BALL)).qdd([0, end]), 0, atol=1e-11)


@pytest.mark.parametrize("ends", ["natural", "clamped", "periodic"])
def test_turns_about_one_axis_are_the_spline_of_their_angles(ends: str) -> None:
    angles, t, axis = np.array([0.2, 1.5, -0.9, 0.4, 0.2]), [0, 0.5, 1.4, 2.0, 2.2], np.array([2, -1, 2]) / 3
    q = np.column_stack([np.sin(angles / 2)[:, None] * axis, np.cos(angles / 2)])
    motion, curve = spline(BALL, q, t, ends=ends), CubicSpline(t, angles, bc_type=ends)
    at = np.linspace(0, 2.2, 50)[:-1]
    np.testing.assert_allclose(motion.qd(at), curve(at, 1)[:, None] * axis, atol=1e-11)
    np.testing.assert_allclose(motion.qdd(at), curve(at, 2)[:, None] * axis, atol=1e-10)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_given_twists_and_their_rates_are_kept(seed: int) -> None:
    """At both ends of pieces: 30 times the tolerance of one-axis joints, as turns of nearly pi need small J^-1."""
    rng = np.random.default_rng(seed)
    q = FLOATING.random_configuration(3, rng=rng)
    qd, qdd = rng.uniform(-2, 2, (2, 3, FLOATING.nv))
    motion = quintic(FLOATING, q, [0.0, 1.0, 2.5], velocities=qd, accelerations=qdd)
    for k, at in ((0, 0.0), (1, np.nextafter(1.0, 0)), (1, 1.0), (2, 2.5)):
        np.testing.assert_allclose(motion.qd(at), qd[k], atol=1e-10)
        np.testing.assert_allclose(motion.qdd(at), qdd[k], atol=1e-8)
        assert np.abs(FLOATING.difference(motion.q(at), q[k])).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_signs_and_lengths_of_quaternions_do_not_count(kind: str) -> None:
    q = way(BALL)
    motion, other = KINDS[kind](BALL, q), KINDS[kind](BALL, q * [[1], [-2], [0.5], [-1]])
    t = np.linspace(0, motion.duration, 40)[:-1]
    assert np.abs(BALL.difference(motion.q(t), other.q(t))).max() < 1e-12
    np.testing.assert_allclose(motion.qd(t), other.qd(t), atol=1e-11)


def test_minimum_jerk_turns_about_one_axis() -> None:
    q, s = way(BALL, count=2), np.linspace(0, 1, 9)[1:-1, None]
    turned = BALL.difference(q[0], minimum_jerk(BALL, q, 2.0).q(2 * s[:, 0]))
    share = 10 * s**3 - 15 * s**4 + 6 * s**5
    np.testing.assert_allclose(turned, share * BALL.difference(q[0], q[1]), atol=1e-13)


def test_what_is_not_for_quaternions_says_so() -> None:
    q, limits = way(BALL), {"velocity": 1, "acceleration": 1, "jerk": 1}
    for message, call in (
        ("it supports only two waypoints, not 4", lambda: minimum_jerk(BALL, q, 1.0)),
        ("joint 'j' has several axes", lambda: jerk_limited(BALL, q, **limits)),
        ("jerks need joints with one", lambda: KINDS["natural"](BALL, q).jerk(0.5)),
        ("'not-a-knot' does not support quaternions", lambda: spline(BALL, q, 1.0, ends="not-a-knot")),
        ("waypoint 1: the quaternion of joint 'j' is zero", lambda: quintic(BALL, [[0, 0, 0, 1], [0] * 4], 1.0)),
    ):
        assert_raises(revolute.InputError, message, call)


def test_turns_that_no_spline_makes_are_told() -> None:
    """Half turns about any axes, in pieces from a millisecond to a quarter of an hour: a tenth of them, by chance."""
    rng, told = np.random.default_rng(3), set()
    for _ in range(40):
        turns = rng.standard_normal((20, 3))
        turns *= 3.14159 / np.linalg.norm(turns, axis=1)[:, None]
        try:
            rates = turning_rates(turns, 10.0 ** rng.uniform(-3, 3, 20), "natural")
            assert all(np.isfinite(x).all() for x in rates)
        except TrajectoryError as error:
            told.add(str(error))
    assert told == {"spline: orientations rotate too far between waypoints; add intermediate waypoints"}
