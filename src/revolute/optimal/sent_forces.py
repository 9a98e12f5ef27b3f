"""Actuators with a delay: forces on their way, and the state at which the next ones will act."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from revolute.optimal.shooting import Array

if TYPE_CHECKING:
    from revolute.optimal.problem import OptimalControl


class SentForces:
    """Forces that act after a delay, and the state at which the next ones will act.

    Forces sent at a time s act from s + delay until the next ones act. Those before the first call hold the robot at
    rest. The state is predicted by Runge-Kutta steps, none longer than the first step of the problem.
    """

    def __init__(self, problem: OptimalControl, delay: float, bounds: Array) -> None:
        self._problem, self._delay, self._bounds, self._dt = problem, delay, bounds, float(problem._dt[0])
        self._step, self._h = problem.robot.kernel("runge_kutta_4_step"), np.zeros(())
        self._now, self._sent = 0.0, deque[tuple[float, Array]]()

    def clear(self) -> None:
        """Forget all forces."""
        self._sent.clear()

    def predict(self, q: Array, qd: Array, elapsed: float) -> None:
        """Advance a state in place, from `elapsed` after the last call, by the delay."""
        self._now += elapsed
        sent, end = self._sent, self._now + self._delay
        if not sent or sent[-1][0] < 0:  # no call has sent forces: an earlier one had no finite state
            sent.clear()
            rest, holding, at = np.zeros_like(qd), np.zeros_like(qd), self._problem._motors
            holding[at] = np.clip(self._problem.robot.inverse_dynamics(q, rest, rest)[at], *self._bounds)
            sent.append((-math.inf, holding))
        while len(sent) > 1 and sent[1][0] + self._delay <= self._now:
            sent.popleft()
        ends = [*(time + self._delay for time, _ in list(sent)[1:]), end]
        before = self._now
        for (_, tau), after in zip(sent, ends, strict=True):
            count = math.ceil((after - before) / self._dt - 1e-9)
            for _ in range(count):
                self._h[...] = (after - before) / count
                q[:], qd[:] = self._step(q, qd, tau, self._h)
            before = after if count else before

    def add(self, tau: Array) -> None:
        """Note the forces of this call; they replace those of an earlier call at the same time."""
        if self._sent[-1][0] == self._now:
            self._sent.pop()
        self._sent.append((self._now, tau.copy()))
