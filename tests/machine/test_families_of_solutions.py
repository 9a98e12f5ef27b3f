"""`inverse_kinematics(..., all=True)`: families of solutions at singular positions, and its maxima."""

import math
from typing import Any

import numpy as np
from comparing import assert_raises

import revolute
from revolute import Robot

TURN = 2 * math.pi
UR5 = revolute.robots.ur5()
START = [0.3, -1.2, 1.1, -0.7, 0.9, 0.4]
SINGULAR = 1e-3
"""Least singular value below which joints may move without the frame."""


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
    pose = UR5.forward_kinematics(START, "tool0")
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
