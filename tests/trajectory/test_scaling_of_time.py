"""Uniform scaling of time: tau(k t) = k^2 (tau - g) + g, with friction; the limit is touched and never passed."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from hypothesis import strategies as st
from robots import every

import revolute
from revolute import Drive
from revolute.trajectory import Trajectory, minimum_jerk, quintic, spline, trapezoid, uniform_scaling
from revolute.trajectory.scaling import forces_by_speed

UR5 = revolute.robots.ur5()
PARTS = {"friction_backward": (2.0,), "armature": (0.1,), "stiffness": (1.0,)}
FRICTION = UR5.with_drives({name: Drive((2.0 + k,), (3.0 - k / 4,), **PARTS) for k, name in enumerate(UR5.joint_names)})
FLOATING = revolute.robots.random_tree(3, rng=5, base="free")
FREE = np.inf


def motion(seed: int = 0, robot: Any = UR5, duration: float = 3.0) -> Trajectory:
    return spline(robot, np.random.default_rng(seed).uniform(-1, 1, (4, 6)), duration, ends="clamped")


def torques(trajectory: Trajectory, robot: Any, samples: int = 20_011) -> np.ndarray:
    return robot.inverse_dynamics(*trajectory(np.linspace(0, trajectory.duration, samples)))


@pytest.mark.parametrize("k", [0.3, 1.0, 2.7])
@pytest.mark.parametrize("robot", [UR5, FRICTION])
def test_forces_at_every_speed_are_a_quadratic_in_it(robot: Any, k: float) -> None:
    slow = motion()
    t = np.linspace(0.01, 2.99, 100)
    A, B, C = forces_by_speed("test", robot, *slow(t))
    np.testing.assert_allclose(robot.inverse_dynamics(*slow.at_speed(k)(t / k)), A * k**2 + B * k + C, atol=1e-11)
    if robot is UR5:
        weight = UR5.gravity_forces(slow.q(t))
        tau = UR5.inverse_dynamics(*slow(t))
        np.testing.assert_allclose(A * k**2 + B * k + C, k**2 * (tau - weight) + weight, atol=1e-11)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("robot", [UR5, FRICTION])
def test_the_limiting_torque_reaches_its_limit_and_no_torque_exceeds_one(robot: Any, seed: int) -> None:
    scaling = uniform_scaling(motion(seed, robot), robot, velocity=FREE)
    limits = UR5.effort_limits
    assert (np.abs(torques(scaling.trajectory, robot)) <= limits * (1 + 1e-12)).all()
    assert scaling.kind == "torque" and scaling.joint in UR5.joint_names
    k = UR5.joint_names.index(scaling.joint)
    touched = robot.inverse_dynamics(*scaling.trajectory(scaling.t))[k]
    assert abs(abs(touched) / limits[k] - 1) < 1e-9 and scaling.limit == limits[k] and scaling.unit == "N m"
    faster = scaling.trajectory.at_speed(1 + 1e-6)
    assert (np.abs(robot.inverse_dynamics(*faster(scaling.t / (1 + 1e-6)))) > limits).any()
    # every lower speed is within limits too
    for k in (0.1, 0.5, 0.9, 0.99):
        assert (np.abs(torques(scaling.trajectory.at_speed(k), robot, 2011)) <= limits).all()


@every(st.integers(0, 10_000), examples=15)
def test_limits_of_floating_robots_are_touched_too(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slow = quintic(FLOATING, FLOATING.random_configuration(2, rng=rng), 2.0)
    weight = np.abs(FLOATING.gravity_forces(slow.q(np.linspace(0, 2, 500)))).max(axis=0)
    limit = weight * rng.uniform(1.2, 3) + rng.uniform(1, 5)
    scaling = uniform_scaling(slow, FLOATING, torque=limit, velocity=FREE)
    assert (np.abs(torques(scaling.trajectory, FLOATING, 4001)) / limit).max() <= 1 + 1e-12
    assert abs((np.abs(FLOATING.inverse_dynamics(*scaling.trajectory(scaling.t))) / limit).max() - 1) < 1e-9


def test_peaks_of_equal_height_are_all_looked_at() -> None:
    """There and back: samples of the two peaks differ, and neither may pass the limit."""
    for duration in (2.0, 2.345, 3.1):
        there_and_back = quintic(UR5, [[0] * 6, [1, 0, 0, 0, 0, 0], [0] * 6], duration)
        scaling = uniform_scaling(there_and_back, UR5, samples=100, velocity=FREE)
        assert scaling.joint == "shoulder_pan_joint"
        assert (np.abs(torques(scaling.trajectory, UR5)) <= UR5.effort_limits * (1 + 1e-12)).all()


def test_without_friction_it_is_hollerbachs_formula() -> None:
    """The least of sqrt((L -+ g)/|tau - g|) over all samples and joints, from above."""
    slow = motion(1)
    t = np.linspace(0, 3, 30_001)
    tau, weight, limit = UR5.inverse_dynamics(*slow(t)), UR5.gravity_forces(slow.q(t)), UR5.effort_limits
    inertial = tau - weight
    k = np.sqrt(np.where(inertial > 0, limit - weight, limit + weight) / np.abs(inertial)).min()
    found = uniform_scaling(slow, UR5, velocity=FREE).factor
    assert found <= k * (1 + 1e-12) and found == pytest.approx(k, rel=1e-6)


def test_limits_of_velocity_acceleration_and_jerk_bind_by_their_powers() -> None:
    robot = revolute.robots.planar(1)
    slow = minimum_jerk(robot, [[0.0], [2.0]], 1.0)  # peaks 15/8 d, 10/sqrt(3) d, 60 d
    for kind, peak, power in (("velocity", 3.75, 1), ("acceleration", 20 / np.sqrt(3), 2), ("jerk", 120.0, 3)):
        scaling = uniform_scaling(slow, robot, **{kind: 7.0})
        unit = "rad/s" + (f"^{power}" if power > 1 else "")
        assert (scaling.kind, scaling.limit, scaling.unit) == (kind, 7.0, unit)
        assert scaling.factor == pytest.approx((7 / peak) ** (1 / power), rel=1e-9)
    k = uniform_scaling(slow, robot, velocity=7.0, acceleration=7.0)
    assert k.factor == uniform_scaling(slow, robot, acceleration=7.0).factor
    assert str(k).startswith(f"{k.factor:.6g} times as fast, in {1 / k.factor:.6g} s: acceleration of 'joint1'")


def test_accelerations_that_jump_are_seen_on_both_sides() -> None:
    robot = revolute.robots.planar(1).with_gravity((0, 0, 0))
    slow = trapezoid(robot, [[0.0], [1.0]], velocity=1.0, acceleration=2.0)
    inertia = float(robot.mass_matrix([0.0])[0, 0])
    assert uniform_scaling(slow, robot, torque=8 * inertia).factor == pytest.approx(2, rel=1e-12)


def test_friction_that_brakes_allows_more_speed_and_friction_to_overcome_less() -> None:
    robot = revolute.robots.planar(1).with_gravity((0, 0, 0))
    slow = quintic(robot, [[0.0], [1.0]], 1.0)
    free = uniform_scaling(slow, robot, torque=5.0).factor
    for drive in (Drive(damping=(0.5,)), Drive(friction=(1.0,))):
        assert uniform_scaling(slow, robot.with_drives({"joint1": drive}), torque=5.0).factor < free


def test_what_gravity_alone_makes_impossible_is_named() -> None:
    message = r"no scaling is feasible: at t=[\d.]+ s, joint 'shoulder_lift_joint' needs [\d.]+ N m to .*limit is 5 N m"
    weak = {"shoulder_lift_joint": 5.0}
    assert_raises(revolute.TrajectoryError, message, uniform_scaling, motion(2), UR5, torque=weak)
    pulled = revolute.robots.planar(1).with_gravity((0, 0, 0)).with_drives({"joint1": Drive(friction=(2.0,))})
    path, message = quintic(pulled, [[0.0], [1.0]], 1.0), "joint 'joint1' needs 2 N m to overcome gravity"
    assert_raises(revolute.TrajectoryError, message, uniform_scaling, path, pulled, torque=1.5)


def test_friction_without_a_closed_form_and_motions_without_limits_are_refused() -> None:
    arm = revolute.robots.planar(1)
    slow = quintic(arm, [[0.0], [1.0]], 1.0)
    smooth = arm.with_drives({"joint1": Drive(friction=(1.0,))}, smoothing=0.01)
    sticky = arm.with_drives({"joint1": Drive(friction=(1.0,), stribeck=(0.5,), stribeck_speed=(0.1,))})
    for robot, message in ((smooth, "smoothed friction has no closed"), (sticky, "'joint1' has Stribeck friction")):
        assert_raises(revolute.InputError, message, uniform_scaling, slow, robot, torque=100)
    assert_raises(revolute.TrajectoryError, "nothing limits the speed", uniform_scaling, slow, arm)


def test_a_motion_at_another_speed_has_the_rates_of_the_chain_rule() -> None:
    slow = motion(3)
    fast = slow.at_speed(2.5)
    t = np.linspace(0, 1.2, 7)[:-1]
    for rate, power in (("q", 0), ("qd", 1), ("qdd", 2), ("jerk", 3)):
        np.testing.assert_allclose(getattr(fast, rate)(t), getattr(slow, rate)(2.5 * t) * 2.5**power, rtol=1e-12)
    assert fast.duration == pytest.approx(1.2) and fast.at_speed(0.4).duration == pytest.approx(3.0)
