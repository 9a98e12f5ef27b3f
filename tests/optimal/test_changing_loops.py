"""Loops of predictive control whose weights and bounds change while they run, and whose actuators are late."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import peak_memory

import revolute
from revolute import InputError, ShapeError, UnknownNameError
from revolute.optimal import OptimalControl, OptimalPlan, Predictive, Sampling, StateCost, TorqueCost

ARM, STILL, DT = revolute.robots.planar(2), np.zeros(2), 0.02
COSTS, GOAL = [StateCost([50, 50, 1, 1]), TorqueCost(1e-3)], {"state": [0.5, -0.3, 0, 0]}
FREE = OptimalControl(ARM, COSTS, steps=20, dt=DT)
BOUNDED = OptimalControl(ARM, COSTS, steps=20, dt=DT, effort_limits=50.0)


@pytest.mark.parametrize("factor", [0.2, np.linspace(0.0, 3.0, 21)])
def test_weights_of_a_running_loop_are_those_of_a_new_plan(factor: Any) -> None:
    """Factors replace those before, and omitted ones stay."""
    loop, tau, expected = FREE.stepper(iterations=200), np.zeros(2), {"torque": factor}
    loop.step(STILL, STILL, GOAL, out=tau, weights={"torque": 7.0, "state": 1.0})
    for weights in (expected, None, {"state": 0.3}):
        loop.step(STILL, STILL, out=tau, elapsed=0.0, weights=weights)
        expected |= weights or {}
        plan = FREE.solve(STILL, goal=GOAL, weights=expected)
        np.testing.assert_allclose(loop.plan.cost, plan.cost, rtol=1e-9)  # the tolerance of both
        np.testing.assert_allclose(tau, plan.tau[0], atol=1e-4)


@pytest.mark.parametrize("bounds", [30.0, (np.array([-5.0, -9.0]), np.array([28.0, 9.0])), [60.0, np.inf]])
def test_bounds_of_a_running_loop_are_those_of_a_new_plan(bounds: Any) -> None:
    loop, tau = BOUNDED.stepper(iterations=200), np.zeros(2)
    loop.step(STILL, STILL, GOAL, out=tau)
    loop.step(STILL, STILL, out=tau, elapsed=0.0, effort_limits=bounds)
    plan = OptimalControl(ARM, COSTS, steps=20, dt=DT, effort_limits=bounds).solve(STILL, goal=GOAL)
    np.testing.assert_allclose(loop.plan.cost, plan.cost, rtol=1e-9)
    np.testing.assert_allclose(tau, plan.tau[0], atol=1e-4)
    assert not loop.failed


def test_the_plan_of_a_loop_has_its_bounds(tmp_path: Path) -> None:
    """As a controller, in a file, and in a new problem; the problem of the loop keeps its own."""
    loop, tau = BOUNDED.stepper(), np.zeros(2)
    loop.step(STILL, STILL, GOAL, out=tau, effort_limits=500.0)
    assert tau[0] > 51
    plan = loop.plan
    plan.save(tmp_path / "plan.npz")
    for x in (plan, OptimalPlan.load(tmp_path / "plan.npz", ARM)):
        np.testing.assert_allclose(x.torque(0.0, STILL, STILL), tau, rtol=1e-12)
    assert np.abs(BOUNDED.solve(STILL, goal=GOAL).tau).max() <= 50
    assert plan.problem.solve(STILL, goal=GOAL).tau.max() > 51


def test_calls_that_fail_keep_new_bounds() -> None:
    """So do the call after them, and one after `reset`."""
    loop, tau = BOUNDED.stepper(), np.zeros(2)
    loop.step(STILL, STILL, GOAL, out=tau)
    assert tau[0] > 30
    for q in (STILL * np.nan, STILL, STILL, STILL - 1e100, STILL):
        loop.step(q, STILL, out=tau, effort_limits=30.0 if np.isnan(q).any() else None)
        assert loop.failed == (q is not STILL)
        assert np.abs(loop.plan.tau).max() <= 30 and np.abs(tau).max() <= 30
    loop.reset()
    loop.step(STILL, STILL, out=tau)
    assert np.abs(loop.plan.tau).max() <= 30 and not loop.failed


def test_sampling_changes_too() -> None:
    sampler = Sampling(BOUNDED, samples=64, noise=3.0, temperature=1e-3, rng=0)
    other = Sampling(FREE, samples=64, noise=3.0, temperature=1e-3, rng=0)
    tau, forces = np.zeros(2), np.zeros(2)
    for k in range(4):
        sampler.step(STILL, STILL, GOAL, out=tau, weights={"torque": 2.0}, effort_limits=np.inf)
        other.step(STILL, STILL, GOAL, out=forces, weights={"torque": 2.0} if not k else None)
        np.testing.assert_array_equal(tau, forces)
        assert sampler.cost == other.cost
    sampler.step(STILL, STILL, out=tau, effort_limits=(np.array([-1.0, 2.0]), np.array([1.0, 3.0])))
    assert abs(tau[0]) <= 1 and 2 <= tau[1] <= 3


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"weights": {"torque": -1.0}}, InputError, "factor of the weight of 'torque' must be finite"),
        ({"weights": {"torque": np.nan}}, InputError, "factor of the weight of 'torque' must be finite"),
        ({"weights": {"torque": [1.0, 2.0]}}, ShapeError, r"factor of the weight of 'torque' has shape \(2,\)"),
        ({"weights": {"pose": 1.0}}, UnknownNameError, "no cost 'pose'"),
        ({"weights": 2.0}, InputError, "weights must be a dict"),
        ({"effort_limits": -1.0}, InputError, "bounds of 'joint1' cross"),
        ({"effort_limits": [1.0, np.nan]}, InputError, "bounds of 'joint2' cross"),
        ({"effort_limits": [1.0, 2.0, 3.0]}, ShapeError, r"effort_limits has shape \(3,\)"),
    ],
)
def test_changes_that_are_none(changes: dict[str, Any], error: type[Exception], text: str) -> None:
    """They change nothing."""
    for maker in (OptimalControl.stepper, lambda problem: Sampling(problem, samples=8, rng=0)):
        loop, other = (maker(BOUNDED) for _ in range(2))
        tau, forces = np.zeros(2), np.zeros(2)
        loop.step(STILL, STILL, GOAL, out=tau)
        assert_raises(error, text, loop.step, STILL, STILL, {"state": [9.0] * 4}, out=tau, **changes)
        other.step(STILL, STILL, GOAL, out=forces)
        np.testing.assert_array_equal(loop.step(STILL, STILL, out=tau), other.step(STILL, STILL, out=forces))


def test_bounds_need_a_problem_with_bounds() -> None:
    assert_raises(InputError, "need a problem with bounds", FREE.stepper().step, STILL, STILL, GOAL, out=np.zeros(2),
                  effort_limits=1.0)  # fmt: skip


def test_changes_make_no_arrays() -> None:
    """Only some of a few numbers: an array of nodes has 6.4 kB."""
    problem = OptimalControl(ARM, COSTS, steps=200, dt=DT, effort_limits=50.0)
    loop, tau = problem.stepper(delay=2 * DT), np.zeros(2)

    def step() -> None:
        loop.step(STILL, STILL, GOAL, out=tau, weights={"torque": 2.0}, effort_limits=40.0)

    gc.disable()
    try:
        for _ in range(200):
            step()
        assert peak_memory(step, 100)[1] < 6000
    finally:
        gc.enable()


def late_motion(loop: Any, calls: int, late: int, each: int = 1, robot: Any = ARM) -> np.ndarray:
    """(calls, 4) states of an arm whose forces act `late` calls after they were computed, `each` of them a step."""
    plant, q, qd = robot.stepper(DT / each), np.zeros(2), np.zeros(2)
    waiting, states = [ARM.gravity_forces(q)] * late, []
    for _ in range(calls):
        states.append(np.concatenate([q, qd]))
        waiting.append(loop.step(q, qd, GOAL, out=np.zeros(2), elapsed=DT / each))
        plant.step(q, qd, waiting.pop(0))
    return np.array(states)


@pytest.mark.parametrize(("late", "each"), [(1, 1), (2, 1), (3, 2), (1, 3)])
def test_a_loop_with_a_delay_is_one_without_that_starts_later(late: int, each: int) -> None:
    """With the exact model its states are those of a loop at the predicted states, until times are rounded."""
    late_one = late_motion(FREE.stepper(delay=late * DT / each), 40, late, each)
    waited = late_motion(FREE.stepper(), 40 - late, 0, each)
    np.testing.assert_allclose(late_one[:late], 0.0, atol=1e-12)  # forces before hold it at rest
    np.testing.assert_allclose(late_one[late:], waited, atol=1e-6)


def test_a_late_actuator_needs_the_delay() -> None:
    """Two steps late: the loop diverges unless it knows; also under a model that is not exact. Torques have a cost, so
    that it rests at 0.0092 rad from its goal."""
    heavy = ARM.with_payload("tip", revolute.Inertia(m=0.1))
    for robot, near in ((ARM, 0.01), (heavy, 0.1)):
        loop = FREE.stepper(delay=2 * DT)
        error = np.abs(late_motion(loop, 200, 2, robot=robot)[-20:, :2] - GOAL["state"][:2]).max()
        assert error < near and loop.failures == 0
    blind = FREE.stepper()
    states = late_motion(blind, 200, 2)
    assert not np.abs(states[-20:, :2] - GOAL["state"][:2]).max() < 1.0


def test_delays_of_half_a_step() -> None:
    """Half a step late: each step of the robot has the forces before in its first half."""
    loop, plant = FREE.stepper(delay=0.5 * DT), ARM.stepper(DT / 2)
    q, qd, before = np.zeros(2), np.zeros(2), ARM.gravity_forces(STILL)
    for _ in range(100):
        tau = loop.step(q, qd, GOAL, out=np.zeros(2))
        predicted = loop.plan.q[0]
        plant.step(q, qd, before)
        np.testing.assert_allclose(predicted, q, atol=1e-12)
        plant.step(q, qd, tau)
        before = tau
    assert np.abs(q - GOAL["state"][:2]).max() < 1e-2


def test_the_start_of_a_loop_with_a_delay() -> None:
    """Before the first call, forces hold the robot at rest within bounds; a stepper that is reset starts anew."""
    bounds = np.array([9.0, 3.0])
    loop = OptimalControl(ARM, COSTS, steps=20, dt=DT, effort_limits=bounds).stepper(delay=DT)
    for _ in range(2):
        tau = loop.step(STILL, STILL, GOAL, out=np.zeros(2)).copy()
        expected = ARM.stepper(DT).step(np.zeros(2), np.zeros(2), np.clip(ARM.gravity_forces(STILL), -bounds, bounds))
        np.testing.assert_allclose(loop.plan.q[0], expected[0], atol=1e-15)
        loop.step(STILL, STILL, out=np.zeros(2))
        np.testing.assert_allclose(loop.plan.qd[0], ARM.stepper(DT).step(np.zeros(2), np.zeros(2), tau)[1], atol=1e-15)
        loop.reset()


def test_a_first_state_that_is_not_finite_leaves_no_trace() -> None:
    """With a delay, the forces before the first call are those of the first finite state."""
    expected = FREE.stepper(delay=DT).step(STILL, STILL, GOAL, out=np.zeros(2))
    for loop in (FREE.stepper(delay=DT), Sampling(FREE, samples=8, rng=0, delay=DT)):
        assert_raises(InputError, "finite", loop.step, STILL * np.nan, STILL, GOAL, out=np.zeros(2))
        tau = loop.step(STILL, STILL, GOAL, out=np.zeros(2))
        assert np.isfinite(tau).all() and (isinstance(loop, Sampling) or (tau == expected).all())


def test_a_late_sampler_starts_where_its_forces_act() -> None:
    """As one without a delay does from the state to which the forces of the call before have led."""
    options: dict[str, Any] = {"samples": 64, "noise": 3.0, "temperature": 0.1}
    late, other = (Sampling(FREE, rng=0, delay=x, **options) for x in (DT, 0.0))
    taus = [x.step(STILL, STILL, GOAL, out=np.zeros(2)).copy() for x in (late, other)]
    assert np.abs(taus[0] - ARM.gravity_forces(STILL)).max() > 0.1
    late.step(STILL, STILL, out=taus[0], elapsed=DT)
    other.step(*ARM.stepper(DT).step(np.zeros(2), np.zeros(2), taus[1]), out=taus[1], elapsed=DT)
    np.testing.assert_allclose(taus[0], taus[1], rtol=1e-9)


def test_a_late_controller_of_simulate() -> None:
    law, waiting = Predictive(FREE, GOAL, delay=2 * DT), [ARM.gravity_forces(STILL)] * 2

    def late(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        waiting.append(law.torque(t, q, qd))
        return waiting.pop(0)

    motion = ARM.simulate(STILL, STILL, late, np.arange(150) * DT, "semi_implicit_euler")
    assert np.abs(motion.q[-1] - GOAL["state"][:2]).max() < 0.01 and law.stepper.failures == 0


@pytest.mark.parametrize("delay", [-0.01, np.nan, np.inf, 2, 20 * DT, "late", [0.1]])
def test_invalid_delays(delay: Any) -> None:
    """Two seconds, meant as two steps, are longer than the horizon."""
    for maker in (lambda x: FREE.stepper(delay=x), lambda x: Sampling(FREE, samples=8, delay=x)):
        assert_raises(InputError, "delay must be a", maker, delay)
