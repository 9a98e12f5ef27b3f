"""Problems that everybody knows: a cart with a pole, and a humanoid that turns in the air."""

from __future__ import annotations

import numpy as np
import pytest
from reaching import replayed
from robots import chain

from bench.robots import CASES
from revolute import Inertia, Prismatic, Revolute
from revolute.optimal import OptimalControl, OptimalPlan, StateCost, TorqueCost


def largest_unmotored(plan: OptimalPlan) -> float:
    """The largest force, by inverse dynamics, at coordinates without a motor."""
    robot = plan.problem.robot
    tau = robot.inverse_dynamics(plan.q[:-1], plan.qd[:-1], plan.qdd)
    without = [k for k, name in enumerate(robot.coordinate_names) if name not in plan.problem.actuated]
    assert without
    return float(np.abs(tau[:, without]).max())


def test_a_cart_swings_its_pole_up() -> None:
    """A cart of 1 kg on a rail, and a pole of 0.3 kg and 0.5 m that hangs from it.

    No change of the forces of the motor lowers the cost of the motion that `simulate` makes of them.
    """
    pole = Inertia.from_com(0.3, (0, 0, -0.25), np.diag([6.25e-3, 6.25e-3, 1e-5])), Revolute((0, 1, 0))
    robot = chain((Inertia(m=1.0), Prismatic((1, 0, 0))), pole)
    h, up = 0.04, np.array([0.0, np.pi, 0.0, 0.0])
    costs, end = [StateCost(1e-3), TorqueCost(1e-3)], [StateCost(100.0)]
    problem = OptimalControl(robot, costs, terminal=end, steps=50, dt=h, actuated=["j1"], method="runge_kutta_4")
    plan = problem.solve([0.0, 0.0], goal={"state": up}, iterations=1000, tolerance=1e-12)
    assert plan.converged, plan.reason
    np.testing.assert_allclose(np.r_[plan.q[-1], plan.qd[-1]], up, atol=0.02)
    assert largest_unmotored(plan) < 1e-12 and not plan.tau[:, 1].any()
    np.testing.assert_allclose(replayed(plan, method="runge_kutta_4").q, plan.q, atol=1e-7)

    def cost(tau: np.ndarray) -> float:
        motion = replayed(plan, tau, "runge_kutta_4")
        x = np.concatenate([motion.q, motion.qd], axis=-1) - up
        return float(h * (1e-3 * (x[:-1] ** 2).sum() + 1e-3 * (tau**2).sum()) / 2 + 50.0 * x[-1] @ x[-1])

    np.testing.assert_allclose(cost(plan.tau), plan.cost, rtol=1e-9)
    for direction in np.random.default_rng(0).standard_normal((5, 50)):
        step = np.outer(1e-4 * direction, [1, 0])
        there, back = cost(plan.tau + step), cost(plan.tau - step)
        bend = there + back - 2 * plan.cost
        assert bend > 1e-8
        assert (there - back) ** 2 / (8 * bend) < 1e-9  # what a step along this direction would gain


@pytest.mark.slow
def test_a_humanoid_turns_in_the_air() -> None:
    """Talos falls, and turns its base by its arms and legs: no force acts on the base."""
    whole = next(x for x in CASES if x.key == "talos-free").robot
    robot = whole.lock({name: 0.0 for name in whole.joint_names if "gripper" in name})
    n, start = robot.nv, robot.neutral()
    still = np.full(n, 0.1)
    still[:6] = 100.0, 100.0, 100.0, 0, 0, 0  # it turns, and falls as it must
    end = StateCost(np.r_[still, np.full(3, 0.1), 0, 0, 0, np.full(n - 6, 0.1)])
    problem = OptimalControl(robot, [TorqueCost(1e-4)], terminal=[end], steps=20, dt=0.02)
    target = start.copy()
    target[3:7] = 0, 0, np.sin(0.05), np.cos(0.05)
    plan = problem.solve(start, goal={"state": np.r_[target, np.zeros(n)]}, tolerance=1e-6)
    assert plan.converged, plan.reason
    assert largest_unmotored(plan) < 1e-6 and not plan.tau[:, :6].any()
    assert np.linalg.norm(robot.difference(target, plan.q[-1])[:3]) < 0.01
    np.testing.assert_allclose(plan.q[-1, 2], -9.81 * 0.4**2 / 2, atol=0.1)
