"""Inverse kinematics: forward kinematics of the answer is the pose, limits are kept, rows do not know each other."""

import math
import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises, assert_warns
from robots import SEEDS, every, floating_tool, limited, load, trees

import revolute
from revolute import ConstrainedRobot, Limits, PointClosure, Robot, Transform
from revolute.machine.inverse_kinematics import PoseSolutions

ARMS = {
    "ur5": (revolute.robots.ur5(), "tool0"),
    "panda": (revolute.robots.panda(), "panda_link8"),
    "xarm7": (load("xarm_description/xarm7"), "link_eef"),
}
TOLERANCE = 1e-6
ROUNDING = 1e-12
"""Of poses of arms of about 1 m, by a dozen rotations."""


def reachable(arm: str, count: int, seed: int = 1) -> tuple[Robot, str, Any]:
    robot, frame = ARMS[arm]
    return robot, frame, robot.forward_kinematics(robot.random_configuration(count, rng=seed), frame)


def distances(robot: Any, q: Any, frame: str, pose: Any) -> Any:
    """sqrt(chord^2 + distance^2) between the frame and the pose, by forward kinematics; |R - S|_F^2 = 2 chord^2."""
    difference = robot.forward_kinematics(q, frame) - pose
    squares = (difference**2).sum(axis=-2)
    return np.sqrt(squares[..., :3].sum(axis=-1) / 2 + squares[..., 3])


def within_limits(robot: Any, q: Any) -> bool:
    return bool(((q >= robot.lower_limits) & (q <= robot.upper_limits)).all())


def same(one: PoseSolutions, other: PoseSolutions, rows: Any = ...) -> bool:
    return all(np.array_equal(x, y[rows]) for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize("arm", ARMS)
def test_random_poses_are_reached_within_limits(arm: str) -> None:
    robot, frame, poses = reachable(arm, 2000)
    found = robot.inverse_kinematics(poses, frame)
    assert found.converged.mean() >= 0.999
    ends = distances(robot, found.q, frame, poses)
    assert ends[found.converged].max() <= TOLERANCE + ROUNDING
    assert within_limits(robot, found.q)
    np.testing.assert_allclose(np.linalg.norm(found.error, axis=1), ends, atol=ROUNDING, rtol=0.2)
    assert (found.iterations >= found.restarts).all() and (found.restarts > 0).any()


def test_rows_do_not_depend_on_the_batch_or_on_threads() -> None:
    robot, frame, poses = reachable("panda", 300)
    poses[::50, :3, 3] *= 3  # out of reach
    together = robot.inverse_kinematics(poses, frame, restarts=9)
    assert not together.converged.all()
    for threads in (1, 2, 3):
        assert same(robot.inverse_kinematics(poses, frame, restarts=9, threads=threads), together)
    order = np.random.default_rng(0).permutation(300)
    assert same(robot.inverse_kinematics(poses[order], frame, restarts=9), together, order)
    for part in (slice(0, 1), slice(3, 5), slice(10, 47), slice(100, 200)):
        assert same(robot.inverse_kinematics(poses[part], frame, restarts=9), together, part)
    for k in (0, 1, 50, 299):
        assert same(robot.inverse_kinematics(poses[k], frame, restarts=9), together, k)


def test_more_poses_than_a_block_give_the_same_rows() -> None:
    robot, frame, poses = reachable("ur5", 4500)
    together = robot.inverse_kinematics(poses, frame)
    assert same(robot.inverse_kinematics(poses[4000:], frame), together, slice(4000, None))


@every(trees(most=3), SEEDS, examples=8)
def test_answers_for_random_trees_are_what_they_say(robot: Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, frame = robot.random_configuration(rng=rng), str(rng.choice(robot.link_names))
    pose = robot.forward_kinematics(q, frame)
    found = robot.inverse_kinematics(pose, frame, restarts=5)
    assert within_limits(robot, found.q) and np.isfinite(found.q).all()
    end = distances(robot, found.q, frame, pose)
    assert found.converged == (end <= TOLERANCE) or abs(end - TOLERANCE) < ROUNDING * (1 + np.abs(pose).max())
    at_home = robot.inverse_kinematics(pose, frame, q0=q, restarts=0)
    assert at_home.converged and at_home.iterations == 0
    np.testing.assert_array_equal(at_home.q, q)


def test_limits_may_be_turns_away_from_zero() -> None:
    """Searches that left such limits come back by whole turns."""
    limits = 'type="revolute"><limit lower="7" upper="12" effort="9" velocity="9"/>'
    text = assert_warns(revolute.ModelWarning, "gravity", revolute.robots.planar(2).to_urdf)
    robot = revolute.load(re.sub('type="continuous">', limits, text))
    q = np.random.default_rng(0).uniform(7, 12, (1000, 2))
    found = robot.inverse_kinematics(robot.forward_kinematics(q, "tip"), "tip", rng=1)
    assert found.converged.all() and within_limits(robot, found.q)


def test_a_start_leads_to_a_solution_near_it() -> None:
    robot, frame, poses = reachable("ur5", 200)
    q = robot.random_configuration(200, rng=1)
    regular = robot.manipulability(q, frame) > 1e-2
    q0 = np.clip(q + 0.01, robot.lower_limits, robot.upper_limits)
    found = robot.inverse_kinematics(poses, frame, q0=q0, restarts=0)
    assert found.converged[regular].all() and (found.iterations[regular] <= 8).all()
    assert np.abs(found.q - q)[regular].max() < 0.1
    assert (found.restarts == 0).all()


@pytest.mark.parametrize("rows", ["linear", "angular", (0, 1, 3, 4, 5), (5,)])
def test_chosen_rows_vanish_and_others_are_free(rows: Any) -> None:
    robot, frame, poses = reachable("panda", 100)
    found = robot.inverse_kinematics(poses, frame, rows=rows)
    assert found.converged.all()
    in_frame = np.linalg.inv(robot.forward_kinematics(found.q, frame)) @ poses
    e = np.concatenate([np.array([Transform.from_matrix(x).log().ang for x in in_frame]), in_frame[:, :3, 3]], axis=1)
    chosen = {"linear": (3, 4, 5), "angular": (0, 1, 2)}.get(rows, rows) if isinstance(rows, str) else rows
    np.testing.assert_allclose(found.error, e[:, chosen], atol=1e-9)
    assert np.abs(np.delete(e, chosen, axis=1)).max() > 0.1


def test_positions_are_enough_where_only_they_count() -> None:
    robot, frame, poses = reachable("ur5", 20)
    by_points = robot.inverse_kinematics(poses[:, :3, 3], frame, rows="linear")
    np.testing.assert_allclose(robot.forward_kinematics(by_points.q, frame)[:, :3, 3], poses[:, :3, 3], atol=TOLERANCE)


def test_several_frames_at_once() -> None:
    robot = load("talos_data/talos_reduced")
    hands = "gripper_left_base_link", "gripper_right_base_link"
    q = robot.random_configuration(60, rng=0)
    poses = {hand: robot.forward_kinematics(q, hand) for hand in hands}
    found = robot.inverse_kinematics(poses)
    assert found.converged.all() and found.error.shape == (60, 12)
    for hand in hands:
        assert distances(robot, found.q, hand, poses[hand]).max() <= TOLERANCE + ROUNDING
    one = robot.inverse_kinematics(poses, rows={hands[1]: "linear"})
    assert one.error.shape == (60, 9) and one.converged.all()


def test_quaternions_are_moved_on_their_sphere() -> None:
    robot = floating_tool()
    poses = robot.forward_kinematics(robot.random_configuration(40, rng=0), "tip")
    found = robot.inverse_kinematics(poses, "tip")
    assert found.converged.all() and distances(robot, found.q, "tip", poses).max() <= TOLERANCE + ROUNDING
    np.testing.assert_allclose(np.linalg.norm(found.q[:, robot.q_index[2]][:, 3:], axis=1), 1, atol=1e-15)


def test_joints_that_mimic_others_follow() -> None:
    robot = load("panda_description/panda").with_drives()
    finger = "panda_rightfinger"
    poses = robot.forward_kinematics(robot.random_configuration(50, rng=2), finger)
    found = robot.inverse_kinematics(poses, finger)
    assert found.converged.all() and found.q.shape == (50, robot.nq)
    assert distances(robot, found.q, finger, poses).max() <= TOLERANCE + ROUNDING
    assert within_limits(robot, found.q)


def test_without_limits_joints_may_pass_them() -> None:
    robot = revolute.robots.planar(2)
    narrow = limited(robot, *[Limits(-0.1, 0.1)] * 2)
    pose = robot.forward_kinematics([1.0, 0.5], "tip")
    held, free = (narrow.inverse_kinematics(pose, "tip", limits=x) for x in (True, False))
    assert not held.converged and within_limits(narrow, held.q)
    assert free.converged and not within_limits(narrow, free.q)
    np.testing.assert_array_equal(held.q, [0.1, 0.1])  # the nearest corner


def test_limits_may_be_those_of_the_caller() -> None:
    robot, frame, _ = reachable("panda", 1)
    half = (robot.upper_limits - robot.lower_limits) / 4
    lower, upper = robot.lower_limits + half, robot.upper_limits - half
    q = np.random.default_rng(0).uniform(lower, upper, (300, robot.nq))
    poses = robot.forward_kinematics(q, frame)
    found = robot.inverse_kinematics(poses, frame, limits=(lower, upper))
    assert found.converged.all() and ((found.q >= lower) & (found.q <= upper)).all()
    assert not same(found, robot.inverse_kinematics(poses, frame))
    assert same(found, robot.inverse_kinematics(poses, frame, limits=(lower.tolist(), upper.tolist())))
    lower[0], upper[0] = 0.3, 0.3  # a joint that is held; the array was changed in place
    np.testing.assert_array_equal(robot.inverse_kinematics(poses, frame, limits=(lower, upper)).q[:, 0], 0.3)
    wide = np.full(robot.nq, math.inf)
    assert same(robot.inverse_kinematics(poses, frame, limits=(-wide, wide), q0=q),
                robot.inverse_kinematics(poses, frame, limits=False, q0=q))  # fmt: skip


def test_detours_through_limits_end_within_them() -> None:
    """Of the eight solutions of a UR5, a quarter of each range has one: most others are reached first."""
    robot, frame, _ = reachable("ur5", 1)
    lower = robot.lower_limits + 0.3 * (robot.upper_limits - robot.lower_limits)
    upper = lower + (robot.upper_limits - robot.lower_limits) / 4
    q = np.random.default_rng(2).uniform(lower, upper, (1000, 6))
    found = robot.inverse_kinematics(robot.forward_kinematics(q, frame), frame, limits=(lower, upper))
    assert found.converged.mean() > 0.995
    assert (found.restarts[found.converged] > 16).any()  # late attempts
    assert ((found.q >= lower) & (found.q <= upper)).all()


def test_the_nearest_of_random_positions_is_the_first_start() -> None:
    """A seed's positions are starts; a pose that one of them has is reached without a step, from the first start."""
    robot, frame, _ = reachable("ur5", 1)
    starts = robot.random_configuration(128, rng=7)
    found = robot.inverse_kinematics(robot.forward_kinematics(starts, frame), frame, rng=7, restarts=0)
    assert found.converged.all() and not found.iterations.any()
    np.testing.assert_array_equal(found.q, starts)


def test_out_of_reach_the_nearest_position_is_found() -> None:
    """A planar arm stretches towards a point: the distance is that of the point from its circle."""
    robot = revolute.robots.planar(3)
    points = np.array([[5.0, 0, 0], [0, -4, 0], [3, 3, 0], [-40, 30, 0]])
    found = robot.inverse_kinematics(points, "tip", rows="linear")
    assert not found.converged.any()
    np.testing.assert_allclose(np.linalg.norm(found.error, axis=1), np.linalg.norm(points, axis=1) - 3, rtol=2e-3)


@pytest.mark.parametrize("rest", ["middle", "home"])
def test_redundant_joints_come_as_near_to_rest_as_the_pose_allows(rest: str) -> None:
    """At the least distance no motion that keeps the pose and the limits leads nearer: (1 - J^+ J)(rest - q) = 0."""
    robot, frame, poses = reachable("xarm7", 100)
    middle = (robot.lower_limits + robot.upper_limits) / 2
    aim = middle if rest == "middle" else robot.home()
    plain = robot.inverse_kinematics(poses, frame)
    found = robot.inverse_kinematics(poses, frame, posture="middle" if rest == "middle" else aim)
    assert found.converged.all() and distances(robot, found.q, frame, poses).max() <= TOLERANCE + ROUNDING
    assert within_limits(robot, found.q)
    before, after = (np.linalg.norm(aim - x.q, axis=1) for x in (plain, found))
    assert (after <= before + 1e-9).all() and (after < before - 0.1).mean() > 0.5
    J = robot.jacobian(found.q, frame)
    left = ((np.eye(7) - np.linalg.pinv(J) @ J) @ (aim - found.q)[..., None])[..., 0]
    inside = ((found.q > robot.lower_limits + 1e-3) & (found.q < robot.upper_limits - 1e-3)).all(axis=1)
    assert np.median(np.linalg.norm(left[inside], axis=1)) < 1e-5


def test_along_a_path_joints_do_not_jump() -> None:
    robot, frame = ARMS["panda"]
    s = np.linspace(0, 1, 40)[:, None]
    ready = np.array([0, -0.5, 0, -2, 0, 1.6, 0.8])
    ways = np.stack([ready + s * d for d in ([0.5, 0.3, -0.4, 0.6, 0.2, 0.5, 0.3], [0, 0.3, 0, -0.6, 0, 1, 0])])
    assert within_limits(robot, ways)
    poses = robot.forward_kinematics(ways, frame)
    found = robot.inverse_kinematics(poses, frame, q0=ready, path=True)
    assert found.converged.all() and found.q.shape == (2, 40, 7)
    assert (found.restarts[:, 1:] == 0).all()
    assert np.abs(np.diff(found.q, axis=1)).max() < 0.3
    assert distances(robot, found.q, frame, poses).max() <= TOLERANCE + ROUNDING
    assert same(robot.inverse_kinematics(poses[1], frame, q0=ready, path=True), found, 1)


def test_seeds_repeat_and_generators_go_on() -> None:
    robot, frame, poses = reachable("ur5", 5)
    assert same(robot.inverse_kinematics(poses, frame), robot.inverse_kinematics(poses, frame, rng=0))
    assert not same(robot.inverse_kinematics(poses, frame), robot.inverse_kinematics(poses, frame, rng=1))
    generator = np.random.default_rng(5)
    one, two = (robot.inverse_kinematics(poses, frame, rng=generator) for _ in range(2))
    assert not same(one, two)


def test_poses_of_all_kinds_and_batches() -> None:
    robot, frame, poses = reachable("ur5", 6)
    wanted = robot.inverse_kinematics(poses, frame)
    transforms = [Transform.from_matrix(x) for x in poses]
    grid = robot.inverse_kinematics(poses.reshape(2, 3, 4, 4), frame)
    np.testing.assert_array_equal(grid.q, wanted.q.reshape(2, 3, 6))
    assert robot.inverse_kinematics(transforms, frame).converged.all()
    assert robot.inverse_kinematics(transforms[0], frame).q.shape == (6,)
    assert robot.inverse_kinematics(poses[0], frame, q0=robot.random_configuration(4, rng=0)).q.shape == (4, 6)
    assert robot.inverse_kinematics(np.zeros((0, 4, 4)), frame).q.shape == (0, 6)
    assert robot.inverse_kinematics(np.zeros((3, 0, 4, 4)), frame, path=True).q.shape == (3, 0, 6)
    assert robot.inverse_kinematics({frame: poses}).converged.all()
    assert same(pickle.loads(pickle.dumps(wanted)), wanted)


@pytest.mark.parametrize("far", [1e7, 1e160, 1e308])
def test_poses_beyond_all_numbers_do_not_hold_up_others(far: float) -> None:
    robot, frame, poses = reachable("ur5", 20)
    wanted = robot.inverse_kinematics(poses, frame, restarts=3)
    poses = np.concatenate([poses, poses])
    poses[20:, 0, 3] = far
    found = robot.inverse_kinematics(poses, frame, restarts=3)
    assert same(wanted, found, slice(0, 20))
    assert not found.converged[20:].any() and within_limits(robot, found.q)
    assert not robot.inverse_kinematics(poses[20], frame, restarts=3).converged


def test_robots_that_have_solved_still_pickle() -> None:
    for robot in (revolute.robots.ur5(), revolute.robots.ur5().with_drives()):
        wanted = robot.inverse_kinematics([0.4, 0.2, 0.3], "tool0", rows="linear")
        again = pickle.loads(pickle.dumps(robot))
        assert same(again.inverse_kinematics([0.4, 0.2, 0.3], "tool0", rows="linear"), wanted)


def test_a_link_that_no_joint_moves() -> None:
    robot = revolute.robots.ur5()
    found = robot.inverse_kinematics(np.eye(4), "world")
    assert found.converged and found.iterations == 0
    lost = robot.inverse_kinematics(Transform(p=(1, 0, 0)), "world")
    assert not lost.converged
    np.testing.assert_allclose(lost.error, [0, 0, 0, 1, 0, 0])


UR5 = revolute.robots.ur5()
POSE = np.eye(4)
SIX = np.zeros(6)
BAD: dict[str, tuple[type[Exception], str, Any, dict[str, Any]]] = {
    "frame": (revolute.UnknownNameError, "no link 'tool'; near: tool0", POSE, {"frame": "tool"}),
    "no frame": (revolute.InputError, "frame must be the name of a link", POSE, {"frame": None}),
    "two sets": (revolute.InputError, "omit frame", {"tool0": POSE}, {}),
    "no poses": (revolute.InputError, "pose is empty", {}, {"frame": None}),
    "shape": (revolute.ShapeError, "4, 4", np.eye(3), {}),
    "point": (revolute.ShapeError, r'not of shape \(3,\); for only a position use rows="linear"', [0, 0, 1.0], {}),
    "seven numbers": (revolute.ShapeError, "from_quaternion", [0.4, 0.2, 0.5, 0, 0, 0, 1], {}),
    "scaled": (
        revolute.InputError, "at 1 is not a pose: it has a rotation that is not orthogonal",
        [POSE, np.diag([2, 2, 2, 1.0])], {},
    ),
    "mirror": (revolute.InputError, "left-handed", np.diag([1, 1, -1, 1.0]), {}),
    "last row": (revolute.InputError, "last row", np.diag([1, 1, 1, 2.0]), {}),
    "nan": (revolute.InputError, "not finite", POSE * math.nan, {}),
    "text": (revolute.DtypeError, "real numbers", "up", {}),
    "complex": (revolute.DtypeError, "real numbers", POSE * 1j, {}),
    "a limit": (revolute.InputError, "limits must be True", POSE, {"limits": 1.5}),
    "few limits": (revolute.ShapeError, "upper limits have shape", POSE, {"limits": (SIX, 1)}),
    "no limit": (revolute.InputError, "give infinity", POSE, {"limits": (SIX * math.nan, SIX + 1)}),
    "crossed": (
        revolute.InputError, "'shoulder_pan_joint' has no position between its limits 1 and 0",
        POSE, {"limits": (SIX + 1, SIX)},
    ),
    "a thread": (revolute.InputError, "threads must be", POSE, {"threads": [2]}),
    "seed": (revolute.InputError, "rng must be", POSE, {"q0": SIX, "restarts": 0, "rng": -1}),
    "batches": (revolute.ShapeError, "do not broadcast", np.stack([POSE] * 3), {"q0": np.zeros((2, 6))}),
    "poses apart": (
        revolute.ShapeError, "batches of poses",
        {"tool0": np.stack([POSE] * 3), "base": np.stack([POSE] * 2)}, {"frame": None},
    ),
    "q0": (revolute.ShapeError, "q0 has shape", POSE, {"q0": [1.0, 2]}),
    "q0 nan": (revolute.InputError, "q0 is not finite", POSE, {"q0": SIX * math.nan}),
    "rows": (revolute.InputError, "rows must be", POSE, {"rows": "up"}),
    "row 7": (revolute.InputError, "rows must be", POSE, {"rows": (7,)}),
    "no rows": (revolute.InputError, "rows must be", POSE, {"rows": ()}),
    "rows apart": (revolute.InputError, "has no pose", POSE, {"rows": {"base": "linear"}}),
    "restarts": (revolute.InputError, "restarts must be", POSE, {"restarts": -1}),
    "tolerance": (revolute.InputError, "tolerance must be", POSE, {"tolerance": 0.0}),
    "threads": (revolute.InputError, "threads", POSE, {"threads": 0}),
    "path": (revolute.ShapeError, "a path needs", POSE, {"path": True}),
    "posture": (revolute.InputError, "posture must be", POSE, {"posture": "bed"}),
    "postures": (revolute.InputError, "one configuration", POSE, {"posture": np.zeros((2, 6))}),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said(case: str) -> None:
    kind, words, poses, options = BAD[case]
    assert_raises(kind, words, UR5.inverse_kinematics, poses, **{"frame": "tool0", **options})


def test_symbols_need_values() -> None:
    robot = revolute.robots.planar(2)
    moved = replace(robot.bodies[1], placement=Transform(p=(sympy.Symbol("a"), 0, 0)))
    symbolic = replace(robot, bodies=(robot.bodies[0], moved, *robot.bodies[2:]))
    assert_raises(revolute.InputError, "a", symbolic.inverse_kinematics, POSE, "tip")


def test_solutions_say_what_is_left() -> None:
    """Of errors from 1 mm to 1 m; then of a planar arm of 2 m, with its angle besides, of batches and of two frames."""
    arm = revolute.robots.planar(2)
    for missing, text in ((1.0, "1 m"), (0.032, "3.2 cm"), (0.001, "1 mm"), (0.00995, "1 cm")):
        error = np.array([missing, 0.0, 0.0])
        one = PoseSolutions(np.zeros(2), error, np.bool_(False), np.int64(1), np.int64(0)).of_rows(((3, 4, 5),))
        assert one.left() == f"not reached: {text} left" and len(one) == 5
        assert repr(one).startswith(f"<PoseSolutions: not reached: {text} left; the nearest q = [")
        assert pickle.loads(pickle.dumps(one)).left() == one.left()
    reached = arm.inverse_kinematics([1.0, 0.5, 0.0], "tip", rows="linear")
    assert str(reached).startswith("<PoseSolutions: reached; q = [")
    turned = arm.inverse_kinematics(Transform.from_rpy((1.0, 0.5, 0.0), (0.4, 0, 0)), "tip")  # 0.4 rad out of plane
    error = turned.error
    assert turned.left() == (
        f"not reached: {100 * np.linalg.norm(error[3:]):.2g} cm, {np.degrees(np.linalg.norm(error[:3])):.2g}° left"
    )
    points = np.zeros((2, 3, 3))
    points[..., 0] = [[1.0, 1.5, 2.5], [1.0, 2.25, 1.0]]
    batch = arm.inverse_kinematics(points, "tip", rows="linear")
    assert batch.left() == "2 of 6 not reached, such as (0, 2): up to 50 cm left"
    both = arm.inverse_kinematics({"tip": [2.5, 0, 0], "link2": [0, 1.2, 0]}, rows="linear")
    most = np.linalg.norm(both.error.reshape(2, 3), axis=1).max()
    assert both.left() == f"not reached: {most:.2g} m left" or both.left() == f"not reached: {100 * most:.2g} cm left"


def test_trajectories_refuse_solutions_that_are_not_reached() -> None:
    arm = revolute.robots.planar(2)
    start = [0.5, 0.5]
    near, far = (arm.inverse_kinematics([x, 0.0, 0.0], "tip", q0=start, rows="linear") for x in (1.0, 2.5))
    np.testing.assert_array_equal(revolute.trajectory.quintic(arm, [start, near], 2.0).q(2.0), near.q)
    for make in (revolute.trajectory.quintic, revolute.trajectory.minimum_jerk):
        assert_raises(revolute.InputError, r"waypoints: 1: a pose is not reached: 50 cm", make, arm, [start, far], 2.0)
    points = np.array([[1.0, 0.0, 0.0], [1.5, 0.5, 0.0], [2.5, 0.0, 0.0]])
    path = arm.inverse_kinematics(points, "tip", q0=start, rows="linear")
    assert_raises(revolute.InputError, "1 of 3 not reached, such as 2: up", revolute.trajectory.spline, arm, path, 2.0)
    revolute.trajectory.quintic(arm, [start, far.q], 2.0)  # the nearest ones are meant
    assert revolute.trajectory.quintic(arm, arm.inverse_kinematics(points[:2], "tip", rows="linear"), 2.0).duration == 2


FINE = 1e-11
"""Loops and poses are corrected to 1e-12 in all their rows together; rounding of links of 1 m is less."""


@pytest.fixture(scope="module")
def linkage() -> ConstrainedRobot:
    """Four links of 1 m, whose end is held 2 m from the base: mobility 2."""
    return revolute.robots.planar(4).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))


@pytest.fixture(scope="module")
def closed(linkage: ConstrainedRobot) -> np.ndarray:
    """Some states that close the loop."""
    return np.array([linkage.project(x)[0] for x in linkage.robot.random_configuration(60, rng=0)])


def test_loops_are_closed_and_frames_are_where_they_should_be(linkage: ConstrainedRobot, closed: np.ndarray) -> None:
    points = linkage.forward_kinematics(closed, "link3")[:, :3, 3]
    found = linkage.inverse_kinematics(points, "link3", rows=(3, 4))
    assert found.converged.all() and found.error.shape == (60, 2)
    assert np.abs(linkage.error(found.q)).max() <= FINE and np.abs(found.error).max() <= FINE
    np.testing.assert_allclose(linkage.forward_kinematics(found.q, "link3")[:, :3, 3], points, atol=FINE)
    alone = linkage.inverse_kinematics(points[7], "link3", rows=(3, 4))
    assert all(np.array_equal(x, y[7]) for x, y in zip(alone, found, strict=True))
    found = linkage.inverse_kinematics([0.0, 3.5, 0.0], "link3", rows=(3, 4))
    assert not found.converged and np.abs(found.error).max() > 1


def test_a_start_keeps_the_way_in_which_the_loop_is_closed(linkage: ConstrainedRobot, closed: np.ndarray) -> None:
    points = linkage.forward_kinematics(closed, "link3")[:, :3, 3]
    found = linkage.inverse_kinematics(points, "link3", closed + 1e-4, rows=(3, 4), restarts=0)
    regular = np.array([np.linalg.svd(linkage.jacobian(x))[1][1] > 0.1 for x in closed])
    J = linkage.robot.jacobian(closed, "link3")[:, 3:5]
    both = np.linalg.svd(np.concatenate([linkage.jacobian(closed)[:, :2], J], axis=1))[1][:, -1] > 0.05
    assert (regular & both).sum() > 20
    assert np.abs(found.q - closed)[regular & both].max() < 1e-2


def test_links_on_springs_are_placed_as_those_of_the_rigid_robot() -> None:
    robot = revolute.robots.ur5()
    elastic = robot.with_elastic_joints(1e4, rotor_inertia=0.1)
    poses = robot.forward_kinematics(robot.random_configuration(20, rng=0), "tool0")
    options = {"restarts": 50, "rng": 3, "posture": "middle"}
    found, wanted = (x.inverse_kinematics(poses, "tool0", **options) for x in (elastic, robot))
    assert all(map(np.array_equal, found, wanted)) and found.converged.all()
