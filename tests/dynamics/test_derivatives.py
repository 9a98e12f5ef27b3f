"""Derivatives by the state: complex steps, identities of mechanics, and Pinocchio."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_close, assert_each
from hypothesis import strategies as st
from peers import of_each_kind, peers, symmetric
from physics import STEP, by_positions, by_state
from robots import SEEDS, every, mass_matrix, pin, signature, state, traced, trees, trees_and_tools, value

import revolute
from revolute import Robot
from revolute.dynamics.inverse_dynamics_partials import (
    gravity_forces_partials,
    inverse_dynamics_partials,
    mass_matrix_partials,
)
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.reduce import reduced
from revolute.targets.numpy import evaluate


def recursion(robot: Robot, *state: np.ndarray) -> list[np.ndarray]:
    """dtau/dq, dtau/dqd and M by the recursion, over numbers."""
    return [np.array(x).reshape(robot.nv, robot.nv) for x in inverse_dynamics_partials(robot, *map(list, state))]


@every(trees_and_tools(9), SEEDS, examples=24)
def test_partials_are_the_complex_step_derivatives_of_newton_euler(robot: Robot, seed: int) -> None:
    x = state(robot, seed)
    expected = by_state(lambda *x: newton_euler(robot, *map(list, x)), robot, *x)
    for same in (robot, reduced(robot)):
        # both are exact but for rounding: some hundred operations along a chain, a part of which cancels
        assert_each(assert_close, recursion(same, *x), expected, 1e-11)


@every(st.integers(1, 8), SEEDS)
def test_helmholtz_conditions(n: int, seed: int) -> None:
    """What makes joint forces those of a Lagrangian, for joints whose velocities are rates of positions.

        dtau_i/dqd_j + dtau_j/dqd_i = 2 d/dt M_ij
        dtau_i/dq_j - dtau_j/dq_i = d/dt (dtau_i/dqd_j - dtau_j/dqd_i) / 2

    The rate of dtau/dqd follows qd and qdd only, since it has no part that depends on qdd.
    """
    robot = revolute.robots.random_tree(n, rng=seed)
    q, qd, qdd = state(robot, seed)
    by_q, by_qd, _ = recursion(robot, q, qd, qdd)
    t = 1j * STEP
    _, by_qd_rate, M_rate = (np.imag(x) / STEP for x in recursion(robot, q + t * qd, qd + t * qdd, qdd))
    size = 1 + max(np.abs(x).max() for x in (by_q, by_qd, by_qd_rate))
    assert np.abs(by_qd + by_qd.T - 2 * M_rate).max() <= 1e-12 * size
    assert np.abs(by_q - by_q.T - (by_qd_rate - by_qd_rate.T) / 2).max() <= 1e-12 * size


@of_each_kind
def test_inverse_dynamics_partials_agree_with_pinocchio(name: str, base: str) -> None:
    robot, model, data, q, qd, qdd, positions, order = peers(name, base)
    for k, position in enumerate(positions):
        pin.computeRNEADerivatives(model, data, position, qd[k, order], qdd[k, order])
        found = recursion(robot, q[k], qd[k], qdd[k])
        for ours, theirs in zip(found, (data.dtau_dq, data.dtau_dv, symmetric(data.M)), strict=True):
            assert_close(ours[np.ix_(order, order)], np.array(theirs), 1e-9)


@every(trees_and_tools(9), SEEDS)
def test_gravity_partials_are_those_of_inverse_dynamics_at_rest(robot: Robot, seed: int) -> None:
    q, still = state(robot, seed)[0], np.zeros(robot.nv)
    expected = by_positions(lambda x: newton_euler(robot, list(x), still, still), robot, q)
    weight = 9.81 * sum(body.inertia.m for body in robot.bodies)  # the terms, all of which may cancel
    for same in (robot, reduced(robot)):
        found = np.array(gravity_forces_partials(same, list(q)), dtype=float)
        assert np.abs(found - expected).max() <= 1e-13 * weight


@every(trees_and_tools(most=7), SEEDS)
def test_mass_matrix_partials_are_complex_step_derivatives(robot: Robot, seed: int) -> None:
    q = state(robot, seed)[0]
    expected = by_positions(lambda x: mass_matrix(robot, x), robot, q)
    for same in (robot, reduced(robot)):
        found = np.array(mass_matrix_partials(same, list(q)), dtype=float)
        assert np.abs(found - expected).max() <= 1e-11 * (np.abs(expected).max() + 1e-3)


@every(trees())
def test_the_differential_is_what_the_partials_make_of_a_direction(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    dq, dqd, dqdd = np.random.default_rng(9).standard_normal((3, robot.nv))
    by_q, by_qd, M = recursion(robot, q, qd, qdd)
    parts = by_q @ dq, by_qd @ dqd, M @ dqdd
    size = 1 + sum(np.abs(part).max() for part in parts)
    graph = signature(robot, "inverse_dynamics_differential", {}).graph()
    given = zip((x.name for x in graph.inputs), (q, qd, qdd, dq, dqd, dqdd), strict=True)
    (found,) = evaluate(graph, dict(given)).values()
    assert np.abs(found - sum(parts)).max() < 1e-11 * size


@pytest.mark.parametrize("n", [2, 6, 12, 30])
def test_the_differential_costs_in_proportion_to_the_joints(n: int) -> None:
    arm = revolute.robots.dh_arm(n)
    ratio = arm.count("inverse_dynamics_differential").arithmetic / arm.count("inverse_dynamics").arithmetic
    assert 1 < ratio <= 3.2, ratio


@pytest.mark.parametrize("drives", [False, True])
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_wrenches_turn_with_their_links(base: str, drives: bool) -> None:
    """Complex steps of forces and accelerations under the same numbers of wrenches."""
    robot = revolute.robots.random_tree(4 if base == "fixed" else 2, rng=6, base=base)
    machine: Any = robot
    if drives:  # of smoothed friction, which has derivatives
        drive = revolute.Drive(friction=(0.4,), damping=(0.2,), armature=(0.1,), stiffness=(3.0,))
        machine = robot.with_drives({robot.joint_names[-1]: drive}, smoothing=0.5)
    (q, qd, qdd), links = state(robot, 3), (robot.link_names[-1], robot.link_names[1])
    loads = 10 * np.random.default_rng(3).standard_normal((2, 6))
    tau = value(machine, "inverse_dynamics", q, qd, qdd, *loads, wrenches=links)
    for name, last in (("inverse_dynamics", qdd), ("forward_dynamics", tau)):
        found = traced(machine, f"{name}_partials", q, qd, last, *loads, wrenches=links)
        expected = by_state(lambda *x, name=name: value(machine, name, *x, *loads, wrenches=links), robot, q, qd, last)
        assert_each(assert_close, found, expected, 1e-10)
    n, wrenches = robot.nv, dict(zip(links, loads, strict=True))
    A, B = machine.linearize(q, qd, tau, wrenches=wrenches)
    assert_each(assert_close, (A[n:, :n], A[n:, n:], B[n:]), found, 1e-10)
    assert np.abs(machine.linearize(q, qd, tau)[0] - A).max() > 1e-3
    assert np.isfinite(machine.linearize(q, qd, tau, wrenches=wrenches, step=0.01)[0]).all()
