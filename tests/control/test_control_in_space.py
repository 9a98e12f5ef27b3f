"""Control of a link frame: accelerations of the frame by identities, closed loops, contact by a given wrench."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import ARMS, READY, UR5, assert_all_raise
from scipy.spatial.transform import Rotation

import revolute
from revolute import DtypeError, InputError, ShapeError, UnknownNameError
from revolute.control import Hybrid, Impedance, MotionTable, ResolvedAcceleration
from revolute.control import controller as controllers


def error(X: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """(log(R R_ref^T), p - p_ref)."""
    turn = Rotation.from_matrix(X[:3, :3] @ goal[:3, :3].T).as_rotvec()
    return np.array([*turn, *(X[:3, 3] - goal[:3, 3])])


@pytest.mark.parametrize("name", ARMS)
def test_the_frame_accelerates_as_the_law_says(name: str) -> None:
    """V of the closed loop, from forward dynamics: A of each row, whatever the null space does."""
    robot, frame = ARMS[name]
    rng = np.random.default_rng(4)
    q, qd = READY[name], 0.3 * rng.standard_normal(robot.nv)
    X = robot.forward_kinematics(q, frame)
    turned = robot.forward_kinematics(q + 0.2 * rng.standard_normal(robot.nv), frame)
    twist, rate = rng.standard_normal((2, 6))
    J, V = robot.jacobian(q, frame, "aligned"), robot.velocity(q, qd, frame, "aligned")
    e, ed = error(X, turned), V - twist
    D_0 = 3.0 if robot.nv > 6 else 0.0

    def acceleration(tau: np.ndarray) -> np.ndarray:
        return robot.acceleration(q, qd, robot.forward_dynamics(q, qd, tau), frame, "aligned")

    law: Any = ResolvedAcceleration(robot, frame, lambda t: (turned, twist, rate), 20.0, 7.0, null_damping=D_0)
    wanted = rate - 7 * ed - 20 * e
    np.testing.assert_allclose(acceleration(law.torque(0.0, q, qd)), wanted, rtol=1e-8, atol=1e-8)

    K, D = rng.uniform(5, 50, (2, 6))
    law = Impedance(robot, frame, law.reference, K, D, null_damping=D_0)
    Lambda = np.linalg.inv(J @ np.linalg.inv(robot.mass_matrix(q)) @ J.T)
    found = Lambda @ (acceleration(law.torque(0.0, q, qd)) - rate)
    np.testing.assert_allclose(found, -D * ed - K * e, rtol=1e-8, atol=1e-8)

    force = {"pushed": (5,), "wrench": [0, 0, 0, 1.0, -2.0, 30.0], "force_damping": 4}
    law = Hybrid(robot, frame, law.reference, 20.0, 7.0, (3, 4, 5), null_damping=D_0, **force)
    Lambda = np.linalg.inv(J[3:] @ np.linalg.inv(robot.mass_matrix(q)) @ J[3:].T)
    moved = np.array([*wanted[3:5], 0]) + np.linalg.inv(Lambda) @ [0, 0, 30 - 4 * V[5]]
    np.testing.assert_allclose(acceleration(law.torque(0.0, q, qd))[3:], moved, rtol=1e-8, atol=1e-8)


def test_a_frame_follows_a_circle() -> None:
    """A reference of samples; half a millimetre at 1 kHz, and the same with a trajectory of matrices."""
    robot, frame = ARMS["panda"]
    start, t, w, r = READY["panda"], np.arange(2001) * 1e-3, 3.0, 0.05
    poses = np.tile(robot.forward_kinematics(start, frame), (len(t), 1, 1))
    zero, c, s = np.zeros_like(t), r * np.cos(w * t), r * np.sin(w * t)
    poses[:, :3, 3] += np.stack([c - r, s, zero], axis=-1)
    twists = np.stack([zero, zero, zero, -w * s, w * c, zero], axis=-1)
    rates = np.stack([zero, zero, zero, -w * w * c, -w * w * s, zero], axis=-1)
    law = ResolvedAcceleration(robot, frame, MotionTable(t, poses, twists, rates), 400.0, null_damping=2.0)
    qd = np.linalg.pinv(robot.jacobian(start, frame, "aligned")) @ twists[0]
    motion = robot.simulate(start, qd, law, t)
    found = robot.forward_kinematics(motion.q, frame)
    assert np.abs(found[:, :3, 3] - poses[:, :3, 3]).max() < 5e-4
    assert np.abs(found[:, :3, :3] - poses[:, :3, :3]).max() < 5e-4
    assert np.abs(motion.qd).max() < 2  # the null space is braked


def test_a_spring_gives_way_and_a_wall_is_pushed() -> None:
    start, t = READY["ur5"], np.arange(4001) * 1e-3
    X = UR5.forward_kinematics(start, "tool0")
    K, D = np.array([50, 60, 70, 400, 500, 600.0]), np.array([10, 10, 10, 80, 80, 80.0])
    force = np.array([0, 0, 0, 4.0, -5.0, 6.0])
    pull = np.concatenate([np.zeros(3), X[:3, :3].T @ force[3:]])
    motion = UR5.simulate(start, np.zeros(6), Impedance(UR5, "tool0", X, K, D), t, wrenches={"tool0": pull})
    np.testing.assert_allclose(error(UR5.forward_kinematics(motion.q[-1], "tool0"), X), force / K, atol=1e-5)
    push = Hybrid(UR5, "tool0", X, 25.0, pushed=(3, 4, 5), wrench=-force, force_damping=20.0)
    held = UR5.simulate(start, np.zeros(6), push, t[:1001], wrenches={"tool0": pull})
    assert np.abs(held.q[-1] - start).max() < 1e-6  # the wall gives what is pushed
    free = UR5.simulate(start, np.zeros(6), push, t[:1501])
    v = UR5.velocity(free.q[-1], free.qd[-1], "tool0", "aligned")
    assert np.abs(v[3:] + force[3:] / 20).max() < 0.03


def test_what_is_wrong_in_space_is_named() -> None:
    X = UR5.forward_kinematics(READY["ur5"], "tool0")
    assert_all_raise([
        (UnknownNameError, "tool9", lambda: ResolvedAcceleration(UR5, "tool9", X, 1)),
        (InputError, "rows must be distinct numbers in 0", lambda: ResolvedAcceleration(UR5, "tool0", X, 1, rows=(7,))),
        (InputError, r"Impedance: damping must be positive, but is -1 for row 5 \(vz\)",
         lambda: Impedance(UR5, "tool0", X, 1.0, [1, 1, 1, 1, 1, -1])),
        (InputError, "null_damping must be zero or more", lambda: Impedance(UR5, "tool0", X, 1, 1, null_damping=-1)),
        (InputError, r"pushed must be some of the rows", lambda: Hybrid(UR5, "tool0", X, 1, rows=(3, 4), pushed=(5,))),
        (ShapeError, r"wrench has shape \(3,\)", lambda: Hybrid(UR5, "tool0", X, 1, wrench=np.ones(3))),
        (ShapeError, r"reference has shape \(6,\), but \(\.\.\., 7\) is needed: x, y, z \[m\], then the quaternion qx,",
         lambda: Impedance(UR5, "tool0", np.ones(6), 1, 1)),
        (InputError, "too long", lambda: ResolvedAcceleration(UR5, "tool0", X, 1e4).stepper(0.01)),
    ])
    pose = revolute.Transform(revolute.Rotation.from_matrix(X[:3, :3]), X[:3, 3])
    law = ResolvedAcceleration(UR5, "tool0", pose, 9.0)
    gravity = UR5.gravity_forces(READY["ur5"])
    np.testing.assert_allclose(law.torque(0.0, READY["ur5"], np.zeros(6)), gravity, atol=1e-9)


def test_steps_take_seven_numbers_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is copied in a step, which allocates no memory."""
    start, still, tau = READY["ur5"], np.zeros(6), np.empty(6)
    pose = revolute.Transform.from_matrix(UR5.forward_kinematics(start, "tool0"))
    loop = ResolvedAcceleration(UR5, "tool0", pose, 9.0).stepper(0.001)
    monkeypatch.delattr(controllers, "float_copy")
    assert loop.step(start, still, np.array([*pose.p, *pose.quaternion()]), out=tau) is tau
    assert_raises(NameError, "float_copy", loop.step, start, still, [*pose.p, *pose.quaternion()], out=tau)


def test_steps_take_poses_as_constructors_do() -> None:
    """A goal as (4, 4), as a `Transform` and as seven numbers: the same forces, to the rounding of the quaternion."""
    start = READY["ur5"]
    X = UR5.forward_kinematics(start + 0.1, "tool0")
    pose = revolute.Transform.from_matrix(X)
    law = ResolvedAcceleration(UR5, "tool0", X, 9.0)
    loop, tau, expected, still = law.stepper(0.001), np.empty(6), law.torque(0.0, start, np.zeros(6)), np.zeros(6)
    for goal in (X, pose, [*pose.p, *pose.quaternion()], np.array([*pose.p, *pose.quaternion()])):
        for rest in ((), (still,), (still, still)):
            assert loop.step(start, still, goal, *rest, out=tau) is tau
            np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-11)  # of 100 N m
    for wrong, message in [(np.ones(6), r"\(6,\), but .*: x, y, z"), (np.eye(3), r"\(3, 3\), but")]:
        with pytest.raises(ShapeError, match=f"ResolvedAcceleration: reference has shape .*{message}"):
            loop.step(start, still, wrong, out=tau)
    assert_raises(DtypeError, "reference must be real numbers, not 'a'", loop.step, start, still, "a", out=tau)
    for no_pose in (2 * np.eye(4), np.diag([1.0, 1, -1, 1])):
        assert_raises(InputError, "reference is not a pose", loop.step, start, still, no_pose, out=tau)
        assert_raises(InputError, "reference is not a pose", ResolvedAcceleration, UR5, "tool0", no_pose, 9.0)
