"""Rates of forces: the state has the forces of the step before."""

from __future__ import annotations

import numpy as np
import pytest
from comparing import assert_raises
from reaching import BENT, GOAL, UR5, responses
from robots import one_joint

from revolute import Inertia, Prismatic, ShapeError
from revolute.optimal import OptimalControl, PointCost, Sampling, StateCost, TorqueCost, TorqueRateCost


@pytest.mark.parametrize("effort", [None, 1e3])
def test_the_plan_of_a_slider_is_the_dense_solution(effort: float | None) -> None:
    """One linear system for all forces, from forces before the start that are not zero."""
    robot = one_joint(Prismatic((1, 0, 0)), Inertia(m=2.0))
    T, h, rate, before = 12, 0.1, 0.02, 3.0
    problem = OptimalControl(
        robot, [StateCost(1.0), TorqueRateCost(rate)], terminal=[StateCost(50.0)], steps=T, dt=h, effort_limits=effort
    )
    plan = problem.solve([1.0], [0.3], goal={"state": [0.2, 0.0]}, tau0=[before])
    rows, free = responses(np.array([[1, h], [0, 1]]), np.array([[h * h], [h]]) / 2.0, [1.0, 0.3], [0.2, 0.0], T)
    weights = [h] * T + [50.0]
    D = (np.eye(T) - np.eye(T, k=-1)) / h
    first = np.r_[before, np.zeros(T - 1)] / h
    H = sum(w * r.T @ r for w, r in zip(weights, rows, strict=True)) + h * rate * D.T @ D
    g = sum(w * r.T @ f for w, r, f in zip(weights, rows, free, strict=True)) - h * rate * D.T @ first
    np.testing.assert_allclose(plan.tau[:, 0], np.linalg.solve(H, -g), atol=1e-8)
    assert plan.converged and plan.gains.shape == (T, 1, 3)


def test_forces_change_less() -> None:
    end = [PointCost("tool0", 1e4), StateCost(1e-2)]
    rates = []
    for more in ((), (TorqueRateCost(1e-5),)):
        problem = OptimalControl(UR5, [TorqueCost(1e-3), *more], terminal=end, steps=30, dt=0.02)
        plan = problem.solve(BENT, goal=GOAL)
        rates.append(np.diff(np.vstack([UR5.gravity_forces(BENT), plan.tau]), axis=0) / 0.02)
        assert plan.converged
    assert np.abs(rates[1]).max() < 0.5 * np.abs(rates[0]).max()
    *parts, last = plan.costs["torque rate"]
    np.testing.assert_allclose(parts, 0.02 * 1e-5 * (rates[1] ** 2).sum(axis=1) / 2, rtol=1e-9)
    assert last == 0
    solve, message = problem.solve, r"tau0 has the batch \(2,\), but the states have \(3,\)"
    assert_raises(ShapeError, "tau0 has shape", solve, BENT, goal=GOAL, tau0=[1.0])
    assert_raises(ShapeError, message, solve, [BENT] * 3, goal=GOAL, tau0=np.zeros((2, 6)))


def test_a_loop_remembers_its_forces() -> None:
    """Each tick counts rates from the forces of the tick before."""
    costs = [PointCost("tool0", 1e4), StateCost([1e-2] * 6 + [1.0] * 6), TorqueRateCost(1e-4)]
    problem = OptimalControl(UR5, costs, terminal=costs[:2], steps=15, dt=0.01)
    loop, step = problem.stepper(), UR5.stepper(0.01)
    q, qd, tau, last = BENT.copy(), np.zeros(6), np.zeros(6), np.zeros(6)
    for k in range(100):
        loop.step(q, qd, GOAL, out=tau)
        if k:
            np.testing.assert_array_equal(loop._nodes.x[0, 0, 12:], last)
        last = tau.copy()
        step.step(q, qd, tau)
    assert loop.failures == 0 and np.linalg.norm(UR5.forward_kinematics(q, "tool0")[:3, 3] - GOAL) < 0.01
    sampler = Sampling(problem, samples=64, noise=0.1, rng=0)
    for _ in range(3):
        sampler.step(q, qd, {"point of tool0": GOAL}, out=tau)
    np.testing.assert_array_equal(sampler._x[0, 0, 12:], sampler._before)
    assert not sampler.failed and sampler._before.any()
