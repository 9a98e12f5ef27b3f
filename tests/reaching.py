"""An arm that reaches for a point, and plans as motions of `simulate`."""

from typing import Any

import numpy as np

import revolute
from revolute import Simulation
from revolute.optimal import OptimalControl, OptimalPlan, PointCost, StateCost, TorqueCost

UR5 = revolute.robots.ur5()
BENT = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
GOAL = np.array([0.4, 0.3, 0.5])


def reach(
    *more: Any, robot: Any = UR5, steps: int = 30, dt: Any = 0.02, weight: float = 1e3, **options: Any
) -> OptimalControl:
    """The tool comes to a point, with the costs of `cost_of`, and more."""
    costs, end = [StateCost(1e-2), TorqueCost(1e-3), *more], [PointCost("tool0", weight), StateCost(1e-2)]
    return OptimalControl(robot, costs, terminal=end, steps=steps, dt=dt, **options)


def cost_of(plan: OptimalPlan, tau: np.ndarray, weight: float = 1e3) -> float:
    """The cost of `reach` with other forces, by `simulate`."""
    motion = replayed(plan, tau)
    x = np.concatenate([motion.q, motion.qd], axis=-1)
    tip = UR5.forward_kinematics(motion.q[-1], "tool0")[:3, 3] - GOAL
    way = plan.t[1] * (1e-2 * (x[:-1] ** 2).sum() + 1e-3 * (tau**2).sum()) / 2
    return float(way + weight * (tip @ tip) / 2 + 1e-2 * (x[-1] @ x[-1]) / 2)


def responses(A: np.ndarray, B: np.ndarray, x0: Any, goal: Any, T: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """R_t and f_t of a linear robot at nodes 0 ... T: x_t - goal = R_t tau + f_t."""
    powers = [np.linalg.matrix_power(A, k) for k in range(T + 1)]
    rows = [np.hstack([powers[t - 1 - k] @ B if k < t else 0 * B for k in range(T)]) for t in range(T + 1)]
    return rows, [power @ x0 - goal for power in powers]


def replayed(plan: OptimalPlan, tau: Any = None, method: str = "semi_implicit_euler") -> Simulation:
    """The motion from the plan's start under its forces, or others."""
    tau = plan.tau if tau is None else tau
    return plan.problem.robot.simulate(plan.q[0], plan.qd[0], np.vstack([tau, tau[-1:]]), plan.t, method)
