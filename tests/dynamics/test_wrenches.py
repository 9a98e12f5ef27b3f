"""Wrenches: what joints transmit; on links in task space and in sensitivities; of other frames and points."""

from dataclasses import replace

import numpy as np
import pytest
from comparing import assert_close, assert_raises
from peers import of_each_kind, peers
from physics import frame_jacobian, poses
from robots import every, pin, random_states, signature, state, trees, value

import revolute
from revolute import InputError, Robot, UnknownNameError
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import count
from revolute.spatial import Vector, Wrench


@of_each_kind
def test_pinocchio_has_the_same(name: str, base: str) -> None:
    """`data.f` after its own recursion with wrenches on all links, body by body, also along the axes of the base.

    Angles that are exact here are 5e-12 off there.
    """
    robot, model, data, q, qd, qdd, positions, order = peers(name, base, seed=5)
    joints = [model.getJointId(joint) for joint in robot.joint_names]
    loads = 10 * np.random.default_rng(6).standard_normal((len(joints), 6))
    on_links = dict(zip((body.name for body in robot.bodies[1:]), loads, strict=True))
    external = [pin.Force.Zero() for _ in range(model.njoints)]
    for joint, load in zip(joints, loads, strict=True):
        external[joint] = pin.Force(load[3:], load[:3])
    for k, position in enumerate(positions):
        along = {"wrenches": on_links, "reference": "aligned"}
        found, turned = (robot.joint_wrenches(q[k], qd[k], qdd[k], **x) for x in ({"wrenches": on_links}, along))
        pin.forwardKinematics(model, data, position)
        pin.rnea(model, data, position, qd[k, order], qdd[k, order], external)
        for ours, aligned, joint in zip(found, turned, joints, strict=True):
            moment, force = data.f[joint].angular, data.f[joint].linear
            assert_close(ours, [*moment, *force], 1e-10, 1 + np.abs(found).max())
            R = data.oMi[joint].rotation
            assert_close(aligned, [*R @ moment, *R @ force], 1e-10, 1 + np.abs(found).max())


@every(trees())
def test_the_part_along_the_joint_is_its_force(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    F, tau = (value(robot, name, q, qd, qdd) for name in ("joint_wrenches", "inverse_dynamics"))
    for body, at, wrench in zip(robot.bodies[1:], robot.v_index[1:], F, strict=True):
        along = body.joint.force(Wrench(Vector(wrench[:3]), Vector(wrench[3:])))
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
    F, turned = (value(robot, "joint_wrenches", q, qd, qdd, reference=axes) for axes in ("body", "aligned"))
    for body, wrench, expected in zip(robot.bodies[1:], F, turned, strict=True):
        R = value(robot, "forward_kinematics", q, frame=body.name)[:3, :3]
        assert_close(np.array([*R @ wrench[:3], *R @ wrench[3:]]), expected, 1e-11, 1 + np.abs(turned).max())


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


def case(seed: int, base: str = "fixed") -> tuple[Robot, str, tuple[np.ndarray, ...], dict[str, np.ndarray]]:
    """A robot, its last link, states, and wrenches on two links."""
    robot = revolute.robots.random_tree(5 if base == "fixed" else 2, rng=seed, base=base)
    links = robot.link_names[-1], robot.link_names[len(robot.link_names) // 2]
    loads = np.random.default_rng([seed, 1]).standard_normal((2, 3, 6)) * 20
    return robot, links[0], random_states(robot, 3, seed), dict(zip(links, loads, strict=True))


def forces_of(robot: Robot, q: np.ndarray, wrenches: dict[str, np.ndarray]) -> np.ndarray:
    """sum_i J_i^T wrench_i, with Jacobians from poses alone."""
    return np.array([
        sum(frame_jacobian(robot, x, link).T @ w[k] for link, w in wrenches.items()) for k, x in enumerate(q)
    ])


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_wrenches_in_task_space_are_their_joint_forces(base: str) -> None:
    """F of a motion, less what the wrenches do at the frame: e = -Jbar^T sum_i J_i^T wrench_i."""
    robot, frame, (q, qd, _), wrenches = case(0, base)
    task = {"reference": "aligned", "rows": (3, 4, 5), "singularity_damping": 0.05}
    plain = robot.task_space_dynamics(q, qd, frame, **task)
    loaded = robot.task_space_dynamics(q, qd, frame, wrenches=wrenches, **task)
    inverse = robot.dynamically_consistent_inverse(q, frame, **task)
    e = -np.einsum("kij,ki->kj", inverse, forces_of(robot, q, wrenches))
    assert_close(loaded.external, e, 1e-9)
    assert_close(loaded.bias, plain.bias + e, 1e-9)
    assert not plain.external.any()
    for part in ("inertia", "coriolis", "gravity"):
        assert_close(getattr(loaded, part), getattr(plain, part), 1e-11)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_forces_under_wrenches_give_the_acceleration(base: str) -> None:
    robot, frame, (q, qd, _), wrenches = case(0, base)
    task = {"reference": "aligned", "rows": (3, 4)}
    wanted = np.array([[1.0, -2.0]] * 3)
    found = robot.task_space_forces(q, qd, wanted, frame, wrenches=wrenches, **task)
    keep = ~found.singular
    assert keep.any()
    qdd = robot.forward_dynamics(q[keep], qd[keep], found.tau[keep], wrenches={k: w[keep] for k, w in wrenches.items()})
    reached = robot.acceleration(q[keep], qd[keep], qdd, frame, "aligned")[:, 3:5]
    assert_close(reached, wanted[keep], 1e-8, scale=np.abs(qdd).max())


def test_linear_models_in_task_space_have_the_wrenches_partials() -> None:
    """P J + V Jd + D Jdd = P_q: only P_q depends on wrenches that turn with their links."""
    robot = revolute.robots.ur5()
    q, qd, qdd = random_states(robot, 3, 4)
    wrenches = {"tool0": np.array([1.0, -2, 3, 20, 30, -40])}
    plain, loaded = (robot.linearize_task(q, qd, qdd, "tool0", wrenches=w) for w in (None, wrenches))
    P, loaded_P = (robot.inverse_dynamics_partials(q, qd, qdd, wrenches=w)[0] for w in (None, wrenches))
    assert_close((loaded.P - plain.P) @ robot.jacobian(q, "tool0"), loaded_P - P, 1e-9)
    for name in ("D", "V"):
        assert_close(getattr(loaded, name), getattr(plain, name), 1e-11)


@pytest.mark.parametrize("reference", ("body", "aligned", "world"))
@pytest.mark.parametrize("point", [None, [0.1, -0.2, 0.3], "com"])
def test_a_wrench_of_another_frame_has_the_same_power(point: object, reference: str) -> None:
    """By poses: moments about the point or the base's origin, turned into the link's axes."""
    robot, frame, (q, _, _), _ = case(0)
    given = np.random.default_rng(2).standard_normal((3, 6))
    found = robot.link_wrench(q, given, frame, reference, point=point)
    for x, (m, f), y in zip(q, given.reshape(3, 2, 3), found, strict=True):
        T = poses(robot, x)[robot.link_names.index(frame)].real
        R, p = T[:3, :3], T[:3, 3]
        body = robot.bodies[robot.frame(frame).body]
        offset = np.zeros(3)
        if point == "com":
            at_body = poses(robot, x)[robot.link_names.index(body.name)].real
            center = at_body[:3, :3] @ (np.array(body.inertia.h) / body.inertia.m) + at_body[:3, 3]
            offset = center - p
        elif point is not None:
            offset = R @ point
        if reference == "body":
            m, f = R @ m, R @ f
        about = -p if reference == "world" else offset
        expected = R.T @ (m + np.cross(about, f)), R.T @ f
        assert_close(y, np.concatenate(expected), 1e-12)


def test_a_weight_along_the_base_is_a_change_of_gravity() -> None:
    """A force m g at each body's centre of mass, along the base's axes, does what gravity does."""
    robot = revolute.robots.random_tree(6, rng=2)
    q, qd, qdd = random_states(robot, 4, 2)
    weights = {
        body.name: robot.link_wrench(
            q, np.array([0, 0, 0, *(body.inertia.m * np.array(robot.gravity))]), body.name, "aligned", point="com"
        )
        for body in robot.bodies[1:]
        if body.inertia.m
    }
    weightless = robot.with_gravity((0, 0, 0))
    assert_close(weightless.inverse_dynamics(q, qd, qdd, wrenches=weights), robot.inverse_dynamics(q, qd, qdd), 1e-11)


def test_wrenches_that_do_not_fit_are_named() -> None:
    arm = revolute.robots.planar(2)
    q, load = np.zeros(2), np.zeros(6)
    for call in (
        lambda w: arm.task_space_dynamics(q, q, "tip", rows=(4,), wrenches=w),
        lambda w: arm.task_space_forces(q, q, [0.0], "tip", rows=(4,), wrenches=w),
        lambda w: arm.linearize_task(q, q, q, "tip", rows=(3, 4), wrenches=w),
        lambda w: arm.inverse_dynamics_partials(q, q, q, wrenches=w),
    ):
        with pytest.raises(UnknownNameError, match="wrenches: robot 'planar2' has no link 'hand'; available: "):
            call({"hand": load})
        assert_raises(revolute.ShapeError, "wrench on 'tip'", call, {"tip": load[:3]})
        assert_raises(InputError, r"wrenches must be \{link name", call, [load])
    assert_raises(UnknownNameError, "has no link 'hand'", arm.link_wrench, q, load, "hand")
    assert_raises(InputError, "there is no reference 'base'", arm.link_wrench, q, load, "tip", "base")
    with pytest.raises(InputError, match=r"point must be \(\.\.\., 3\) coordinates"):
        arm.link_wrench(q, load, "tip", point="middle")


def test_a_force_that_keeps_its_direction_acts_in_simulations() -> None:
    """A pendulum of 1 kg without gravity under its weight, by `link_wrench` at every instant, is the pendulum."""
    pendulum = revolute.robots.planar(1)
    weightless, t = pendulum.with_gravity((0, 0, 0)), np.linspace(0, 0.5, 51)
    weight = np.array([0, 0, 0, 0, -9.81, 0])

    def pull(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return weightless.link_wrench(q, weight, "link1", "aligned", point="com")

    found = weightless.simulate([0.3], [0.0], None, t, "DOP853", wrenches={"link1": pull})
    assert_close(found.q, pendulum.simulate([0.3], [0.0], None, t, "DOP853").q, 1e-7)
