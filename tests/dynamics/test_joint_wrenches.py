"""What joints transmit: first principles, their part along the joint, Pinocchio's forces, and what they cost."""

from dataclasses import replace

import numpy as np
import pytest
from robots import FEW_ARMS, every, of_each_kind, peers, pin, signature, state, trees, value

import revolute
from revolute import InputError, Robot, UnknownNameError
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import count
from revolute.spatial import Force, Vector


@of_each_kind
def test_pinocchio_has_the_same(name: str, base: str) -> None:
    """`data.f` after its own recursion, body by body. Angles that are exact here are 5e-12 off there."""
    robot, model, data, q, qd, qdd, positions, order = peers(name, base, seed=5)
    if robot.n_joints == 0:
        return
    if name in FEW_ARMS:
        found = robot.joint_wrenches(q, qd, qdd)
    else:
        found = np.array([value(robot, "joint_wrenches", *row) for row in zip(q, qd, qdd, strict=True)])
    assert found.shape == (3, robot.n_joints, 6)
    v, a = qd[:, order], qdd[:, order]
    for k in range(3):
        pin.rnea(model, data, positions[k], v[k], a[k])
        for i, joint in enumerate(robot.joint_names):
            theirs = data.f[model.getJointId(joint)]
            expected = np.concatenate([theirs.angular, theirs.linear])
            np.testing.assert_allclose(found[k, i], expected, atol=1e-10 * (1 + np.abs(found[k]).max()))


@every(trees())
def test_the_part_along_the_joint_is_its_force(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    F, tau = (value(robot, name, q, qd, qdd) for name in ("joint_wrenches", "inverse_dynamics"))
    for body, at, wrench in zip(robot.bodies[1:], robot.v_index[1:], F, strict=True):
        along = body.joint.force(Force(Vector(wrench[:3]), Vector(wrench[3:])))
        np.testing.assert_allclose(along, tau[at], atol=1e-10 * (1 + np.abs(F).max()))


@every(trees(bases=("fixed",)))
def test_the_ground_carries_the_weight_and_drives_the_centre_of_mass(robot: Robot) -> None:
    """f = m (c'' - g), and the weight of the base; its moment is the rate of angular momentum about the origin."""
    q, qd, qdd = state(robot)
    m, m0 = sum(body.inertia.m for body in robot.bodies[1:]), robot.bodies[0].inertia.m
    g, c = np.array(robot.gravity), value(robot, "center_of_mass", q)
    found = value(robot, "base_wrench", q, qd, qdd)
    force = m * (value(robot, "com_acceleration", q, qd, qdd) - g)
    scale = 1 + np.abs(value(robot, "joint_wrenches", q, qd, qdd)).max()
    np.testing.assert_allclose(found[3:], force - m0 * g, atol=1e-10 * scale)
    about_c = value(robot, "centroidal_momentum_rate", q, qd, qdd)[:3]
    first = np.array(robot.bodies[0].inertia.h)
    np.testing.assert_allclose(found[:3], about_c + np.cross(c, force) - np.cross(first, g), atol=1e-10 * scale)


@every(trees())
def test_axes_of_the_base(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    frames = {frame.body: frame for frame in robot.frames}
    poses = value(robot, "forward_kinematics", q)
    turned = value(robot, "joint_wrenches", q, qd, qdd, reference="aligned")
    for i, (F, expected) in enumerate(zip(value(robot, "joint_wrenches", q, qd, qdd), turned, strict=True), 1):
        if i in frames:
            k = robot.link_names.index(frames[i].name)
            R = poses[k, :3, :3] @ np.array(frames[i].placement.R.matrix()).T
            np.testing.assert_allclose(
                np.concatenate([R @ F[:3], R @ F[3:]]), expected, atol=1e-11 * (1 + np.abs(turned).max())
            )


def test_a_load_at_the_tip_goes_down_to_the_ground() -> None:
    arm, load = revolute.robots.planar(2), np.array([0.0, 0.0, 0.3, 1.0, 2.0, 0.0])
    zero = np.zeros(2)
    free, loaded = (arm.joint_wrenches(zero, zero, zero, wrenches=w) for w in ({}, {"tip": load}))
    np.testing.assert_allclose(loaded[1] - free[1], [0, 0, -0.3 - 2.0, -1, -2, 0], atol=1e-12)
    np.testing.assert_allclose(loaded[0] - free[0], [0, 0, -0.3 - 4.0, -1, -2, 0], atol=1e-12)
    on_base = arm.base_wrench(zero, zero, zero, wrenches={arm.link_names[0]: load}) - arm.base_wrench(zero, zero, zero)
    np.testing.assert_allclose(on_base, -load, atol=1e-12)


def test_a_base_that_moves_with_gravity_feels_nothing() -> None:
    """In free fall no joint transmits anything."""
    arm = revolute.robots.ur5()
    q, zero, fall = np.full(6, 0.3), np.zeros(6), np.concatenate([np.zeros(3), arm.gravity])
    assert np.abs(arm.joint_wrenches(q, zero, zero, base_acceleration=fall)).max() < 1e-12
    assert np.abs(arm.base_wrench(q, zero, zero, base_acceleration=fall)).max() < 1e-12
    spin = arm.joint_wrenches(q, zero, zero, base_twist=[0, 0, 1.0, 0, 0, 0], base_acceleration=fall)
    assert np.abs(spin).max() > 0.1


def test_a_floating_robot_leans_on_nothing() -> None:
    robot = revolute.robots.random_tree(5, rng=3, base="free")
    q, qd, tau = state(robot)
    tau[:6] = 0
    F = robot.joint_wrenches(q, qd, robot.forward_dynamics(q, qd, tau))
    assert np.abs(F[0]).max() < 1e-9 * (1 + np.abs(F).max())


@pytest.mark.parametrize("make", [revolute.robots.ur5, revolute.robots.puma560, lambda: revolute.robots.dh_arm(6)])
def test_it_costs_at_most_a_quarter_more(make) -> None:
    """Than the forces along the joints alone, on the same inertias."""
    robot = make()
    unreduced = replace(signature(robot, "inverse_dynamics", {}), body=lambda *x: newton_euler(robot, *x))
    alone, whole = count(unreduced.graph()).arithmetic, robot.count("joint_wrenches").arithmetic
    assert alone < whole <= 1.25 * alone, (robot.name, whole / alone)


def test_what_is_wrong_is_named() -> None:
    arm = revolute.robots.planar(2)
    with pytest.raises(InputError, match="joint_wrenches: reference must be 'body' or 'aligned'"):
        arm.joint_wrenches([0, 0], [0, 0], [0, 0], reference="world")
    with pytest.raises(UnknownNameError, match="no link 'hand'"):
        arm.base_wrench([0, 0], [0, 0], [0, 0], wrenches={"hand": np.zeros(6)})
