"""Predictive control as a controller for `simulate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import finite_rows, instance
from revolute.errors import InputError
from revolute.optimal.problem import OptimalControl
from revolute.optimal.shooting import Array

__all__ = ["Predictive"]


class Predictive:
    """A controller that plans at every instant: `robot.simulate(q0, qd0, Predictive(problem, goal), t)`.

    The moving robot may differ from that of the plans. The controller follows one motion at a time, from its first
    instant on; a time before the last one starts a new motion.

    Attributes:
        problem: the planned problem.
        goal: see `OptimalControl.solve`; or a function of the time that returns it.
        stepper: the steps of the last motion: see `PlanStepper`.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.optimal import EffortCost, OptimalControl, StateCost
        >>> from revolute.optimal import Predictive
        >>> arm = revolute.robots.planar(2)
        >>> problem = OptimalControl(
        ...     arm, [StateCost([10, 10, 1, 1]), EffortCost(1e-4)], nodes=20, dt=0.02
        ... )
        >>> controller = Predictive(problem, {"state": [0.5, -1.0, 0, 0]})
        >>> t = np.arange(101) * 0.02
        >>> rest = np.zeros(2)
        >>> motion = arm.simulate(rest, rest, controller, t, "semi_implicit_euler")
        >>> bool(abs(motion.q[-1] - [0.5, -1.0]).max() < 0.05)
        True
        >>> controller.stepper.failures
        0
    """

    def __init__(
        self, problem: OptimalControl, goal: Any | Callable[[float], Any] = None, iterations: int = 1
    ) -> None:
        """Prepare the controller.

        Args:
            problem: without hard costs.
            goal: or a function of the time [s] that returns it.
            iterations: number at each instant.

        Raises:
            InputError: a cost is hard, or iterations is not a positive integer.
        """
        self.problem, self.goal = instance("Predictive: problem", problem, OptimalControl), goal
        self.stepper = problem.stepper(iterations)
        self._last = -np.inf

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """The joint forces at an instant.

        Raises:
            InputError: the state is a batch.
        """
        robot = self.problem.robot
        q, qd = finite_rows("Predictive", "q", q, robot.nq), finite_rows("Predictive", "qd", qd, robot.nv)
        if q.ndim > 1:
            raise InputError(f"Predictive: it follows one motion, not a batch {q.shape[:-1]}; simulate them in turn")
        if t <= self._last:
            self.stepper.reset()
        elapsed, self._last = t - self._last, t
        goal = self.goal(t) if callable(self.goal) else self.goal
        return self.stepper.step(q, qd, goal, out=np.empty(robot.nv), elapsed=elapsed)

    def __repr__(self) -> str:
        return f"<Predictive: {self.problem!r}>"
