"""Inputs of predictive control in a loop: measured states, goals that stay until they change, and elapsed time."""

import math

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, number, require_out
from revolute.errors import InputError, ShapeError
from revolute.optimal.costs.cost import Goal
from revolute.optimal.problem import OptimalControl
from revolute.optimal.shooting import Array


class LoopInputs:
    """Read the arguments of `step`, and keep goals and contacts, in p, and the `time` since the last whole step."""

    def __init__(self, what: str, problem: OptimalControl, p: Array) -> None:
        self._what, self._problem, self._goals, self._p = what, problem, problem._goals, p
        self._dt, self.time, self._filled = float(problem._dt[0]), 0.0, False
        self._held: list[Array | None] = [None, None]  # active and places

    def read(
        self, q: ArrayLike, qd: ArrayLike, goal: Goal, out: Array, elapsed: float | None,
        active: ArrayLike | None = None, places: ArrayLike | None = None,
    ) -> tuple[Array, bool, int]:
        """The state (nq + nv,), whether it and the goals are finite, and the number of whole steps."""
        robot = self._problem.robot
        require_out(f"{self._what}: out", out, (robot.nv,), np.float64)
        state = [float_copy(f"{self._what}: q and qd", x) for x in (q, qd)]
        shapes, needed = [x.shape for x in state], [(robot.nq,), (robot.nv,)]
        if shapes != needed:
            raise ShapeError(f"{self._what}: q and qd have shapes {shapes}, but one state is needed: {needed}")
        first = not self._filled
        known, steps, start = self._aim(goal), self._steps(elapsed), np.concatenate(state)
        if first or active is not None or places is not None:
            held = [x if y is None else np.array(y) for x, y in zip(self._held, (active, places), strict=True)]
            self._problem._contacts.fill(self._p, (), *held)
            self._held = held
        return start, bool(known and np.isfinite(start).all()), steps

    def _aim(self, goal: Goal) -> bool:
        """Write goals into p; omitted goals stay. If a number is not finite, all goals stay: return False."""
        if not self._filled:
            self._goals.fill(self._p, (), goal, None)
            self._filled, goal = True, None
        found = {name: self._goals.rows(name, x, ()) for name, x in self._goals.by_name(goal).items()}
        known = all(finite for _, finite in found.values())
        for name, (rows, _) in found.items() if known else ():
            self._p[:, self._goals.places[name].goal] = rows
        return known

    def _steps(self, elapsed: float | None) -> int:
        """Number of whole steps, at most all steps; the rest of the time is added to that of the next call."""
        time = self._dt if elapsed is None else number(f"{self._what}: elapsed", elapsed)
        if not 0 <= time < math.inf:
            raise InputError(f"{self._what}: elapsed must be a finite time [s], zero or more, not {elapsed!r}")
        early = 1e-9 * self._dt  # rounding errors can make times too short
        whole, rest = divmod(self.time + time + early, self._dt)
        self.time = rest - early
        return int(min(whole, self._problem.steps))
