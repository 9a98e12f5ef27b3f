"""The way from a frame to a pose: a logarithm, its chord, and the rate of both."""

import math

import numpy as np
import pytest
from comparing import EPS
from robots import SEEDS, every, trees

import revolute
from revolute import Transform
from revolute.dynamics.damped_least_squares import damped_solution, mean_square, unforced_motion
from revolute.dynamics.pose_error import aligned_error, chord_error, pose_error, squared_distance
from revolute.spatial.vectors import dot


def some_pose(rng: np.random.Generator) -> Transform:
    return Transform.exp([*rng.uniform(-2, 2, 3), *rng.uniform(-1, 1, 3)])


@every(trees(most=5), SEEDS)
def test_the_error_is_a_logarithm_and_a_displacement(robot: revolute.Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, frame, aim = robot.random_configuration(rng=rng), robot.link_names[-1], some_pose(rng)
    way = Transform.from_matrix(robot.forward_kinematics(q, frame)).inverse() @ aim
    e = pose_error(robot, q.tolist(), aim.matrix().ravel().tolist(), frame)
    turn = np.array(e[:3])
    expected = np.array(way.log().ang)
    if np.linalg.norm(expected) > math.pi - 1e-6:  # half a turn: both directions are right
        turn *= np.sign(turn @ expected)
    # near half a turn the direction loses digits by the distance from it
    np.testing.assert_allclose(turn, expected, atol=1e-9)
    np.testing.assert_allclose(e[3:], way.p, atol=100 * EPS * (1 + np.abs(way.p).max()))


@every(trees(most=5), SEEDS)
def test_the_aligned_error_is_the_error_back_along_the_axes_of_the_base(robot: revolute.Robot, seed: int) -> None:
    """R log(R^T R_d) = -log(R R_d^T), to the digits that the direction loses near half a turn."""
    rng = np.random.default_rng(seed)
    q, frame, aim = robot.random_configuration(rng=rng), robot.link_names[-1], some_pose(rng)
    here = Transform.from_matrix(robot.forward_kinematics(q, frame))
    e = np.reshape(pose_error(robot, q.tolist(), aim.matrix().ravel().tolist(), frame), (2, 3))
    found = np.reshape(np.array(aligned_error(here, aim), float), (2, 3))
    if np.linalg.norm(e[0]) < math.pi - 1e-6:
        np.testing.assert_allclose(found, -e @ here.matrix()[:3, :3].T, atol=1e-9 * (1 + np.abs(e).max()))


def test_half_a_turn_is_no_gap() -> None:
    """The error of controllers was zero there: the axis stood in the antisymmetric part of R alone."""
    turn = Transform.exp([math.pi, 0, 0, 0, 0, 0])
    e = np.array(aligned_error(turn, Transform()), float)
    np.testing.assert_allclose(np.abs(e), [math.pi, 0, 0, 0, 0, 0], atol=1e-9)


@every(trees(most=5), SEEDS)
def test_the_chord_has_the_direction_of_the_angle_and_j_is_its_rate(robot: revolute.Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, frame, aim = robot.random_configuration(rng=rng), robot.link_names[-1], some_pose(rng)
    pose = aim.matrix().ravel().tolist()
    r, (e, J) = pose_error(robot, q.tolist(), pose, frame), chord_error(robot, q.tolist(), pose, frame)
    angle = math.sqrt(dot(r[:3], r[:3]))
    np.testing.assert_allclose(e[:3], np.array(r[:3]) * (2 * math.sin(angle / 2) / max(angle, 1e-30)), atol=1e-9)
    assert e[3:] == r[3:]
    here = robot.forward_kinematics(q, frame).ravel().tolist()
    for angular, linear in ((True, True), (True, False), (False, True)):
        parts = np.array(e[:3]) * angular, np.array(e[3:]) * linear
        found = squared_distance(here, pose, angular, linear)
        # products of rotations by a dozen joints, and of positions
        np.testing.assert_allclose(found, sum(x @ x for x in parts), atol=100 * EPS * (1 + np.dot(e, e)))
    if angle > 3:  # beyond half a turn the shortest way is another one
        return
    h, d = 1e-5, rng.standard_normal(robot.nv)

    def error(step: float) -> np.ndarray:
        return np.array(chord_error(robot, robot.integrate(q, step * d).tolist(), pose, frame)[0])

    # central differences: h^2 e''' / 6, and rounding over h
    scale = 1 + np.abs(d).sum() ** 3 * (1 + np.abs(e).max())
    np.testing.assert_allclose((error(-h) - error(h)) / (2 * h), np.array(J) @ d, atol=1e-9 * scale)


@pytest.mark.parametrize("turn", [(math.pi, 0, 0), (0, 0, 0), (1e-9, 2e-9, 0), (0, math.pi - 1e-9, 0)])
def test_no_turn_and_half_a_turn_have_errors_of_the_right_length(turn: tuple[float, float, float]) -> None:
    robot = revolute.robots.planar(1)
    aim = Transform.from_matrix(robot.forward_kinematics([0.0], "tip")) @ Transform.exp([*turn, 0, 0, 0])
    pose = aim.matrix().ravel().tolist()
    assert np.linalg.norm(pose_error(robot, [0.0], pose, "tip")[:3]) == pytest.approx(math.hypot(*turn), abs=2e-15)
    length = 2 * math.sin(math.hypot(*turn) / 2)
    assert np.linalg.norm(chord_error(robot, [0.0], pose, "tip")[0][:3]) == pytest.approx(length, abs=2e-15)


@pytest.mark.parametrize(("m", "n"), [(6, 7), (6, 6), (6, 4), (3, 1), (12, 9)])
def test_damped_steps_are_those_of_the_extended_problem(m: int, n: int) -> None:
    rng, damping = np.random.default_rng(m + n), 0.3
    J, e, z = rng.standard_normal((m, n)), rng.standard_normal(m), rng.standard_normal(n)
    extended = np.vstack([J, math.sqrt(damping) * np.eye(n)])
    expected = np.linalg.lstsq(extended, np.append(e, np.zeros(n)), rcond=None)[0]
    np.testing.assert_allclose(damped_solution(J.tolist(), e.tolist(), damping), expected, rtol=1e-12)
    assert mean_square(J.tolist()) == pytest.approx(np.trace(J @ J.T) / m, rel=1e-14)
    left = unforced_motion(J.tolist(), z.tolist(), 1e-13)
    np.testing.assert_allclose(left, z - np.linalg.pinv(J) @ J @ z, atol=1e-10)
