"""Tasks of control: rates and drifts of their errors, for random robots, and errors equal to those of costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import revolute
from revolute.control import (
    CenterOfMassTask,
    JointTask,
    MomentumTask,
    PointTask,
    PoseTask,
    PostureTask,
    RelativeTask,
    Task,
)
from revolute.dynamics.displacements import integrated
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.dynamics.task_errors import momentum_error
from revolute.optimal import CenterOfMassCost, PointCost, PoseCost, StateCost
from revolute.optimal.costs.cost import Cost, CostNode

SEEDS = [(seed, base) for seed in range(3) for base in ("fixed", "free")]
H = 1e-5
"""Step of central differences: errors of H^2 and of 1e-16 / H, times derivatives up to some 100."""


def tasks(robot: revolute.Robot) -> list[Task]:
    middle, last = robot.link_names[len(robot.link_names) // 2], robot.link_names[-1]
    own = [body.joint_name for body in robot.bodies[2:4]]
    of_frames = [PoseTask(last), RelativeTask(last, middle), PointTask(last)]
    return [*of_frames, CenterOfMassTask(), PostureTask(), JointTask(own)]


def met(task: Task, robot: revolute.Robot, q: np.ndarray) -> np.ndarray:
    """The target that a configuration meets."""
    if isinstance(task, PoseTask):
        return np.ravel(robot.forward_kinematics(q, task.frame))
    if isinstance(task, RelativeTask):
        other = np.linalg.inv(robot.forward_kinematics(q, task.other))
        return np.ravel(other @ robot.forward_kinematics(q, task.frame))
    if isinstance(task, PointTask):
        return np.asarray(robot.forward_kinematics(q, task.frame)[:3, 3])
    return np.asarray(robot.center_of_mass(q)) if isinstance(task, CenterOfMassTask) else q


@pytest.mark.parametrize(("seed", "base"), SEEDS)
def test_rates_of_errors_are_j_v_and_their_drifts_jd_v(seed: int, base: str) -> None:
    robot = revolute.robots.random_tree(5, rng=seed, base=base)
    q, v = robot.random_configuration(rng=seed), np.random.default_rng(seed).standard_normal(robot.nv)
    sides = [np.array(integrated(robot, q.tolist(), (sign * H * v).tolist()), float) for sign in (-1, 1)]
    for task in tasks(robot):
        task.check(robot)
        target = met(task, robot, q)
        before, after = (np.array(task.error(robot, x, target), float) for x in sides)
        J, J0, J1 = (np.array(task.jacobian(robot, x), float) for x in (q, *sides))
        assert np.abs(task.error(robot, q, target)).max() < 1e-12
        np.testing.assert_allclose(J @ v, (after - before) / (2 * H), rtol=0, atol=1e-7)
        drift = np.array(task.drift(robot, q, v), float)
        np.testing.assert_allclose(drift, (J1 - J0) @ v / (2 * H), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("seed", "base"), SEEDS)
def test_momentum_tasks_have_the_rate_and_the_drift_of_the_momentum(seed: int, base: str) -> None:
    """e(q, v) = A v - target; A vd + Ad v is the momentum's time derivative."""
    robot, task = revolute.robots.random_tree(5, rng=seed, base=base), MomentumTask()
    q, (v, vd) = robot.random_configuration(rng=seed), np.random.default_rng(seed).standard_normal((2, robot.nv))
    goal = np.arange(6.0)
    A, at_rest = np.array(task.jacobian(robot, q), float), np.array(task.error(robot, q, goal), float)
    error = np.array(momentum_error(robot, q, v, goal), float)
    np.testing.assert_allclose(A @ v + at_rest, error, atol=1e-11)
    np.testing.assert_allclose(error + goal, robot.centroidal_momentum(q, v), atol=1e-11)
    drift = np.array(task.drift(robot, q, v), float)
    np.testing.assert_allclose(A @ vd + drift, robot.centroidal_momentum_rate(q, v, vd), atol=1e-10)


def test_tasks_and_costs_of_a_name_have_one_error() -> None:
    robot = revolute.robots.panda()
    q, goal = robot.random_configuration(2, rng=1)
    T, last = np.ravel(robot.forward_kinematics(goal, "panda_link8")), "panda_link8"
    dynamics, still = Dynamics(robot), np.zeros(7)
    node = CostNode(q, still, still, still, (), 0.01, q, still)
    pairs: list[tuple[Task, Cost, Any]] = [
        (PoseTask(last), PoseCost(last), T), (PointTask(last), PointCost(last), goal[:3]),
        (CenterOfMassTask(), CenterOfMassCost(), goal[:3]),
    ]  # fmt: skip
    for task, cost, target in pairs:
        np.testing.assert_allclose(task.error(robot, q, target), cost.errors(dynamics, node, target), atol=1e-13)
    errors = StateCost().errors(dynamics, node, np.concatenate([goal, still]))
    assert np.array_equal(PostureTask().error(robot, q, goal), errors[:7])
