"""Predictive control, for real-time loops and for `simulate`: each call improves the last plan by some iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import finite_rows, instance, whole_number
from revolute.errors import InputError, ShapeError
from revolute.optimal.fddp import CONVERGED, EXHAUSTED, REASONS, RUNNING, STUCK, UNBOUNDED, PlanIterations
from revolute.optimal.first_plan import first_plan
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.problem import OptimalControl
from revolute.optimal.shooting import Array
from revolute.optimal.solving import plan_parts

FIRST = 100
"""Maximum number of iterations of the first call, which starts without a previous plan."""


class PlanStepper:
    """Predictive control, as returned by `OptimalControl.stepper`.

    Each call of `step` shifts the last plan by the time since the last call, starts it at the measured state, and
    improves it by some iterations. It has its own arrays, and allocates none after the first call.

    Attributes:
        failed: whether the last call found no better plan; the forces are then those of the previous plan, corrected by
            its gains.
        reason: text on the result of the last call.
        failures: number of calls that failed.
    """

    def __init__(self, problem: OptimalControl, iterations: int = 1) -> None:
        self._iterations = whole_number("stepper: iterations", iterations, 1)
        if problem._setting.hard:
            raise InputError(
                "stepper: hard costs need many iterations per call; use costs without hard=True; force bounds are "
                "allowed"
            )
        self._problem, self._nodes = problem, problem._shooting(1)
        self._loop = PlanIterations(self._nodes, tolerance=1e-9)
        nodes = self._nodes
        self._live = [nodes.x, nodes.tau, nodes.qdd, nodes.gap, nodes.K, nodes.k]
        self._kept = [np.zeros_like(x) for x in self._live]
        # a flat array can be shifted in place without a temporary array
        moving = [(nodes.x, 0), *((x, 1) for x in (nodes.tau, nodes.qdd, nodes.K, nodes.k))]
        self._moving = [(x[: len(x) - end].reshape(-1), x[0].size) for x, end in moving]
        self._finite = [np.zeros(x.shape, bool) for x in (nodes.x[0, 0], nodes.p)]
        self._begun, self._elapsed = False, 0.0
        self._start, self._away = np.zeros(nodes.x.shape[-1]), np.zeros(problem._setting.sizes[1])
        self._places = dict(zip(problem.names, problem._setting.places, strict=True))
        self._needy = ""
        self.failed, self.reason, self.failures = False, "not called yet", 0

    def reset(self) -> None:
        """Discard the plan: the next call starts from a plan at rest."""
        self._begun, self._elapsed = False, 0.0

    def step(self, q: Array, qd: Array, goal: Any = None, *, out: Array, elapsed: float | None = None) -> Array:
        """Improve the plan from a measured state, and return its first forces.

        Args:
            q, qd: (nq,), (nv,) the measured state [rad, m, s].
            goal: goal of the cost that requires one, or {name of a cost: goal}. Each is an array for one node, or with
                a leading axis of nodes + 1. Omitted goals are unchanged.
            out: (nv,) array for the forces [N m, N].
            elapsed: time since the last call [s]: by default the length of the first step.

        Returns:
            out itself.

        Raises:
            ShapeError, DtypeError: an array does not fit.
            InputError: the first call has no goal, or a state is not finite.
        """
        nodes, nq, nv = self._nodes, self._problem.robot.nq, self._problem.robot.nv
        if not self._begun:
            self._begin(q, qd, goal)
        else:
            for array, kept in zip(self._live, self._kept, strict=True):
                kept[:] = array
            self._advance(self._problem._dt[0] if elapsed is None else elapsed)
            self._aim(goal)
        self._start[:] = nodes.x[0, 0]
        self._start[:nq], self._start[nq : nq + nv] = q, qd
        if not all(np.isfinite(x, out=y).all() for x, y in zip((self._start, nodes.p), self._finite, strict=True)):
            return self._fall_back("the state or the goal is not finite", out)
        nodes.x[0, 0] = self._start
        row, begun = self._loop.rows[0], self._begun
        self._loop.start([row], self._iterations if begun else FIRST)
        improved = False
        while row.state == RUNNING:
            cost, gap = row.cost, row.gap
            self._loop.iterate()
            improved |= (row.cost, row.gap) != (cost, gap) or row.state == CONVERGED
        if row.state == EXHAUSTED:
            row.state = RUNNING
        if row.state in (STUCK, UNBOUNDED) or not improved:
            return self._fall_back(REASONS[row.state], out)
        nodes.policy()
        self._begun, self.failed, self.reason = True, False, REASONS[row.state]
        out[:] = nodes.tau[0, 0]
        return out

    @property
    def plan(self) -> OptimalPlan:
        """A copy of the plan of the last call."""
        return OptimalPlan.of(self._problem, self._problem.t, plan_parts(self._nodes, self._loop.rows[0]))

    # --- parts of `step` ------------------------------------------------------------------------

    def _begin(self, q: Array, qd: Array, goal: Any) -> None:
        """Set the initial plan: the robot rests at the measured positions."""
        problem, nodes = self._problem, self._nodes
        problem._goals.fill(nodes.p[:, 0], (), goal, None)
        start, robot = np.concatenate([np.asarray(q, float), np.asarray(qd, float)]), problem.robot
        if start.shape != (robot.nq + robot.nv,) or not np.isfinite(start).all():
            raise InputError("step: the first state must be finite, (nq,) positions and (nv,) velocities")
        x, tau = first_plan(problem, None, start, ())
        nodes.x[:, 0], nodes.tau[:-1, 0] = x, tau
        self._aims = {name: nodes.p[:, 0, place.goal] for name, place in self._places.items()}
        self._needy = next(iter(problem._goals.by_name(goal)), "")

    def _aim(self, goal: Any) -> None:
        """Write goals into the parameters."""
        if goal is None:
            return
        goals: dict[str, Any] = goal if isinstance(goal, dict) else {self._needy: goal}
        for name, given in goals.items():
            aim = self._aims.get(name)
            if aim is None:
                raise InputError(f"step: goal: there is no cost '{name}'; available: {', '.join(self._aims)}")
            cost = self._problem._setting.costs[self._problem.names.index(name)]
            values = np.asarray(cost.converted_goal(name, given))
            shape = cost.goal_shape(self._problem._setting.dynamics)
            if values.shape[-len(shape) :] != shape or values.shape[: -len(shape)] not in ((), (len(aim),)):
                raise ShapeError(f"step: the goal of '{name}' has shape {values.shape}, but {shape} is needed")
            aim[:] = values.reshape(*values.shape[: -len(shape)], -1)

    def _advance(self, elapsed: float) -> None:
        """Shift the plan by the elapsed time in whole steps; the last step is repeated."""
        self._elapsed += elapsed
        lengths = self._problem._dt
        while self._elapsed >= lengths[0] * (1 - 1e-9):
            self._elapsed -= lengths[0]
            for array, size in self._moving:
                array[:-size] = array[size:]

    def _fall_back(self, why: str, out: Array) -> Array:
        """Return the forces of the shifted previous plan, corrected by its gains if the state is finite."""
        nodes, nv = self._nodes, self._problem.robot.nv
        self.failed, self.reason, self.failures = True, why, self.failures + 1
        if self._begun:
            for array, kept in zip(self._live, self._kept, strict=True):
                array[:] = kept
            self._advance(self._problem._dt[0])
        out[:] = nodes.tau[0, 0]
        if self._begun and np.isfinite(self._start).all():
            nq = self._problem.robot.nq
            self._away[:nv] = self._problem.robot.difference(nodes.x[0, 0, :nq], self._start[:nq])
            self._away[nv:] = self._start[nq:] - nodes.x[0, 0, nq:]
            motors = self._problem._motors
            out[motors] = np.clip(out[motors] + nodes.K[0, 0] @ self._away, *self._problem._bounds)
        return out

    def __repr__(self) -> str:
        return f"<PlanStepper of '{self._problem.robot.name}': {self._problem.nodes} nodes, {self.reason}>"


class Predictive:
    """A controller that plans at every instant: `robot.simulate(q0, qd0, Predictive(problem, goal), t)`.

    The simulated robot may differ from the robot of the problem. The controller follows one motion at a time. A time
    before the last one starts a new motion.

    Attributes:
        problem: the problem of optimal control.
        goal: see `OptimalControl.solve`; or a function of time that returns such a goal.
        stepper: the `PlanStepper` of the last motion.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.optimal import EffortCost, OptimalControl, Predictive, StateCost
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

    def __init__(self, problem: OptimalControl, goal: Any | Callable[[float], Any] = None, iterations: int = 1) -> None:
        """Prepare the controller.

        Args:
            problem: the problem of optimal control, without hard costs.
            goal: see `OptimalControl.solve`; or a function of time [s] that returns such a goal.
            iterations: number of iterations at each instant.

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
            raise InputError(f"Predictive: it controls one motion, not a batch {q.shape[:-1]}; simulate one by one")
        if t <= self._last:
            self.stepper.reset()
        elapsed, self._last = t - self._last, t
        goal = self.goal(t) if callable(self.goal) else self.goal
        return self.stepper.step(q, qd, goal, out=np.empty(robot.nv), elapsed=elapsed)

    def __repr__(self) -> str:
        return f"<Predictive: {self.problem!r}>"
