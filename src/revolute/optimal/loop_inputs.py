"""Inputs of predictive control in a loop: measured states, goals that persist between calls, elapsed time, delays."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, number, require_out
from revolute.control.checks import effort_bounds
from revolute.errors import InputError, ShapeError
from revolute.optimal.costs.cost import Goal
from revolute.optimal.problem import OptimalControl
from revolute.optimal.sent_forces import SentForces
from revolute.optimal.shooting import Array

Bounds = ArrayLike | tuple[ArrayLike, ArrayLike] | None


class LoopInputs:
    """Reader of the arguments of `step`. It stores goals, weights and contacts in the parameters p, the `time` since
    the last whole step [s], and the (2, m) `bounds` of motor forces.
    """

    def __init__(self, what: str, problem: OptimalControl, p: Array, delay: float = 0.0) -> None:
        self._what, self._problem, self._goals, self._p = what, problem, problem._goals, p
        self._dt, self.time, self._filled = float(problem._dt[0]), 0.0, False
        self.bounds = problem._bounds.copy()
        self._held: list[Array | None] = []  # active and places, from the first call on
        self._on_the_way = SentForces(problem, wait, self.bounds) if (wait := self._delay(delay)) else None

    def read(
        self, q: ArrayLike, qd: ArrayLike, goal: Goal, out: Array, elapsed: float | None,
        weights: Mapping[str, ArrayLike] | None = None, effort_limits: Bounds = None, active: ArrayLike | None = None,
        places: ArrayLike | None = None,
    ) -> tuple[Array, bool, int]:
        """The state (nq + nv,) after the delay; whether this state and the goals are finite; number of whole steps."""
        robot = self._problem._tree
        require_out(f"{self._what}: out", out, (robot.nv,), np.float64)
        state = [float_copy(f"{self._what}: q and qd", x) for x in (q, qd)]
        shapes, needed = [x.shape for x in state], [(robot.nq,), (robot.nv,)]
        if shapes != needed:
            raise ShapeError(f"{self._what}: q and qd have shapes {shapes}, but one state is needed: {needed}")
        factors = self._goals.factors(weights, ())
        if effort_limits is not None:
            bounds = effort_bounds(self._what, effort_limits, robot, self._problem._motors)
        time, known = self._elapsed(elapsed), self._aim(goal)
        self._goals.reweigh(self._p, factors)
        if effort_limits is not None:
            self.bounds[:] = bounds
        if not self._held or active is not None or places is not None:
            before = self._held or (None, None)
            held = [x if y is None else np.array(y) for x, y in zip(before, (active, places), strict=True)]
            self._problem._contacts.fill(self._p, (), held[0], held[1], self._what)
            self._held = held
        if self._on_the_way:
            self._on_the_way.predict(state[0], state[1], time)
        start = np.concatenate(state)
        return start, bool(known and np.isfinite(start).all()), self._steps(time)

    def sent(self, tau: Array) -> None:
        """Store the forces of a call, which act after the delay."""
        if self._on_the_way:
            self._on_the_way.add(tau, self._p[0])

    def reset(self) -> None:
        """Discard forces that do not act yet."""
        if self._on_the_way:
            self._on_the_way.clear()

    def _delay(self, delay: float) -> float:
        """Return the delay [s] after checking it."""
        wait, end = number(f"{self._what}: delay", delay), self._problem.t[-1]
        if not 0 <= wait < end * (1 - 1e-12):
            raise InputError(
                f"{self._what}: delay must be a time [s], zero or more, and shorter than the horizon of {end:g} s, not "
                f"{delay!r}; a step takes {self._dt:g} s"
            )
        return wait

    def _aim(self, goal: Goal) -> bool:
        """Write goals into p; omitted goals are kept. If a number is not finite, keep all goals and return False."""
        if not self._filled:
            self._goals.fill(self._p, (), goal, None)
            self._filled, goal = True, None
        found = {name: self._goals.rows(name, x, ()) for name, x in self._goals.by_name(goal).items()}
        known = all(finite for _, finite in found.values())
        for name, (rows, _) in found.items() if known else ():
            self._p[:, self._goals.places[name].goal] = rows
        return known

    def _elapsed(self, elapsed: float | None) -> float:
        """Return the time since the last call [s] after checking it."""
        time = self._dt if elapsed is None else number(f"{self._what}: elapsed", elapsed)
        if not 0 <= time < math.inf:
            raise InputError(f"{self._what}: elapsed must be a finite time [s], zero or more, not {elapsed!r}")
        return time

    def _steps(self, time: float) -> int:
        """Number of whole steps, at most those of the horizon; the remaining time is added at the next call."""
        early = 1e-9 * self._dt  # rounding errors can make times too short
        whole, rest = divmod(self.time + time + early, self._dt)
        self.time = rest - early
        return int(min(whole, self._problem.steps))
