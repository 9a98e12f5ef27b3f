"""`inverse_kinematics(..., all=True)`: solutions of closed forms, once each, in order, within limits; families."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import Joint, Link, PointClosure, Robot, ShapeError
from revolute.machine.inverse_kinematics import PoseSolutions
from revolute.machine.inverse_kinematics.distinct import distinct
from revolute.spatial import Vector

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


def found_of(found: PoseSolutions, k: int) -> Any:
    """The solutions of one pose of a batch."""
    return found.q[k][found.converged[k]]


def test_random_arms_reach_their_poses_once_each_in_order() -> None:
    for seed in range(4):
        robot = revolute.robots.random_tree(6, rng=seed)
        frame = max(robot.link_names, key=lambda name: robot.frame(name).body)
        q = robot.random_configuration(4, rng=seed)
        poses = robot.forward_kinematics(q, frame)
        start = robot.random_configuration(rng=seed + 99)
        try:
            found = robot.inverse_kinematics(poses, frame, start, all=True)
        except revolute.InputError as error:
            assert "family" in str(error)
            continue
        for k in range(4):
            ends = found_of(found, k)
            assert np.abs(robot.forward_kinematics(ends, frame) - poses[k]).max() < 1e-9
            assert (ends >= robot.lower_limits).all() and (ends <= robot.upper_limits).all()
            distances = np.linalg.norm(ends - start, axis=1)
            assert (np.diff(distances) >= 0).all()
            assert apart(ends, q[k]).min() < 1e-6
            assert (apart(ends[:, None], ends[None]) < 1e-4).sum() == len(ends)


def test_a_planar_arm_has_two_solutions_and_three_joints_two_with_orientation() -> None:
    arm = revolute.robots.planar(2)
    found = arm.inverse_kinematics([1.0, 0.5, 0.0], "tip", rows="linear", all=True)
    reach = math.atan2(0.5, 1.0)
    half = math.acos(math.hypot(1.0, 0.5) / 2)
    wanted = [[reach - half, 2 * half], [reach + half, -2 * half]]
    np.testing.assert_allclose(found.q[np.argsort(found.q[:, 0])], wanted, atol=1e-11)
    assert found.q.shape == (2, 2) and found.error.shape == (2, 3) and found.converged.all()
    arm = revolute.robots.planar(3)
    assert arm.inverse_kinematics(arm.forward_kinematics([0.3, 0.8, -0.4], "tip"), "tip", all=True).q.shape == (2, 3)


def test_limits_keep_what_fits_after_whole_turns() -> None:
    poses = UR5.forward_kinematics(UR5.random_configuration(40, rng=3), "tool0")
    free = UR5.inverse_kinematics(poses, "tool0", limits=False, all=True)
    lower, upper = np.array([-4.0, -3, 0, -9, -2, 1]), np.array([2.0, 3, 3, 9, 6, 8])
    start = (lower + upper) / 2
    near = UR5.inverse_kinematics(poses, "tool0", start, (lower, upper), all=True)
    every = UR5.inverse_kinematics(poses, "tool0", start, (lower, upper), all=True, turns=True)
    assert near.converged.sum() > 20
    turns = TURN * np.array([*product((-2, -1, 0, 1, 2), repeat=6)])
    for k in range(40):
        ways = [x + turns for x in found_of(free, k)]
        fit = [x[((x >= lower) & (x <= upper)).all(axis=1)] for x in ways]
        nearest = sorted(np.linalg.norm(x - start, axis=1).min() for x in fit if len(x))
        assert np.allclose(np.linalg.norm(found_of(near, k) - start, axis=1), nearest, atol=1e-9)
        together = np.sort(np.linalg.norm(np.concatenate(fit) - start, axis=1))
        assert np.allclose(np.linalg.norm(found_of(every, k) - start, axis=1), together, atol=1e-9)
        assert len(np.unique(found_of(every, k).round(6), axis=0)) == len(together)


def test_rows_do_not_depend_on_the_batch_or_on_threads() -> None:
    poses = UR5.forward_kinematics(UR5.random_configuration(100, rng=1), "tool0")
    poses[::30, :3, 3] *= 3  # out of reach
    together = UR5.inverse_kinematics(poses, "tool0", all=True, threads=1)
    assert not together.converged[::30].any() and np.isnan(together.q[0]).all()
    again = UR5.inverse_kinematics(poses, "tool0", all=True, threads=2)
    assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(together, again, strict=True))
    for k in (0, 1, 50, 99):
        alone = UR5.inverse_kinematics(poses[k], "tool0", all=True)
        np.testing.assert_array_equal(alone.q, found_of(together, k))
        assert alone.iterations == together.iterations[k] and alone.restarts == together.restarts[k]
    grid = UR5.inverse_kinematics(poses.reshape(4, 25, 4, 4), "tool0", all=True)
    np.testing.assert_array_equal(grid.q.reshape(100, -1, 6), together.q)


def test_solutions_say_how_many_poses_are_reached() -> None:
    pose = UR5.forward_kinematics(START, "tool0")
    found = UR5.inverse_kinematics(pose, "tool0", all=True)
    assert found.left() == "reached" and found.reached() is found.q and "nearest" not in repr(found)
    far = pose.copy()
    far[:3, 3] *= 5
    lost = UR5.inverse_kinematics(far, "tool0", all=True)
    assert lost.q.shape == (0, 6) and lost.left() == "not reached"
    assert_raises(revolute.InputError, r"a pose is not reached.*q\[converged\]", lost.reached)
    assert UR5.inverse_kinematics([pose, far], "tool0", all=True).left() == "1 of 2 not reached"
    assert UR5.inverse_kinematics(np.empty((0, 4, 4)), "tool0", all=True).q.shape == (0, 0, 6)


def test_a_branch_goes_on_along_a_path() -> None:
    """Eight branches of the UR5, each followed over poses that come back; `path` follows the same."""
    pose, t = UR5.forward_kinematics(START, "tool0"), np.linspace(0, TURN, 40)
    circle = np.tile(pose, (40, 1, 1))
    circle[:, 0, 3] += 0.05 * np.cos(t) - 0.05
    circle[:, 1, 3] += 0.05 * np.sin(t)
    for first in UR5.inverse_kinematics(pose, "tool0", all=True).q:
        q = first
        for target in circle:
            found = UR5.inverse_kinematics(target, "tool0", q, all=True, branch=True, limits=False)
            assert len(found.q) == 1 and np.abs(found.q[0] - q).max() < 0.5
            q = found.q[0]
        np.testing.assert_allclose(q, first, atol=1e-9)
        path = UR5.inverse_kinematics(circle, "tool0", first, path=True, limits=False)
        np.testing.assert_allclose(path.q[-1], q, atol=1e-5)


def test_a_branch_has_no_solution_where_it_ends() -> None:
    arm = revolute.robots.planar(2)
    up, down = [0.2, 1.0], [1.2, -1.0]
    pose = arm.forward_kinematics(up, "tip")
    for start in (up, down):
        found = arm.inverse_kinematics(pose, "tip", start, rows=(3, 4), all=True, branch=True)
        assert found.q.shape == (1, 2) and np.sign(found.q[0, 1]) == np.sign(start[1])


def test_a_held_joint_leaves_isolated_solutions() -> None:
    frame = "panda_link8"
    q = PANDA.random_configuration(20, rng=1)
    poses = PANDA.forward_kinematics(q, frame)
    assert_raises(revolute.InputError, r"family of solutions.*hold 1 joint, such as 'panda_joint7'",
                  PANDA.inverse_kinematics, poses, frame, all=True)  # fmt: skip
    found = PANDA.inverse_kinematics(poses, frame, all=True, hold={"panda_joint7": q[:, 6]})
    for k in range(20):
        ends = found_of(found, k)
        assert (ends[:, 6] == q[k, 6]).all() and np.abs(ends - q[k]).max(axis=1).min() < 1e-6
        assert np.abs(PANDA.forward_kinematics(ends, frame) - poses[k]).max() < 1e-9
        assert (ends >= PANDA.lower_limits).all() and (ends <= PANDA.upper_limits).all()
    values = np.linspace(-2, 2, 5)
    family = PANDA.inverse_kinematics(poses[:, None], frame, all=True, hold={"panda_joint7": values})
    assert family.q.shape[:2] == (20, 5)
    alone = PANDA.inverse_kinematics(poses[3], frame, all=True, hold={"panda_joint7": values[2]})
    np.testing.assert_array_equal(alone.q, family.q[3, 2][family.converged[3, 2]])


@pytest.mark.parametrize("name", CLOSED)
def test_of_a_family_the_nearest_members_are_found(name: str) -> None:
    """With aligned axes of the wrist, two joints move without the flange; the start is the nearest member."""
    robot, frame, _ = CLOSED[name]
    q = np.array([0.3, -1.2, 1.1, -0.7, 0, 0.4])
    found = robot.inverse_kinematics(robot.forward_kinematics(q, frame), frame, q, False, all=True)
    assert len(found.q) <= 8
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)
    ends = robot.forward_kinematics(found.q, frame)
    assert np.abs(ends - robot.forward_kinematics(q, frame)).max() < 2e-6


def test_followers_with_other_ratios_do_not_repeat_after_a_turn() -> None:
    """joint2 = joint1 / 2: the tip turns by 1.5 q, and after a turn of joint1 it is elsewhere."""
    half = revolute.Drive(mimic=revolute.Mimic("joint1", 0.5))
    arm = revolute.robots.planar(2).with_drives({"joint2": half})
    pose = arm.forward_kinematics([0.7], "tip")
    found = arm.inverse_kinematics(pose, "tip", [0.7], ([-7.0], [7.0]), rows=(2,), all=True)
    np.testing.assert_allclose(np.sort(found.q[:, 0]), 0.7 + TURN / 1.5 * np.arange(-1, 2), atol=1e-11)


def test_loops_are_closed_in_all_ways() -> None:
    """A five-bar linkage: two ways to bend each side."""
    linkage = revolute.robots.planar(4).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))
    point = [0.9, 1.2, 0.0]
    found = linkage.inverse_kinematics(point, "link3", rows=(3, 4), all=True)
    assert found.q.shape == (4, 4) and np.abs(linkage.error(found.q)).max() < 1e-11
    ends = linkage.forward_kinematics(found.q, "link3")[:, :3, 3]
    np.testing.assert_allclose(ends, np.broadcast_to(point, (4, 3)), atol=1e-11)
    elastic = UR5.with_elastic_joints(1e4, rotor_inertia=0.5)
    pose = UR5.forward_kinematics(START, "tool0")
    np.testing.assert_array_equal(
        elastic.inverse_kinematics(pose, "tool0", all=True).q, UR5.inverse_kinematics(pose, "tool0", all=True).q
    )


def test_quaternions_count_once() -> None:
    """A ball joint and an elbow: two ways, whose quaternions may have both signs."""
    along_x = revolute.Transform(p=Vector((1, 0, 0)))
    links = [Link(f"l{k}") for k in range(4)]
    ball = Joint("ball", "l0", "l1", revolute.Spherical())
    elbow = Joint("elbow", "l1", "l2", revolute.Revolute((0, 1, 0)), along_x)
    hand = Joint("hand", "l2", "l3", revolute.Revolute((0, 0, 1)), along_x)
    arm = Robot.from_links("ball", links, [ball, elbow, hand])
    q = arm.random_configuration(rng=3)
    pose = arm.forward_kinematics(q, "l3")
    found = arm.inverse_kinematics(pose, "l3", rows=(0, 1, 2, 3, 5), all=True)
    assert len(found.q) >= 2
    assert np.abs(arm.forward_kinematics(found.q, "l3")[:, :3, :3] - pose[:3, :3]).max() < 1e-9
    balls, hinges = found.q[:, :4], found.q[:, 4:]
    same = (np.abs(balls @ balls.T) > 1 - 1e-9) & (apart(hinges[:, None], hinges) < 1e-4)
    assert same.sum() == len(found.q)


def test_quaternions_of_opposite_turns_are_two() -> None:
    """Also where all products of their components are zero."""
    q = np.array([[[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, -1], [-0.6, 0.8, 0, 0], [0.6, -0.8, 0, 0]]])
    ball = Robot.from_links("ball", [Link("l0"), Link("l1")], [Joint("ball", "l0", "l1", revolute.Spherical())])
    places, attempts = distinct(ball, (), q, np.ones((1, 5), dtype=bool))
    assert places.tolist() == [0, 0, 0] and attempts.tolist() == [0, 1, 3]


def test_half_a_turn_counts_once() -> None:
    """Ends on both sides of pi are one solution."""
    q = np.array([math.pi, -1.2, 1.1, -0.7, 0.9, -math.pi])
    found = UR5.inverse_kinematics(UR5.forward_kinematics(q, "tool0"), "tool0", q, all=True)
    assert len(found.q) == 8
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)


BAD: dict[str, tuple[type[Exception], str, dict[str, Any]]] = {
    "flag": (revolute.InputError, "all must be", {"all": 1}),
    "turns alone": (revolute.InputError, "turns applies only to all solutions; give all, too", {"turns": True}),
    "branch alone": (revolute.InputError, "branch applies only to all solutions; give all, too", {"branch": True}),
    "hold alone": (revolute.InputError, "hold applies only to all solutions; give all", {"hold": {"elbow_joint": 1.0}}),
    "path": (revolute.InputError, "omit them", {"all": True, "path": True}),
    "posture": (revolute.InputError, "omit them", {"all": True, "posture": "middle"}),
    "no start": (revolute.InputError, "branch needs q0", {"all": True, "branch": True}),
    "unlimited": (
        revolute.InputError, "'shoulder_pan_joint' has no limits", {"all": True, "turns": True, "limits": False},
    ),
    "joint": (revolute.UnknownNameError, "no joint 'elbow'", {"all": True, "hold": {"elbow": 1.0}}),
    "beyond": (revolute.InputError, "is outside of its limits", {"all": True, "hold": {"elbow_joint": 4.0}}),
    "nan": (revolute.InputError, "'elbow_joint' is not finite", {"all": True, "hold": {"elbow_joint": math.nan}}),
    "list": (revolute.InputError, "hold must be a dict", {"all": True, "hold": ["elbow_joint"]}),
    "batches": (
        ShapeError, "do not broadcast", {"all": True, "hold": {"elbow_joint": [1.0, 2.0]}, "q0": np.zeros((3, 6))},
    ),
    "rows": (revolute.InputError, "family.*hold 3 joints", {"all": True, "rows": "linear"}),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said(case: str) -> None:
    kind, words, options = BAD[case]
    assert_raises(kind, words, UR5.inverse_kinematics, np.eye(4), "tool0", **options)


def test_lines_between_positions_of_loops_are_open() -> None:
    linkage = revolute.robots.planar(4).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))
    start = [0.0] * 4
    options = {"rows": (3, 4), "all": True, "branch": True}
    point = [0.9, 1.2, 0.0]
    assert_raises(revolute.InputError, "closed loops", linkage.inverse_kinematics, point, "link3", start, **options)


def assert_nearest(robot: Robot, frame: str, found: Any, start: Any, moving: list[int], lever: float) -> None:
    """No family is found at every attempt, and members cannot come nearer to the start along their family."""
    assert 0 < len(found) <= 12
    for q in found:
        J = robot.jacobian(q, frame)[:, moving]
        values, V = np.linalg.svd(J)[1:]
        null = V[np.append(values, np.zeros(V.shape[0] - len(values))) < SINGULAR]
        way = np.asarray(start) - q
        way -= TURN * np.round(way / TURN)
        assert np.abs(null @ way[moving]).max(initial=0) < lever


def test_families_of_rows_with_more_or_fewer_joints_keep_the_nearest_members() -> None:
    """With zero reach a planar arm turns about its base; the elbow folds back. Held joints do not move."""
    arm, start = revolute.robots.planar(2), [0.3, 3.0]
    found = arm.inverse_kinematics([0.0, 0, 0], "tip", start, rows="linear", all=True)
    np.testing.assert_allclose(found.q, [[0.3, math.pi]], atol=1e-6)
    stanford = revolute.robots.stanford()
    for seed in range(4):
        q = stanford.random_configuration(rng=seed)
        q[4] = 0
        pose = stanford.forward_kinematics(q, "frame6")
        found = stanford.inverse_kinematics(pose, "frame6", all=True)
        assert 0 < len(found.q) <= 8
        assert np.abs(stanford.forward_kinematics(found.q, "frame6") - pose).max() < 1e-6
    q = np.array([0.1, -1.2, 1.3, -0.6, 0, 0.4])
    for start in (np.zeros(6), q + 0.1):
        pose = UR5.forward_kinematics(q, "tool0")
        found = UR5.inverse_kinematics(pose, "tool0", start, all=True)
        assert_nearest(UR5, "tool0", found.q, start, [*range(6)], 1e-4)
        held = UR5.inverse_kinematics(pose, "tool0", start, all=True, hold={"shoulder_pan_joint": 0.1})
        assert_nearest(UR5, "tool0", held.q, start, [1, 2, 3, 4, 5], 1e-4)
        assert (held.q[:, 0] == 0.1).all()
        both = {name: UR5.forward_kinematics(q, name) for name in ("tool0", "ee_link")}
        assert_nearest(UR5, "tool0", UR5.inverse_kinematics(both, q0=start, all=True).q, start, [*range(6)], 1e-4)


def test_turns_have_a_maximum() -> None:
    pose = UR5.forward_kinematics([0.3, -1.2, 1.1, -0.7, 0.9, 0.4], "tool0")
    wide = np.array([10.0, 100, 100, 110, 100, 100])
    assert_raises(revolute.InputError, "at most 1,000,000.*joint 'wrist_1_joint'", UR5.inverse_kinematics,
                  pose, "tool0", None, (-wide, wide), all=True, turns=True)  # fmt: skip


def test_starts_of_few_seeds_are_kept() -> None:
    arm = revolute.robots.planar(2)
    for seed in range(20):
        arm.inverse_kinematics([1.0, 0.5, 0.0], "tip", rows="linear", all=True, rng=seed)
    (plan,) = arm._plans.values()
    assert len(plan.starts) <= 4


def test_a_matrix_that_is_not_finite_has_no_place_in_a_batch() -> None:
    assert_raises(revolute.InputError, "pose of 'tool0' is not a pose: it has a number that is not finite",
                  UR5.inverse_kinematics, np.full((4, 4), np.nan), "tool0")  # fmt: skip
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[1, 2, 0] = np.nan
    assert_raises(revolute.InputError, "'tool0' at 1 is not", UR5.inverse_kinematics, poses, "tool0")
