"""Paths of frames through singular positions, rounded corners, and joints that do not jump."""

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import Transform
from revolute.trajectory import PosePath, arc, follow, line, lines, time_optimal
from revolute.trajectory.poses import errors

UR5, PANDA = revolute.robots.ur5(), revolute.robots.panda()
BENT, BEHIND = np.array([[0.0, -1.2, 1.3, -0.6, 0.2, 0.4], [0.1, -1.15, 1.3, -0.5, -0.2, 0.5]])
"""Before and behind a straight wrist, in which the axes of wrists 1 and 3 are in line."""
PLACE, PATHS = r"at t=[\d.e-]+ s", 25


def near(T: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    moved = T.copy()
    moved[:3, :3] = T[:3, :3] @ np.array(Transform.from_rpy((0, 0, 0), rng.uniform(-0.5, 0.5, 3)).matrix())[:3, :3]
    moved[:3, 3] += rng.uniform(-0.15, 0.15, 3)
    return moved


def random_path(k: int, rng: np.random.Generator) -> tuple[Any, str, PosePath, np.ndarray]:
    """A robot, its frame, a line, circle or blend, and a start; every fifth passes a UR5's straight wrist."""
    robot, frame = ((UR5, "tool0"), (PANDA, "panda_link8"))[k % 2 if k % 5 else 0]
    q0 = robot.random_configuration(rng=rng) if robot is PANDA else rng.uniform(-2, 2, 6)
    if not k % 5:
        q0[4] = 0.3
    T = robot.forward_kinematics(q0, frame)
    a, b = near(T, rng), near(T, rng)
    if not k % 5:
        a = robot.forward_kinematics(q0 * [1, 1, 1, 1, -1, 1], frame)
        b = near(a, rng)
    if k % 3 == 0:
        return robot, frame, line(T, a, 2.0), q0
    if k % 3 == 1:
        return robot, frame, arc(T, (T + a)[:3, 3] / 2 + rng.uniform(-0.05, 0.05, 3), a, 2.0), q0
    apart = [np.linalg.norm((x - y)[:3, 3]) for x, y in ((a, T), (b, a))]
    return robot, frame, lines([T, a, b], 3.0, blend=min(0.05, 0.45 * min(apart))), q0


@pytest.mark.parametrize("seed", [24, *(pytest.param(k, marks=pytest.mark.slow) for k in range(8))])
def test_neighbouring_samples_are_as_near_as_limits_of_velocity_allow_or_the_place_is_named(seed: int) -> None:
    """Slow ones are 200 paths in all."""
    rng, stops, around = np.random.default_rng(seed), 0, 0
    for k in range(PATHS):
        robot, frame, path, q0 = random_path(k, rng)
        try:
            motion = follow(robot, frame, path, q0)
        except revolute.TrajectoryError as error:
            assert re.search(PLACE, str(error)) and ("its limit is" in str(error) or "does not reach" in str(error))
            stops += 1
            try:
                motion = follow(robot, frame, path, q0, around=True)
            except revolute.TrajectoryError as still:
                assert "no other start was found from which the path can be followed" in str(still)
                continue
            around += 1
            assert not any(row.kind == "position" for row in motion.check().excesses)
        t = np.linspace(0, path.duration, 301)
        steps = np.abs(np.diff(motion.q(t), axis=0)) / np.diff(t)[:, None]
        assert (steps <= robot.velocity_limits * (1 + 1e-9)).all()
        assert np.abs(errors(robot.forward_kinematics(motion.q(t), frame), path.pose(t))).max() < 2e-6
    assert 0 < around < stops < PATHS


def test_a_path_by_a_straight_wrist_stops_before_the_jump_or_goes_slowly() -> None:
    start, end = (UR5.forward_kinematics(q, "tool0") for q in (BENT, BEHIND))
    message = rf"'wrist_\d_joint' would move at [\d.]+ rad/s {PLACE}, where 'tool0' is at \([-\d., ]+\) m; its limit is"
    assert_raises(revolute.TrajectoryError, message, follow, UR5, "tool0", line(start, end, 1.0), BENT)
    for around, advice in ((False, ", or other starts: around=True$"), (True, "; no other start was found")):
        slow: dict[str, Any] = {"velocity": 1e-3, "around": around}
        message = "there; take more time" + advice
        assert_raises(revolute.TrajectoryError, message, follow, UR5, "tool0", line(start, end, 1.0), BENT, **slow)
    fast = follow(UR5, "tool0", line(start, end, 1.0), BENT, velocity=np.inf)
    assert np.abs(fast.qd(np.linspace(0, 1, 2001))).max() > 3.2
    flat = follow(UR5, "tool0", line(start, end, 1.0, profile="linear"), BENT, velocity=np.inf)
    assert time_optimal(flat, UR5, torque=np.inf, acceleration=100.0).check()  # along the same path


def test_inverse_kinematics_along_a_path_stops_before_a_joint_jumps() -> None:
    """A tool that turns about an axis of its own brings the wrist near its straight position."""
    poses = np.tile(UR5.forward_kinematics(BENT, "tool0"), (60, 1, 1))
    for axis in np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]):
        turn = np.array(Transform.from_rpy((0, 0, 0), 0.02 * axis).matrix())
        for k in range(1, 60):
            poses[k] = poses[k - 1] @ turn
        found = UR5.inverse_kinematics(poses, "tool0", q0=BENT, path=0.1)
        assert np.abs(np.diff(found.q, axis=0)).max() <= 0.1
        if not found.converged.all():
            break
    k = int(np.argmin(found.converged))
    assert k and not found.converged[k:].any() and (found.q[k:] == found.q[k - 1]).all()
    message = rf"stops before pose {k}, where 'wrist_\d_joint' would jump by [\d.]+; {60 - k} of 60 not reached"
    assert re.match(message, found.left()) and found.stop in repr(found)
    assert_raises(revolute.InputError, f"^path: {message}", found.reached, "path")
    assert_raises(revolute.InputError, message, found.reached)
    for path in (0, -1.0, [0.1, 0.1], np.nan):
        with pytest.raises(revolute.InputError, match="path must be True, False, or the largest steps"):
            UR5.inverse_kinematics(poses, "tool0", path=path)


PLACES = ((0, 0, 0), (0.4, 0, 0), (0.4, 0.3, 0), (0.4, 0.3, 0.2))
TURNS = ((0, 0, 0), (0.3, 0, 0), (0.3, 0, 1), (0.3, 0.5, 1))
CORNER = [Transform.from_rpy(p, angles) for p, angles in zip(PLACES, TURNS, strict=True)]


def test_blends_leave_lines_within_their_radius_only() -> None:
    radii = np.array([0.1, 0.05])
    path, sharp = lines(CORNER, 2.0, blend=radii), lines(CORNER, 2.0)
    corners, t = np.array(PLACES), np.linspace(0, 2, 4001)
    p, ways = path.pose(t)[:, :3, 3], []
    for a, b in pairwise(corners):
        share = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        ways.append(np.linalg.norm(p - a - share[:, None] * (b - a), axis=1))
    left = np.min(ways, axis=0)
    apart = np.stack([np.linalg.norm(p - c, axis=1) for c in corners[1:-1]], axis=1)
    assert left[(apart > radii * (1 + 1e-9)).all(axis=1)].max() < 1e-12 and 0.01 < left.max() < 0.1
    np.testing.assert_allclose(path.pose([0, 2]), [CORNER[0].matrix(), CORNER[-1].matrix()], atol=1e-14)
    stops = np.abs(sharp.twist(2.0 * np.array([0.4, 0.7]) / 0.9))  # at both corners
    assert stops.max() < 1e-9 < 0.01 < np.linalg.norm(path.twist(t)[400:3600], axis=1).min()


@pytest.mark.parametrize("profile", ["linear", "quintic"])
def test_twists_of_blends_are_derivatives_of_their_poses(profile: str) -> None:
    path, h = lines(CORNER, 2.0, blend=[0.1, 0.05], profile=profile), 1e-5
    t = np.linspace(0.01, 1.99, 400)
    before, (_, twist, rate), after = path(t - h), path(t), path(t + h)
    np.testing.assert_allclose(errors(before[0], after[0]) / (2 * h), twist, atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), rate, atol=2e-3)  # their third derivative jumps
    smooth = np.abs(np.diff(path.acceleration(np.linspace(0, 2, 200_001)[1:-1]), axis=0)).max()
    assert smooth < 1e-2  # and they do not


def test_an_arm_follows_blended_lines() -> None:
    q0 = np.array([0.0, -1.2, 1.3, -0.6, -1.57, 0.4])
    T = UR5.forward_kinematics(q0, "tool0")
    poses = [T, *(Transform(p=p).matrix() @ T for p in ((0.1, 0, 0), (0.1, 0.1, 0), (0, 0.1, 0.05)))]
    motion = follow(UR5, "tool0", lines(poses, 3.0, blend=0.03), q0)
    assert motion.deviation < 1e-6 and motion.check(UR5)


@pytest.mark.parametrize(("poses", "options", "message"), [
    (CORNER[:1], {}, "needs at least two poses, not 1"),
    (CORNER[0], {}, "lines: needs at least two poses, not Transform"),
    (None, {}, "lines: needs at least two poses, not NoneType"),
    (CORNER, {"profile": "linear"}, "profile 'linear' cannot stop at pose 1; give blend > 0"),
    (CORNER, {"profile": "linear", "blend": [0.1, 0]}, "profile 'linear' cannot stop at pose 2; give blend"),
    ([CORNER[0], CORNER[0]], {}, "poses 0 and 1 are equal"),
    (CORNER, {"blend": [0.1, 0.2]}, "blend at pose 2 is 0.2 m, but half of the shorter line is 0.1 m"),
    (CORNER, {"blend": -0.1}, "blend must be a radius"),
    (CORNER, {"blend": [0.1]}, "blend must be a radius .m. of 0 or more, or 2 such radii"),
    (CORNER, {"blend": np.nan}, "blend must be a radius"),
    (CORNER, {"profile": "fast"}, "profile must be one of"),
    ([CORNER[0], np.eye(3)], {}, r"lines: pose 1 must be a \(4, 4\) pose"),
])  # fmt: skip
def test_bad_lines_are_named(poses: Any, options: dict[str, Any], message: str) -> None:
    assert_raises(revolute.InputError, message, lines, poses, 1.0, **options)
