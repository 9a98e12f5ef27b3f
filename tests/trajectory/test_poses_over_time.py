"""Lines, arcs and screws of frames, and joint motions that follow them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from fitting import derivatives

import revolute
from revolute import Transform
from revolute.trajectory import PosePath, arc, follow, line, screw
from revolute.trajectory.poses import errors

UR5, PANDA = revolute.robots.ur5(), revolute.robots.panda()
Q0 = [0.0, -1.2, 1.3, -0.6, -1.57, 0.4]
FIRST = Transform.from_rpy((0.3, -0.2, 0.5), (0.4, -0.7, 1.1)).matrix()
LAST = Transform.from_rpy((-0.1, 0.4, 0.9), (-1.0, 0.3, 2.6)).matrix()
PATHS: dict[str, PosePath] = {
    "line": line(FIRST, LAST, 2.0),
    "line at constant speed": line(FIRST, LAST, 2.0, profile="linear"),
    "arc": arc(FIRST, (0.2, 0.4, 0.4), LAST, 2.0),
    "cubic arc": arc(FIRST, (-0.4, -0.2, 0.4), LAST, 2.0, profile="cubic"),
    "screw": screw(FIRST, LAST, 2.0),
    "slide": screw(FIRST, Transform(p=(0.1, 0, 0)).matrix() @ FIRST, 2.0),
}


@pytest.mark.parametrize("name", PATHS)
def test_twists_and_their_rates_are_those_of_the_poses(name: str) -> None:
    path = PATHS[name]
    for at in (0.05, 0.7, 1.0, 1.6):
        pose, twist, rate = path(at)
        exact, dT, ddT = (x.reshape(4, 4) for x in derivatives(path.pose, at - 0.05, at + 0.05, at, 2, 9))
        np.testing.assert_allclose(pose, exact, atol=1e-12)
        W = dT[:3, :3] @ pose[:3, :3].T
        dW = ddT[:3, :3] @ pose[:3, :3].T + dT[:3, :3] @ dT[:3, :3].T
        np.testing.assert_allclose(twist, [W[2, 1], W[0, 2], W[1, 0], *dT[:3, 3]], atol=1e-10)
        np.testing.assert_allclose(rate, [dW[2, 1], dW[0, 2], dW[1, 0], *ddT[:3, 3]], atol=1e-7)


@pytest.mark.parametrize("name", PATHS)
def test_paths_begin_and_end_at_their_poses_and_rest_there(name: str) -> None:
    path = PATHS[name]
    last = Transform(p=(0.1, 0, 0)).matrix() @ FIRST if name == "slide" else LAST
    np.testing.assert_allclose(path.pose([0, 2, -1, 9]), [FIRST, last, FIRST, last], atol=1e-14)
    rest = path.twist([[-1.0, 9.0]])
    assert rest.shape == (1, 2, 6) and not rest.any()
    if "constant" not in name:
        np.testing.assert_allclose(path.twist([0, 2]), 0, atol=1e-13)
        assert not np.allclose(path.twist(1.0), 0)


def test_lines_are_straight_and_arcs_are_round_and_pass_their_point() -> None:
    p = PATHS["line"].pose(np.linspace(0, 2, 41))[:, :3, 3]
    assert np.linalg.matrix_rank(p - p[0], tol=1e-13) == 1
    for name, through in (("arc", (0.2, 0.4, 0.4)), ("cubic arc", (-0.4, -0.2, 0.4))):
        p = PATHS[name].pose(np.linspace(0, 2, 20_001))[:, :3, 3]
        assert np.linalg.norm(p - through, axis=1).min() < 1e-4  # half of the largest step
        radius = np.linalg.norm(p - PATHS[name].centre, axis=1)
        np.testing.assert_allclose(radius, radius[0], rtol=1e-13)
        assert np.linalg.matrix_rank(p - PATHS[name].centre, tol=1e-12) == 2


def test_a_screw_is_the_exponential_of_the_logarithm() -> None:
    """T0 exp(s log(T0^-1 T1)). LP section 3.3.3."""
    path, first = PATHS["screw"], Transform.from_matrix(FIRST)
    V = (first.inverse() @ Transform.from_matrix(LAST)).log()
    twist = np.array([*V.ang, *V.lin])
    for t in (0.2, 1.0, 1.7):
        s = path.law(np.array([t]))[0][0]
        np.testing.assert_allclose(path.pose(t), (first @ Transform.exp(s * twist)).matrix(), atol=1e-13)


def test_orientations_turn_by_the_shortest_way_at_even_rates() -> None:
    """SLERP: R0^T R turns by s times the whole angle, about the same axis."""
    whole = np.array(Transform.from_matrix(np.linalg.inv(FIRST) @ LAST).log().ang)
    assert np.linalg.norm(whole) < np.pi
    for path in (PATHS["line"], PATHS["arc"], PATHS["screw"]):
        for t in (0.5, 1.3):
            turned = Transform.from_matrix(np.linalg.inv(FIRST) @ path.pose(t)).log().ang
            np.testing.assert_allclose(turned, path.law(np.array([t]))[0][0] * whole, atol=1e-13)


@pytest.mark.parametrize(("robot", "frame", "q0"), [
    (UR5, "tool0", Q0),
    (PANDA, "panda_link8", [0.1, -0.3, 0.2, -1.8, 0.1, 1.7, 0.6]),
    (UR5.with_drives(), "tool0", Q0),
], ids=["six joints", "seven joints", "with drives"])  # fmt: skip
def test_joints_follow_poses(robot: Any, frame: str, q0: list[float]) -> None:
    start = robot.forward_kinematics(q0, frame)
    end = Transform.from_rpy((0.05, 0.1, -0.08), (0.1, 0.2, -0.3)).matrix() @ start
    for poses in (line(start, end, 1.5), arc(start, start[:3, 3] + [0.1, 0.02, 0.03], end, 1.5)):
        motion = follow(robot, frame, poses, np.array(q0) + 0.01, velocity=np.inf)  # is corrected to the first pose
        t = np.linspace(0, 1.5, 301)
        apart = errors(robot.forward_kinematics(motion.q(t), frame), poses.pose(t))
        assert np.abs(apart).max() < 1e-6 and 0 < motion.deviation <= 1e-6
        q, qd, qdd = motion(motion.breaks[1:-1])
        wanted, twists, rates = poses(motion.breaks[1:-1])
        np.testing.assert_allclose(errors(robot.forward_kinematics(q, frame), wanted), 0, atol=1e-11)
        np.testing.assert_allclose(robot.velocity(q, qd, frame, "aligned"), twists, atol=1e-9)
        np.testing.assert_allclose(robot.acceleration(q, qd, qdd, frame, "aligned"), rates, atol=1e-7)
        lost = np.linalg.svd(robot.jacobian(q, frame, "aligned"))[2][:, 6:]
        np.testing.assert_allclose(lost @ qd[..., None], 0, atol=1e-11)  # velocities of seven joints are the smallest
        tighter = follow(robot, frame, poses, q0, tolerance=1e-9, velocity=np.inf)
        assert tighter.deviation <= 1e-9 and len(tighter.breaks) > len(motion.breaks)


def test_what_cannot_be_reached_is_named() -> None:
    start = UR5.forward_kinematics(Q0, "tool0")
    far = Transform(p=(0, 0, 2.0)).matrix() @ start
    path, message = line(start, far, 2.0), r"'tool0' does not reach its pose at t=[\d.]+ s: the error is [\d.e-]+"
    assert_raises(revolute.TrajectoryError, message, follow, UR5, "tool0", path, Q0, velocity=np.inf)
    assert_raises(revolute.UnknownNameError, "tool9", follow, UR5, "tool9", path, Q0)
    assert_raises(revolute.ShapeError, "q0 must be 6 finite numbers", follow, UR5, "tool0", path, Q0[:5])
    message = "tolerance must be a positive number"
    assert_raises(revolute.InputError, message, follow, UR5, "tool0", path, Q0, tolerance=0)
    message, short = "follow: around must be of the type bool, not 'yes'", line(start, start, 1.0)
    assert_raises(revolute.InputError, message, follow, UR5, "tool0", short, Q0, around="yes")


def test_poses_are_taken_as_constructors_take_them() -> None:
    """A matrix, a `Transform`, and position and quaternion are one pose."""
    first, last = (Transform.from_matrix(X) for X in (FIRST, LAST))
    for path in (line, screw, lambda start, end, T: arc(start, (0.2, 0.4, 0.4), end, T)):
        expected = path(FIRST, LAST, 2.0).pose(0.7)
        np.testing.assert_allclose(path(first, last, 2.0).pose(0.7), expected, atol=1e-12)
        start, end = ([*X.p, *X.quaternion()] for X in (first, last))
        np.testing.assert_allclose(path(start, np.array(end), 2.0).pose(0.7), expected, atol=1e-12)


def test_a_half_turn_away_is_not_taken_for_the_pose() -> None:
    turned = FIRST @ Transform.from_rpy((0, 0, 0), (np.pi, 0, 0)).matrix()
    assert np.linalg.norm(errors(FIRST, turned)[:3]) == pytest.approx(np.pi)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: line(np.eye(3), LAST, 1.0), r"line: start must be a \(4, 4\) pose, a Transform, or \(7,\) position"),
    (lambda: screw(FIRST, [0, 0, 0, 1, 1, 0, 0], 1.0), r"screw: end: quaternion .* has the length 1.41421"),
    (lambda: line(FIRST, [0, np.nan, 0, 0, 0, 0, 1], 1.0), "line: end is not finite"),
    (lambda: line(2 * np.eye(4), LAST, 1.0), "line: start: its last row must be 0, 0, 0, 1"),
    (lambda: line(FIRST, np.diag([1.0, 1, -1, 1]), 1.0), "line: end: its axes are left-handed"),
    (lambda: line(FIRST, LAST, 0.0), "line: the duration must be a positive number"),
    (lambda: line(FIRST, LAST, 1.0, profile="fast"), "line: profile must be one of linear, cubic, quintic"),
    (lambda: arc(FIRST, (FIRST[:3, 3] + LAST[:3, 3]) / 2, LAST, 1.0), "the three points are collinear"),
    (lambda: arc(FIRST, FIRST[:3, 3], LAST, 1.0), "the three points are collinear"),
    (lambda: arc(FIRST, (1, 2), LAST, 1.0), "through must be a point, three finite numbers"),
    (lambda: line(FIRST, LAST, 1.0).pose(np.nan), "times t must be finite"),
])  # fmt: skip
def test_bad_poses_are_named(call: Callable[[], Any], message: str) -> None:
    assert_raises(revolute.InputError, message, call)
