"""An arm that reaches for a point, and plans as motions of `simulate`."""

from typing import Any

import numpy as np

import revolute
from revolute import Simulation
from revolute.optimal import OptimalPlan

UR5 = revolute.robots.ur5()
BENT = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
GOAL = np.array([0.4, 0.3, 0.5])


def replayed(plan: OptimalPlan, tau: Any = None, method: str = "semi_implicit_euler") -> Simulation:
    """The motion from the plan's start under its forces, or others."""
    tau = plan.tau if tau is None else tau
    return plan.problem.robot.simulate(plan.q[0], plan.qd[0], np.vstack([tau, tau[-1:]]), plan.t, method)
