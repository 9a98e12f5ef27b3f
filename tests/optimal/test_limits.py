"""Bounds of forces, hard costs, and joints without motors."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
import reaching
from reaching import BENT, GOAL, UR5, cost_of, replayed

import revolute
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.box import Box, bounded_minimum
from revolute.optimal import LimitCost, OptimalControl, OptimalPlan, Residual, Sphere, SphereCost, StateCost, TorqueCost

reach = partial(reaching.reach, steps=40, dt=0.0125, weight=1e4)


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_the_least_in_a_box_meets_its_conditions(n: int) -> None:
    """No slope along free entries, and none that leads inside at a bound: Karush, Kuhn and Tucker."""
    rng = np.random.default_rng(n)
    for _ in range(30):
        A = rng.standard_normal((n, n))
        H, g = A @ A.T + 10.0 ** rng.uniform(-3, 1) * np.eye(n), 3 * rng.standard_normal(n)
        low, high = -rng.uniform(0, 1, n), rng.uniform(0, 1, n)
        found, free, _ = bounded_minimum(H.tolist(), g.tolist(), Box(low.tolist(), high.tolist()))
        x = np.array(found, float)
        slope = g + H @ x
        assert (x >= low).all() and (x <= high).all()
        inward = np.where(x <= low, np.minimum(slope, 0), np.where(x >= high, np.maximum(slope, 0), slope))
        assert np.abs(inward).max() < 1e-9
        np.testing.assert_array_equal(np.array(free) > 0, ~(((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0))))


def test_forces_stay_in_their_bounds_and_no_better_ones_do() -> None:
    bounds = np.array([10.0, 38.0, 20.0, 4.0, 2.0, 0.5])
    plan = reach(effort_limits=bounds).solve(BENT, goal=GOAL, tolerance=1e-13, iterations=1000)
    free = reach().solve(BENT, goal=GOAL)
    assert plan.converged and plan.cost > free.cost
    assert (np.abs(plan.tau) <= bounds).all() and (np.abs(plan.tau) == bounds).any()
    assert (np.abs(free.tau) > bounds).any()
    assert re.search(r"forces / limit +1\.000 at most", plan.report())
    np.testing.assert_allclose(cost_of(plan, plan.tau, 1e4), plan.cost, rtol=1e-11)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = np.clip(plan.tau + 1e-3 * bounds * rng.standard_normal(plan.tau.shape), -bounds, bounds)
        assert cost_of(plan, other, 1e4) > plan.cost - 1e-9


def test_bounds_that_nothing_reaches_change_nothing() -> None:
    """The same least cost, by controls of forces in place of accelerations."""
    wide, free = (
        reach(**bounds).solve(BENT, goal=GOAL, tolerance=1e-16, iterations=1000)
        for bounds in ({"effort_limits": np.full(6, 1e4)}, {})
    )
    np.testing.assert_allclose(wide.cost, free.cost, rtol=1e-12)
    np.testing.assert_allclose(wide.q, free.q, atol=1e-6)
    np.testing.assert_allclose(wide.gains, free.gains, atol=1e-5 * np.abs(free.gains).max())


def test_hard_limits_hold() -> None:
    free = reach().solve(BENT, goal=GOAL)
    speeds, q = 0.7 * np.abs(free.qd).max(axis=0), free.q
    low, high, way = q.min(axis=0) - 1e-9, q.max(axis=0) + 1e-9, q[-1, 1] - BENT[1]
    low[1], high[1] = sorted([BENT[1] - 0.01 * np.sign(way), BENT[1] + 0.6 * way])
    problem = reach(LimitCost(10.0, hard=True), LimitCost(1.0, "velocity", hard=True))
    goals = {"position limits": [low, high], "velocity limits": [-speeds, speeds], "point of tool0": GOAL}
    plan = problem.solve(BENT, goal=goals)
    assert plan.converged, plan.reason
    assert np.abs(plan.qd / speeds).max() < 1 + 1e-3 and np.abs(plan.qd / speeds).max() > 0.999
    assert np.maximum(plan.q - high, low - plan.q).max() < 1e-4
    assert np.maximum(free.q - high, low - free.q).max() > 0.01
    assert max(plan.errors.values()) <= 1e-4 and "largest error of the hard cost" in plan.report()


def test_a_hard_residual_of_ones_own_is_met() -> None:
    """The tool stays in a plane."""
    height = float(UR5.forward_kinematics(BENT, "tool0")[2, 3])

    def in_plane(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> list[Any]:
        return [frame_pose(model, q, "tool0").p[2] - p[0]]

    problem = reach(Residual(in_plane, 100.0, goal=[height], hard=True))
    plan = problem.solve(BENT, goal={"point of tool0": [0.4, 0.3, height]}, violation=1e-6)
    assert plan.converged and np.abs(UR5.forward_kinematics(plan.q, "tool0")[:, 2, 3] - height).max() < 1e-6


def test_spheres_keep_apart() -> None:
    free = reach().solve(BENT, goal=GOAL)
    beside = UR5.forward_kinematics(free.q[20], "tool0")[:3, 3] + [0.02, 0, 0.05]
    post = Sphere(UR5.link_names[0], tuple(beside), 0.1)
    costs = SphereCost([Sphere("tool0", (0, 0, 0), 0.05)], [post], 1e3, margin=0.02, hard=True)
    plan = reach(costs).solve(BENT, goal=GOAL)

    def nearest(plan: OptimalPlan) -> float:
        return float(np.linalg.norm(UR5.forward_kinematics(plan.q, "tool0")[:, :3, 3] - post.center, axis=-1).min())

    assert nearest(free) < 0.17
    assert plan.converged and nearest(plan) > 0.17 - 1e-4


def test_limits_that_no_motion_meets_say_so() -> None:
    """A tool that must be in two planes at once."""

    def two(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> list[Any]:
        z = frame_pose(model, q, "tool0").p[2]
        return [z - 0.2, z - 0.4]

    plan = reach(Residual(two, hard=True)).solve(BENT, goal=GOAL, iterations=20)
    assert not plan.converged and ("hard costs do not vanish" in plan.reason or "allow more" in plan.reason)


def test_an_acrobot_swings_up() -> None:
    arm, up = revolute.robots.planar(2), np.array([np.pi / 2, 0.0, 0.0, 0.0])
    for effort in (None, [0.0, 12.0]):
        problem = OptimalControl(
            arm, [StateCost(1e-3), TorqueCost(1e-3)], terminal=[StateCost(100.0)], steps=150, dt=0.02,
            actuated=["joint2"], effort_limits=effort,
        )  # fmt: skip
        plan = problem.solve([-np.pi / 2, 0.0], goal={"state": up}, iterations=500)
        assert plan.converged and problem.actuated == ("joint2",)
        assert np.abs(plan.tau[:, 0]).max() == 0 and not plan.gains[:, 0].any()
        np.testing.assert_allclose(np.r_[plan.q[-1], plan.qd[-1]], up, atol=5e-3)
        np.testing.assert_allclose(replayed(plan).q, plan.q, atol=1e-6)


def test_a_floating_base_has_no_motor() -> None:
    """A satellite turns by its arms; its base comes to rest at another orientation, and no force acts on it."""
    body = revolute.robots.random_tree(3, rng=0, base="free").with_gravity((0, 0, 0))
    problem = OptimalControl(
        body, [StateCost(1e-3), TorqueCost(1e-4)], terminal=[StateCost(np.r_[np.full(3, 10.0), np.full(15, 0.1)])],
        steps=100, dt=0.02,
    )  # fmt: skip
    target = body.neutral()
    target[3:7] = [0, 0, np.sin(0.1), np.cos(0.1)]
    plan = problem.solve(body.neutral(), goal={"state": np.r_[target, np.zeros(body.nv)]}, tolerance=1e-5)
    assert plan.converged and not plan.tau[:, :6].any()
    assert problem.actuated == body.coordinate_names[6:]
    np.testing.assert_allclose(np.linalg.norm(plan.q[:, 3:7], axis=1), 1, rtol=1e-12)
    turned = body.difference(target, plan.q[-1])[:3], body.difference(target, plan.q[0])[:3]
    assert np.linalg.norm(turned[0]) < 0.8 * np.linalg.norm(turned[1])
    np.testing.assert_allclose(replayed(plan).q, plan.q, atol=1e-8)
