"""Inverse dynamics: physical identities on random trees, then all scalars against each other."""

from dataclasses import replace

import numpy as np
import physics
import pytest
import sympy
from comparing import EPS, assert_raises
from hypothesis import example, given, settings
from hypothesis import strategies as st
from physics import frame_jacobian
from robots import SEEDS, every, signature, state, trees, value

import revolute
from revolute import Inertia, Robot, ShapeError
from revolute.dynamics import coordinate_rates
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import verify
from revolute.model.parameters import from_vector, regrouped
from revolute.model.reduce import aligned, reduced
from revolute.targets.llvm import host
from revolute.targets.numpy import evaluate
from revolute.targets.sympy import expressions


def scale_of(tau: np.ndarray) -> float:
    return float(np.abs(tau).max()) + 1e-3


def test_ten_parameters_make_an_inertia() -> None:
    assert_raises(ShapeError, r"a body has 10 inertial parameters \(m, .*\), not 9", from_vector, [1.0] * 9)


@every(trees(most=6), st.integers(0, 5))
def test_a_wrench_on_a_link_takes_off_its_jacobian(robot: Robot, which: int) -> None:
    """tau = tau_0 - J^T wrench, for the wrench that the environment applies, in the link's frame."""
    name = robot.link_names[which % len(robot.link_names)]
    q, qd, qdd = state(robot)
    wrench = np.array([0.3, -2.0, 1.5, 7.0, -4.0, 2.5])
    J = frame_jacobian(robot, q, name)
    plain = value(robot, "inverse_dynamics", q, qd, qdd)
    loaded = value(robot, "inverse_dynamics", q, qd, qdd, wrench, wrenches=(name,))
    assert np.abs(loaded - (plain - J.T @ wrench)).max() <= 1e-11 * (scale_of(plain) + 100)


@every(st.integers(1, 6), SEEDS)
def test_a_moving_base_is_a_floating_robot_whose_base_is_driven(n: int, seed: int) -> None:
    fixed = revolute.robots.random_tree(n, rng=seed)
    free = revolute.robots.random_tree(n, rng=seed, base="free")
    q, qd, qdd = state(fixed)
    twist, acceleration = np.random.default_rng(seed).standard_normal((2, 6))
    whole = ([*free.neutral()[:7], *q], [*twist, *qd], [*acceleration, *qdd])
    floating = value(free, "inverse_dynamics", *map(np.array, whole))
    moved = value(fixed, "inverse_dynamics", q, qd, qdd, twist, acceleration, base_motion=True)
    assert np.abs(moved - floating[6:]).max() <= 1e-12 * scale_of(floating)


def test_wrenches_and_motions_of_the_base_arrive_where_they_belong() -> None:
    robot = revolute.robots.ur5()
    (q, qd, qdd), (wrench, twist, acceleration) = state(robot), np.random.default_rng(4).standard_normal((3, 6))
    tau = robot.inverse_dynamics(
        q, qd, qdd, wrenches={"tool0": wrench}, base_twist=twist, base_acceleration=acceleration
    )
    arrays = (q, qd, qdd, wrench, twist, acceleration)
    expected = value(robot, "inverse_dynamics", *arrays, wrenches=("tool0",), base_motion=True)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-13 * scale_of(expected))
    steady = robot.inverse_dynamics(q, qd, qdd, base_twist=twist)
    same = robot.inverse_dynamics(q, qd, qdd, base_twist=twist, base_acceleration=np.zeros(6))
    assert np.array_equal(steady, same)


def test_a_free_body_needs_its_weight_and_euler_s_equations() -> None:
    box = Inertia.from_com(2.0, (0, 0, 0), np.diag([0.2, 0.3, 0.4]))
    robot = Robot.from_links("box", [revolute.Link("box", box)], [], base="free")
    w, wd = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.7])
    q = robot.neutral()
    tau = robot.inverse_dynamics(q, [*w, 0, 0, 0], [*wd, 0, 0, 0])
    I = np.diag([0.2, 0.3, 0.4])
    np.testing.assert_allclose(tau[:3], I @ wd + np.cross(w, I @ w), atol=1e-14)
    np.testing.assert_allclose(tau[3:], [0, 0, 2.0 * 9.81], atol=1e-14)
    twice = robot.inverse_dynamics(2 * q, [*w, 0, 0, 0], [*wd, 0, 0, 0])
    np.testing.assert_allclose(twice, tau, atol=1e-14)  # the quaternion's length is divided out


@every(trees(most=7), SEEDS)
def test_locked_joints_are_joints_at_rest(robot: Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, qd, qdd = state(robot, seed)
    movable = [k for k in range(1, len(robot.bodies)) if robot.bodies[k].joint.nv == 1]
    held = [k for k in movable if rng.random() < 0.4]
    keep = np.ones(robot.nv, bool)
    keep_q = np.ones(robot.nq, bool)
    for k in held:
        keep[robot.v_index[k]] = False
        keep_q[robot.q_index[k]] = False
    locked = robot.lock({robot.bodies[k].joint_name: float(q[robot.q_index[k]][0]) for k in held})
    full = value(robot, "inverse_dynamics", q, qd * keep, qdd * keep)
    part = value(locked, "inverse_dynamics", q[keep_q], qd[keep], qdd[keep])
    assert locked.link_names == robot.link_names
    assert part.shape == (keep.sum(),)
    assert np.abs(part - full[keep]).max(initial=0) <= 1e-12 * scale_of(full)
    for name in robot.link_names:
        poses = [value(r, "forward_kinematics", x, frame=name) for r, x in ((locked, q[keep_q]), (robot, q))]
        np.testing.assert_allclose(*poses, atol=1e-13)


@every(trees(most=6), SEEDS)
def test_a_payload_is_a_body_held_fast(robot: Robot, seed: int) -> None:
    link = robot.link_names[seed % len(robot.link_names)]
    load = Inertia.from_com(1.7, (0.1, -0.2, 0.3), np.diag([0.02, 0.03, 0.04]))
    q, qd, qdd = state(robot, seed)
    found = value(robot.with_payload(link, load), "inverse_dynamics", q, qd, qdd)
    alone = replace(robot, bodies=tuple(replace(b, inertia=Inertia()) for b in robot.bodies))
    both = sum(value(each, "inverse_dynamics", q, qd, qdd) for each in (robot, alone.with_payload(link, load)))
    assert np.abs(found - both).max() <= 1e-12 * scale_of(found)


@every(st.integers(2, 7), SEEDS)
def test_a_subtree_at_rest_feels_what_it_felt_in_the_tree(n: int, seed: int) -> None:
    robot = revolute.robots.random_tree(n, rng=seed)
    i = 1 + seed % n
    part = robot.subtree(robot.bodies[i].name)
    q = robot.random_configuration(rng=seed)
    inside = [robot.joint_index(name) for name in part.joint_names]
    at = [robot.q_index[k].start for k in inside]
    R = value(robot, "forward_kinematics", q, frame=robot.bodies[i].name)[:3, :3]
    turned = part.with_gravity(tuple(R.T @ np.array(robot.gravity)))
    tau = value(robot, "gravity_forces", q)
    assert np.abs(value(turned, "gravity_forces", q[at]) - tau[at]).max(initial=0) <= 1e-12 * scale_of(tau)


@every(trees())
def test_reduced_robots_have_the_same_joint_forces_and_frames(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    tau = np.array(newton_euler(robot, list(q), list(qd), list(qdd)), dtype=float)
    for other in (aligned(robot), replace(robot, bodies=regrouped(robot.bodies)), reduced(robot)):
        same = np.array(newton_euler(other, list(q), list(qd), list(qdd)), dtype=float)
        assert np.abs(tau - same).max() <= 100 * len(robot.bodies) * EPS * scale_of(tau)
        for name in robot.link_names:
            np.testing.assert_allclose(
                np.array(frame_pose(other, list(q), name).matrix(), dtype=float),
                np.array(frame_pose(robot, list(q), name).matrix(), dtype=float),
                atol=1e-13,
            )


@given(st.integers(1, 12), st.integers(0, 10_000), st.sampled_from(["fixed", "free"]))
@example(40, 0, "free")
@settings(max_examples=4, deadline=None)
def test_floats_arrays_graphs_and_machine_code_agree(n: int, seed: int, base: str) -> None:
    robot = revolute.robots.random_tree(n, rng=seed, base=base)
    rng = np.random.default_rng(seed)
    rows = host().lanes().width + 2  # a block in vector lanes, and two rows of scalar code
    q = robot.random_configuration(rows, rng=rng)
    qd, qdd = rng.standard_normal((2, rows, robot.nv))
    machine = robot.inverse_dynamics(q, qd, qdd)
    for k in range(rows):  # the same bits alone, at another place, and on two threads
        assert np.array_equal(robot.inverse_dynamics(q[k], qd[k], qdd[k]), machine[k])
    assert np.array_equal(robot.inverse_dynamics(q[::-1], qd[::-1], qdd[::-1], threads=2), machine[::-1])
    graph = verify(signature(robot, "inverse_dynamics", {}).graph())
    reference = evaluate(graph, {"q": q, "qd": qd, "qdd": qdd})["tau"]
    floats = np.array([newton_euler(robot, *(list(x[k]) for x in (q, qd, qdd))) for k in range(rows)], dtype=float)
    arrays = np.stack(np.broadcast_arrays(*newton_euler(robot, *(list(x.T) for x in (q, qd, qdd)))), axis=-1)
    tolerance = 100 * (n + 1) * EPS * np.abs(floats).max(axis=1, keepdims=True)
    for other in (machine, reference, arrays):
        assert np.all(np.abs(other - floats) <= tolerance)


@pytest.mark.parametrize("seed", range(2))
def test_symbols_agree(seed: int) -> None:
    robot = revolute.robots.random_tree(2, rng=seed)
    names = [sympy.symbols(f"{x}0:{robot.nv}") for x in ("q", "v", "a")]
    symbolic = newton_euler(robot, *names)
    through_graph = expressions(
        signature(robot, "inverse_dynamics", {}).graph(), dict(zip(("q", "qd", "qdd"), names, strict=True))
    )["tau"]
    values = state(robot, seed)
    numbers = {s: float(v) for group, x in zip(names, values, strict=True) for s, v in zip(group, x, strict=True)}
    expected = robot.inverse_dynamics(*values)
    for tau in (symbolic, through_graph):
        found = [float(sympy.sympify(expression).subs(numbers)) for expression in tau]
        assert np.abs(np.array(found) - expected).max() <= 1e-12 * scale_of(expected)


def test_rates_of_coordinates_agree_with_the_oracle() -> None:
    robot = revolute.robots.random_tree(2, rng=1, base="free")
    q, qd, _ = state(robot)
    found = coordinate_rates.coordinate_rates(robot, list(q), list(qd))
    np.testing.assert_allclose(found, physics.coordinate_rates(robot, q, qd), atol=1e-15)
