"""Predictive control: steps of a real loop, failures, a controller of simulate, sampling."""

from __future__ import annotations

import gc

import numpy as np
from comparing import assert_raises
from motions import peak_memory
from reaching import BENT, GOAL, UR5

import revolute
from revolute import InputError, ShapeError
from revolute.optimal import LimitCost, OptimalControl, PointCost, Predictive, Sampling, StateCost, TorqueCost


def reach(steps: int = 20, **options: object) -> OptimalControl:
    point, state = PointCost("tool0", 1e4), StateCost([1e-2] * 6 + [1.0] * 6)
    costs = [point, state, TorqueCost(1e-3)]
    return OptimalControl(UR5, costs, terminal=costs[:2], steps=steps, dt=0.01, **options)


def test_a_moving_goal_is_followed() -> None:
    """The robot itself moves by the same step: the tool comes within millimetres of a goal that circles."""
    loop, step = reach().stepper(), UR5.stepper(0.01)
    q, qd, tau, away = BENT.copy(), np.zeros(6), np.zeros(6), []
    for k in range(200):
        goal = GOAL + 0.05 * np.array([np.sin(0.02 * k), np.cos(0.02 * k), 0])
        assert loop.step(q, qd, goal, out=tau) is tau
        step.step(q, qd, tau)
        away.append(np.linalg.norm(UR5.forward_kinematics(q, "tool0")[:3, 3] - goal))
    assert max(away[-50:]) < 0.01 and loop.failures == 0 and not loop.failed
    assert loop.plan.q.shape == (21, 6) and "PlanStepper" in repr(loop)


def test_enough_iterations_give_the_plan_of_solve() -> None:
    problem, tau = reach(), np.zeros(6)
    loop = problem.stepper(iterations=100)
    loop.step(BENT, np.zeros(6), GOAL, out=tau)
    plan = problem.solve(BENT, goal=GOAL)
    np.testing.assert_allclose(tau, plan.tau[0], atol=1e-6)
    loop.step(plan.q[1], plan.qd[1], GOAL + 0.02, out=tau)
    np.testing.assert_allclose(tau, problem.solve(plan.q[1], plan.qd[1], goal=GOAL + 0.02).tau[0], atol=1e-4)


def test_time_that_is_shorter_than_a_step_moves_the_plan_when_it_has_passed() -> None:
    loop, tau = reach().stepper(), np.zeros(6)
    loop.step(BENT, np.zeros(6), GOAL, out=tau)
    before = loop.plan
    for _ in range(3):
        loop.step(BENT, np.zeros(6), GOAL, out=tau, elapsed=0.0025)
    np.testing.assert_allclose(loop.plan.q[5], before.q[5], atol=1e-3)
    loop.step(before.q[1], before.qd[1], GOAL, out=tau, elapsed=0.0025)
    np.testing.assert_allclose(loop.plan.q[4], before.q[5], atol=1e-3)


def test_a_tick_that_fails_keeps_the_plan() -> None:
    loop, tau = reach().stepper(), np.zeros(6)
    loop.step(BENT, np.zeros(6), GOAL, out=tau)
    plan = loop.plan
    loop.step(np.full(6, np.nan), np.zeros(6), GOAL, out=tau)
    assert loop.failed and "not finite" in loop.reason and loop.failures == 1
    np.testing.assert_array_equal(tau, plan.tau[1])
    np.testing.assert_array_equal(loop.plan.gains[:-1], plan.gains[1:])  # reading the plan does not change it
    loop.step(plan.q[2] + 1e-3, plan.qd[2], GOAL * np.nan, out=tau)
    dx = np.r_[np.full(6, 1e-3), np.zeros(6)]
    assert loop.failed and loop.failures == 2
    np.testing.assert_allclose(tau, plan.tau[2] + plan.gains[2] @ dx, atol=1e-9)
    loop.step(plan.q[3], plan.qd[3], GOAL, out=tau)
    assert not loop.failed
    np.testing.assert_allclose(tau, plan.tau[3], atol=1.0)


def test_ticks_make_no_arrays() -> None:
    """The most memory in use during many ticks is that of some objects of Python: an array of nodes has 4.8 kB."""
    loop, q, qd, tau = reach(100).stepper(), BENT.copy(), np.zeros(6), np.zeros(6)
    gc.disable()  # it would empty Python's caches of objects, of which tracemalloc counts those that fill them again
    try:
        for _ in range(2500):
            loop.step(q, qd, GOAL, out=tau)
        assert peak_memory(lambda: loop.step(q, qd, GOAL, out=tau), 100)[1] < 6000
    finally:
        gc.enable()


def test_forces_in_bounds_at_every_tick() -> None:
    bounds = np.array([8.0, 35.0, 18.0, 4.0, 2.0, 0.5])
    loop, step = reach(effort_limits=bounds).stepper(), UR5.stepper(0.01)
    q, qd, tau, held = BENT.copy(), np.zeros(6), np.zeros(6), 0
    for _ in range(60):
        loop.step(q, qd, GOAL, out=tau)
        assert (np.abs(tau) <= bounds).all()
        held += (np.abs(tau) == bounds).any()
        step.step(q, qd, tau)
    assert held > 5 and np.linalg.norm(UR5.forward_kinematics(q, "tool0")[:3, 3] - GOAL) < 0.02


def test_a_controller_of_simulate() -> None:
    """A robot with other payload than the plans': the loop corrects it."""
    heavy = UR5.with_payload("tool0", revolute.Inertia(m=0.5))
    controller, t = Predictive(reach(), GOAL), np.arange(100) * 0.01
    motion = heavy.simulate(BENT, np.zeros(6), controller, t, "semi_implicit_euler")
    tip = UR5.forward_kinematics(motion.q[-1], "tool0")[:3, 3]
    assert np.abs(tip - GOAL).max() < 0.05 and controller.stepper.failures == 0
    circling = Predictive(reach(), lambda time: GOAL + np.array([0.05 * np.sin(2 * time), 0, 0]))
    motion = UR5.simulate(BENT, np.zeros(6), circling, t, "semi_implicit_euler")
    assert np.abs(UR5.forward_kinematics(motion.q[-1], "tool0")[:3, 3] - circling.goal(t[-1])).max() < 0.01
    batch = np.array([BENT, BENT]), np.zeros((2, 6))
    assert_raises(ShapeError, "but one state is needed", controller.torque, 0.0, *batch)


def test_what_steppers_refuse() -> None:
    loop, tau = reach().stepper(), np.zeros(6)
    assert_raises(InputError, "goal of 'point of tool0' is missing", loop.step, BENT, np.zeros(6), out=tau)
    assert_raises(InputError, "first state must be finite", loop.step, BENT * np.nan, np.zeros(6), GOAL, out=tau)
    loop.step(BENT, np.zeros(6), GOAL, out=tau)
    assert_raises(ShapeError, "has shape", loop.step, BENT, np.zeros(6), [0.4, 0.3], out=tau)
    assert_raises(InputError, "iterations must be a whole number", reach().stepper, 0)
    hard = OptimalControl(UR5, [TorqueCost(), LimitCost(hard=True)], steps=3, dt=0.01)
    assert_raises(InputError, "without hard=True", hard.stepper)
    assert_raises(InputError, "use a large weight", Sampling, hard)


def test_sampling_finds_forces_without_derivatives() -> None:
    """Its cost falls towards the least one, which no sample beats; forces stay in bounds."""
    arm, goal = revolute.robots.planar(2), {"state": [0.4, -0.3, 0, 0]}
    problem = OptimalControl(
        arm, [StateCost([10, 10, 0.1, 0.1]), TorqueCost(1e-3)], steps=25, dt=0.02, effort_limits=[25.0, 12.0]
    )
    least = float(problem.solve([0.0, 0.0], goal=goal).cost)
    options = {"samples": 512, "noise": [2.0, 1.0], "temperature": 0.001, "rng": 0}
    sampler = Sampling(problem, **options)
    q, qd, tau, costs = np.zeros(2), np.zeros(2), np.zeros(2), []
    for _ in range(80):
        sampler.step(q, qd, goal, out=tau, elapsed=0.0)
        costs.append(sampler.cost)
    assert costs[-1] < costs[0] and least < costs[-1] < least * 1.05
    assert (np.abs(sampler.tau) <= [25.0, 12.0]).all() and not sampler.failed
    motion = arm.simulate(q, qd, np.vstack([sampler.tau, [0, 0]]), problem.t, "semi_implicit_euler")
    x = np.concatenate([motion.q - [0.4, -0.3], motion.qd], axis=-1)[:-1]
    cost = 0.02 * ((x**2 * [10, 10, 0.1, 0.1]).sum() + 1e-3 * (sampler.tau**2).sum()) / 2
    assert cost < costs[-1] * 1.05
    again = Sampling(problem, **options)
    again.step(q, qd, goal, out=tau, elapsed=0.0)
    assert again.cost == costs[0] and "512 samples" in repr(again)


def test_sampling_follows_in_a_loop() -> None:
    arm, goal = revolute.robots.planar(2), {"state": [0.4, -0.3, 0, 0]}
    state = [StateCost([50, 50, 1, 1])]
    problem = OptimalControl(arm, [*state, TorqueCost(1e-4)], terminal=[StateCost([5, 5, 0.5, 0.5])], steps=20, dt=0.02)
    sampler, step = Sampling(problem, samples=256, noise=3.0, temperature=0.05, rng=1), arm.stepper(0.02)
    q, qd, tau = np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(150):
        sampler.step(q, qd, goal, out=tau)
        step.step(q, qd, tau)
    assert np.abs(q - [0.4, -0.3]).max() < 0.15
    assert_raises(InputError, "noise must be positive", Sampling, problem, noise=-1.0)
    assert_raises(InputError, "temperature must be a positive number", Sampling, problem, temperature=0.0)
    assert_raises(ShapeError, "noise has shape", Sampling, problem, noise=[1.0, 2.0, 3.0])
