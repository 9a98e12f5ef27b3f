"""Predictive control, for real-time loops and for `simulate`: each call improves the last plan by a few iterations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance, nearest, whole_number
from revolute.errors import InputError, UnknownNameError
from revolute.optimal.costs.cost import Goal
from revolute.optimal.fddp import CONVERGED, EXHAUSTED, REASONS, RUNNING, TOLERANCE
from revolute.optimal.first_plan import first_plan
from revolute.optimal.loop_inputs import Bounds, LoopInputs
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.problem import OptimalControl
from revolute.optimal.shooting import Array
from revolute.optimal.solving import plan_parts

OTHERS = "active", "places", "weights", "effort_limits"  # arguments of `step` that may change over time
FIRST = 100  # maximum number of iterations of the first call, which starts without a previous plan


class PlanStepper:
    """Predictive control, as returned by `OptimalControl.stepper`.

    Each call of `step` shifts the last plan by the time since the last call, starts it at the measured state, and
    improves it by a few iterations. The stepper has its own arrays, and allocates none after the first call.

    Attributes:
        failed: whether the last call found no better plan; the forces are then those of the previous plan, corrected by
            its gains.
        reason: the result of the last call, in words.
        failures: number of calls that failed.
    """

    def __init__(self, problem: OptimalControl, iterations: int = 1, delay: float = 0.0) -> None:
        self._iterations = whole_number("stepper: iterations", iterations, 1)
        if problem._setting.hard:
            raise InputError(
                "stepper: hard costs need many iterations per call; use costs without hard=True; force bounds are "
                "allowed"
            )
        self._problem, self._nodes = problem, problem._shooting(1)
        nodes = self._nodes
        self._live = [nodes.x, nodes.tau, nodes.qdd, nodes.gap, nodes.K, nodes.k]
        self._kept = [np.zeros_like(x) for x in self._live]
        # a flat array can be shifted in place without a temporary array
        moving = [(nodes.x, 0), *((x, 1) for x in (nodes.tau, nodes.qdd, nodes.K, nodes.k))]
        self._moving = [(x[: len(x) - end].reshape(-1), x[0].size) for x, end in moving]
        self._inputs, self._begun = LoopInputs("step", problem, nodes.p[:, 0], delay), False
        self.failed, self.reason, self.failures = False, "not called yet", 0

    def reset(self) -> None:
        """Discard the plan and forces that do not act yet, but keep goals. The next call starts from a plan at rest."""
        self._begun = False
        self._inputs.reset()

    def step(
        self, q: ArrayLike, qd: ArrayLike, goal: Goal = None, *, out: Array, elapsed: float | None = None,
        weights: Mapping[str, ArrayLike] | None = None, effort_limits: Bounds = None, active: ArrayLike | None = None,
        places: ArrayLike | None = None,
    ) -> Array:
        """Improve the plan from a measured state, and return its first forces.

        Args:
            q, qd: (nq,), (nv,) the measured state [rad, m; rad/s, m/s].
            goal: goal of the cost that requires one, or {name of a cost: goal}. A goal is an array for one node, or has
                a leading axis of steps + 1. Omitted goals are unchanged, and so are goals that are not finite.
            out: (nv,) array of float64 for the forces [N m, N].
            elapsed: time since the last call [s]: by default the length of the first step. The plan is shifted by
                whole steps; the remaining time is added at the next call.
            weights: {name of a cost: factor of its weight}; a factor may have an axis of steps + 1. Omitted weights
                are unchanged.
            effort_limits: new bounds of forces from this call on, if the problem has bounds: see `OptimalControl`.
            active, places: see `OptimalControl.solve`; they apply from this call on. If omitted, they are unchanged.

        Returns:
            out itself.

        Raises:
            ShapeError, DtypeError: an array does not fit.
            UnknownNameError: no cost has this name.
            InputError: the first call has no goal, or its state is not finite; elapsed is negative or not finite; a
                weight is negative or not finite; bounds cross, or the problem has none.
        """
        if effort_limits is not None and not self._nodes.setting.boxed:
            raise InputError("step: effort_limits need a problem with bounds: OptimalControl(..., effort_limits=...)")
        start, finite, moved = self._inputs.read(q, qd, goal, out, elapsed, weights, effort_limits, active, places)
        self._improve(start, finite, out, moved, effort_limits is not None)
        self._inputs.sent(out)
        return out

    def _improve(self, start: Array, finite: bool, out: Array, moved: int, bounded: bool) -> None:
        """Improve the plan from a state; `bounded`: whether the bounds of forces have changed."""
        nodes = self._nodes
        if not self._begun:
            if not finite:
                raise InputError("step: the first state must be finite: (nq,) positions and (nv,) velocities")
            nodes.x[:, 0], nodes.tau[:-1, 0] = first_plan(self._problem, None, start, ())
            self._inputs.time = 0.0
        else:
            for array, kept in zip(self._live, self._kept, strict=True):
                kept[:] = array
            self._shift(moved)
        if bounded or not self._begun:
            self._bound()
        if nodes.setting.dynamics.remembers:
            start = np.concatenate([start, nodes.x[0, 0, len(start) :]])
        if not finite:
            self._fall_back("the state or the goal is not finite", start, out, moved)
            return
        nodes.x[0, 0] = start
        nodes.start([0], self._iterations if self._begun else FIRST, TOLERANCE)
        states = nodes.fields["state"]
        while states[0] == RUNNING:
            nodes.iterate()
        if states[0] == EXHAUSTED:
            states[0] = RUNNING
        if (reason := int(states[0])) not in (RUNNING, CONVERGED) or not nodes.fields["better"][0]:
            self._fall_back(REASONS[reason], start, out, moved)
            return
        nodes.policy()
        self._begun, self.failed, self.reason = True, False, REASONS[reason]
        out[:] = nodes.tau[0, 0]

    @property
    def plan(self) -> OptimalPlan:
        """A copy of the plan of the last call, with the latest bounds of forces."""
        problem, bounds = self._problem, self._inputs.bounds
        if (bounds != problem._bounds).any():
            problem = copy(problem)
            problem._bounds = bounds.copy()
        return OptimalPlan.of(problem, problem.t, plan_parts(self._nodes, 0))

    # --- parts of `step` ------------------------------------------------------------------------

    def _shift(self, steps: int) -> None:
        """Shift the plan by whole steps; the last step is repeated."""
        for _ in range(steps):
            for array, size in self._moving:
                array[:-size] = array[size:]

    def _bound(self) -> None:
        """Clip the forces of the plan to the bounds."""
        nodes, bounds = self._nodes, self._inputs.bounds
        nodes.low[:], nodes.high[:] = bounds
        for k, low, high in zip(self._problem._motors, *bounds, strict=True):
            np.clip(nodes.tau[:, 0, k], low, high, out=nodes.tau[:, 0, k])

    def _fall_back(self, why: str, start: Array, out: Array, moved: int) -> None:
        """Return the forces of the shifted previous plan, corrected by its gains if the state is finite."""
        nodes, robot = self._nodes, self._problem._tree
        self.failed, self.reason, self.failures = True, why, self.failures + 1
        if self._begun:
            for array, kept in zip(self._live, self._kept, strict=True):
                array[:] = kept
            self._shift(moved)
            self._bound()
        out[:] = nodes.tau[0, 0]
        motors = self._problem._motors
        if self._begun and np.isfinite(start).all():
            x, nq = nodes.x[0, 0], robot.nq
            away = np.concatenate([robot.difference(x[:nq], start[:nq]), start[nq:] - x[nq:]])
            out[motors] += nodes.K[0, 0] @ away
        out[motors] = np.clip(out[motors], *self._inputs.bounds)

    def __repr__(self) -> str:
        return f"<PlanStepper of '{self._problem._tree.name}': {self._problem.steps} steps, {self.reason}>"


class Predictive:
    """A controller that plans at each time of a simulation: `robot.simulate(q0, qd0, Predictive(problem, goal), t)`.

    The simulated robot may differ from the robot of the problem. The controller follows one motion at a time. A time
    that is not later than the last one starts a new motion.

    Attributes:
        problem: the optimal control problem.
        goal: see `OptimalControl.solve`; or a function of time that returns such a goal.
        stepper: the `PlanStepper` of the last motion.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.optimal import TorqueCost, OptimalControl, Predictive, StateCost
        >>> arm = revolute.robots.planar(2)
        >>> problem = OptimalControl(
        ...     arm, [StateCost([10, 10, 1, 1]), TorqueCost(1e-4)], steps=20, dt=0.02
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
        self, problem: OptimalControl, goal: Any | Callable[[float], Any] = None, iterations: int = 1, *,
        delay: float = 0.0, inputs: Callable[[float], Mapping[str, Any]] | None = None,
    ) -> None:
        """Prepare the controller.

        Args:
            problem: the optimal control problem, without hard costs.
            goal: see `OptimalControl.solve`; or a function of time [s] that returns such a goal.
            iterations: number of iterations at each time.
            delay: time until forces act [s]: see `OptimalControl.stepper`. `simulate` itself does not delay forces.
            inputs: function of time [s] that returns other arguments of `PlanStepper.step`, such as those of a gait:
                {"active": ..., "places": ..., "weights": ...}.

        Raises:
            InputError: a cost is hard, iterations is not a positive integer, delay is not a time, or inputs is not a
                function.
        """
        self.problem, self.goal = instance("Predictive: problem", problem, OptimalControl), goal
        if not (inputs is None or callable(inputs)):
            raise InputError(f"Predictive: inputs must be a function of time, not {inputs!r}")
        self.stepper, self._others = problem.stepper(iterations, delay=delay), inputs
        self._last = np.inf

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """The joint forces at a time and a state.

        Raises:
            ShapeError: the state is a batch, or does not fit.
            InputError: see `PlanStepper.step`.
        """
        elapsed, self._last = t - self._last, t
        if elapsed <= 0:
            self.stepper.reset()
        goal = self.goal(t) if callable(self.goal) else self.goal
        others = instance("Predictive: the result of inputs", self._others(t) if self._others else {}, Mapping)
        for name in others:
            if name not in OTHERS:
                raise UnknownNameError(f"Predictive: inputs: no argument '{name}'; {nearest(str(name), OTHERS)}")
        out = np.empty(self.problem._tree.nv)
        return self.stepper.step(q, qd, goal, out=out, elapsed=max(elapsed, 0), **others)

    def __repr__(self) -> str:
        return f"<Predictive: {self.problem!r}>"
