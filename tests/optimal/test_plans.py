"""Plans: linear robots beside a dense solution, nonlinear ones beside SciPy, gaps, rows, drives, results."""

from __future__ import annotations

import numpy as np
import pytest
from comparing import assert_raises
from motions import sliders
from reaching import BENT, GOAL, UR5, cost_of, reach, replayed, responses
from scipy.linalg import solve_discrete_are

import revolute
from revolute import InputError, Robot
from revolute.optimal import OptimalControl, OptimalPlan, PointCost, PoseCost, StateCost, TorqueCost, shooting


def linear_step(robot: Robot, h: float) -> tuple[np.ndarray, np.ndarray]:
    """A and B of the steps of a linear robot."""
    A = np.block([[np.eye(2), h * np.eye(2)], [np.zeros((2, 2)), np.eye(2)]])
    return A, A[:, 2:] @ (h * robot.mass_matrix_inverse([0.0, 0.0]))


@pytest.fixture(scope="module")
def plan() -> OptimalPlan:
    return reach().solve(BENT, goal=GOAL)


def test_the_plan_of_a_linear_robot_is_the_dense_solution() -> None:
    """Quadratic costs and constant matrices: one linear system for all forces, and one iteration."""
    robot, T, h = sliders(), 12, 0.1
    weights, ends, effort = np.array([3.0, 2.0, 0.5, 0.4]), np.array([50.0, 60.0, 7.0, 8.0]), 0.3
    problem = OptimalControl(robot, [StateCost(weights), TorqueCost(effort)], terminal=[StateCost(ends)], steps=T, dt=h)
    x0 = np.array([1.0, -0.5, 0.3, 0.2])
    plan = problem.solve(x0[:2], x0[2:], goal={"state": [0.2, 0.1, 0, 0]})
    rows, free = responses(*linear_step(robot, h), x0, [0.2, 0.1, 0, 0], T)
    W = [np.diag(ends if t == T else h * weights) for t in range(T + 1)]
    H = sum(r.T @ w @ r for r, w in zip(rows, W, strict=True)) + h * effort * np.eye(2 * T)
    g = sum(r.T @ w @ f for r, w, f in zip(rows, W, free, strict=True))
    tau = np.linalg.solve(H, -g)
    cost = 0.5 * tau @ H @ tau + g @ tau + 0.5 * sum(f @ w @ f for f, w in zip(free, W, strict=True))
    np.testing.assert_allclose(plan.tau.ravel(), tau, atol=1e-9)
    np.testing.assert_allclose(plan.cost, cost, rtol=1e-12)
    assert plan.iterations <= 3 and plan.converged


def test_gains_are_those_of_riccati() -> None:
    """A long horizon: the first gains are those of the linear-quadratic regulator of the same samples."""
    robot, h, weights = sliders(), 0.1, np.array([3.0, 2.0, 0.5, 0.4])
    plan = OptimalControl(robot, [StateCost(weights), TorqueCost(0.3)], steps=400, dt=h).solve([0.5, 0.5])
    A, B = linear_step(robot, h)
    P = solve_discrete_are(A, B, np.diag(h * weights), h * 0.3 * np.eye(2))
    K = np.linalg.solve(h * 0.3 * np.eye(2) + B.T @ P @ B, B.T @ P @ A)
    np.testing.assert_allclose(plan.gains[0], -K, rtol=1e-9)


def test_no_change_of_forces_lowers_the_cost(plan: OptimalPlan) -> None:
    """The cost of motions with other forces, by `simulate`: its slopes by forces are zero."""
    sharp = reach().solve(BENT, goal=GOAL, tolerance=1e-17, iterations=1000)
    np.testing.assert_allclose(cost_of(sharp, sharp.tau), sharp.cost, rtol=1e-12)
    for direction in np.random.default_rng(0).standard_normal((5, 30, 6)):
        there, back = (cost_of(sharp, sharp.tau + h * direction) for h in (1e-3, -1e-3))
        assert abs(there - back) / 2e-3 < 1e-6
    assert cost_of(plan, plan.tau + 0.1 * direction) > plan.cost


def test_a_plan_is_a_motion_of_simulate(plan: OptimalPlan) -> None:
    motion = replayed(plan)
    np.testing.assert_allclose(motion.q, plan.q, atol=1e-10)
    np.testing.assert_allclose(motion.qdd[:-1], plan.qdd, atol=1e-7)


def test_gaps_of_a_first_plan_close(plan: OptimalPlan) -> None:
    """From states that no forces connect, with the same least cost."""
    line = BENT + np.linspace(0, 0.3, 31)[:, None]
    other = reach().solve(BENT, goal=GOAL, guess=(line, np.zeros((30, 6))))
    assert other.converged and other.gap < 1e-12
    np.testing.assert_allclose(other.cost, plan.cost, rtol=1e-7)


def test_rows_are_independent_to_the_last_bit() -> None:
    rng, problem = np.random.default_rng(1), reach()
    starts, goals = BENT + rng.uniform(-0.3, 0.3, (11, 6)), GOAL + rng.uniform(-0.05, 0.05, (11, 3))
    many = problem.solve(starts, goal=goals)
    assert many.converged.all() and many.q.shape == (11, 31, 6) and many.gains.shape == (11, 30, 6, 12)
    for k in (0, 7, 10):
        one, row = problem.solve(starts[k], goal=goals[k], threads=1), many.row(k)
        for name in ("q", "qd", "tau", "qdd", "cost", "iterations"):
            np.testing.assert_array_equal(getattr(one, name), getattr(row, name))


def test_forces_of_the_last_node_do_not_grow_from_plan_to_plan() -> None:
    """It has none, but rollouts compute some: they once overflowed after hundreds of plans of one problem."""
    problem = reach()
    first = problem.solve(BENT, goal=GOAL)
    problem._idle[1][0].tau[-1] = 1e200
    for name in ("q", "qd", "tau", "gains", "iterations", "state"):
        np.testing.assert_array_equal(getattr(problem.solve(BENT, goal=GOAL), name), getattr(first, name))


@pytest.mark.parametrize("rows", [1, 3, 11])
def test_iterations_of_a_call_do_not_change_the_plan(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As few as one, as for plans of large robots."""
    starts = np.random.default_rng(4).uniform(-0.5, 0.5, (rows, 6)) + BENT
    many = reach().solve(starts, goal=GOAL)
    monkeypatch.setattr(shooting, "LONGEST", 1)
    few = reach().solve(starts, goal=GOAL)
    assert few.iterations.max() > 3
    for name in ("q", "tau", "gains", "cost", "iterations", "state"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name))


def test_goals_and_weights_differ_by_node() -> None:
    """A path of the tool: each node has its goal; the end alone has a weight of its own."""
    turn = np.linspace(0, np.pi, 31)
    path = np.array([0.45, 0.1, 0.5]) + 0.05 * np.transpose([np.cos(turn), np.sin(turn), 0 * turn])
    problem = OptimalControl(UR5, [PointCost("tool0", 1e5), TorqueCost(1e-5)], steps=30, dt=0.02)
    plan = problem.solve(BENT, goal=path, weights={"point of tool0": np.r_[np.zeros(10), np.ones(21)]})
    tips = UR5.forward_kinematics(plan.q, "tool0")[:, :3, 3]
    assert np.abs(tips[15:30] - path[15:30]).max() < 2e-3
    assert np.abs(tips[:5] - path[:5]).max() > 0.05


def test_a_pose_is_reached() -> None:
    goal = UR5.forward_kinematics(BENT + 0.4, "tool0")
    end = [PoseCost("tool0", 1e5), StateCost([0] * 6 + [1] * 6)]
    plan = OptimalControl(UR5, [TorqueCost(1e-4)], terminal=end, steps=30, dt=0.02).solve(BENT, goal=goal)
    assert plan.converged
    np.testing.assert_allclose(UR5.forward_kinematics(plan.q[-1], "tool0"), goal, atol=2e-3)


def test_steps_of_different_lengths() -> None:
    dt = np.r_[np.full(20, 0.01), np.full(10, 0.04)]
    plan = reach(dt=dt).solve(BENT, goal=GOAL)
    assert plan.converged and plan.t[-1] == pytest.approx(0.6)
    assert plan.check().gap == 0
    ends = [UR5.simulate(plan.q[k], plan.qd[k], plan.tau[k], [0, dt[k]], "semi_implicit_euler").q[-1] for k in (3, 25)]
    np.testing.assert_allclose(ends, plan.q[[4, 26]], atol=1e-10)


def test_robots_with_drives() -> None:
    """Rotors, friction, and coordinates that two joints follow: the plan is a motion of the robot with drives."""
    drive = revolute.Drive(damping=0.5, gear_ratio=100, rotor_inertia=1e-4)
    plan = reach(robot=UR5.with_drives(dict.fromkeys(UR5.coordinate_names, drive))).solve(BENT, goal=GOAL)
    assert plan.converged
    np.testing.assert_allclose(replayed(plan).q, plan.q, atol=1e-9)
    coupled = revolute.robots.planar(2).with_drives(coupling=[[0.5, 0.5], [0.5, -0.5]])
    plan = OptimalControl(coupled, [StateCost(1.0), TorqueCost(0.01)], steps=20, dt=0.02).solve([0.4, 0.2])
    np.testing.assert_allclose(replayed(plan).q, plan.q, atol=1e-10)
    assert plan.converged


def test_what_a_plan_says(plan: OptimalPlan) -> None:
    text = plan.report()
    assert "converged" in text and "point of tool0" in text and "forces / limit" in text
    check = plan.check()
    assert check.gap < 1e-12 and check.step_error["q"] < 0.05 and "and the next node" in str(check)
    slow = OptimalControl(UR5, [StateCost(1e-2), TorqueCost(1e-3)], steps=30, dt=0.005).solve(BENT)
    assert slow.check().step_error["q"] < check.step_error["q"]
    motion = plan.motion()
    assert motion.q.shape == (31, 6) and motion.energy.shape == (31,)
    assert sum(x.sum() for x in plan.costs.values()) == pytest.approx(float(plan.cost))
    assert repr(plan).startswith("<OptimalPlan of 'ur5': 30 steps")
    figure = plan.plot()
    assert len(figure.axes) == 7 and figure.get_suptitle().endswith(", converged")
    many = reach().solve(np.array([BENT, BENT]), goal=GOAL)
    assert "2 problems" in repr(many) and list(many.reason) == ["converged"] * 2
    assert_raises(InputError, r"select one: row\(k\)", many.report)


def test_iterations_that_run_out_say_so() -> None:
    plan = reach().solve(BENT, goal=GOAL, iterations=2)
    assert not plan.converged and "allow more" in plan.reason and plan.iterations == 2


def test_no_plan_of_an_unbounded_start_looks_good() -> None:
    plan = reach().solve(BENT, np.full(6, 1e150), goal=GOAL)
    assert not plan.converged and "not finite" in plan.reason
