"""Actuators with a delay: forces that do not act yet, and the state at which the next forces will act."""

from __future__ import annotations

import math
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from revolute.compiler.kernel import Kernel
from revolute.optimal.first_plan import holding_forces
from revolute.optimal.kernels.setting import Setting
from revolute.optimal.shooting import Array
from revolute.spatial.scalar import Scalars

if TYPE_CHECKING:
    from revolute.optimal.problem import OptimalControl


class SentForces:
    """Forces that act after a delay, and the state at which the next forces will act.

    Forces sent at a time s act from s + delay until the next ones act. Before the forces of the first call act, the
    robot is held at rest. The state is predicted by Runge-Kutta steps, none longer than the first step of the problem;
    with contacts or loops, by steps of the problem, with the contacts of the first step of the plan to which the forces
    belong. Before the first call, a robot with contacts keeps its velocity.
    """

    def __init__(self, problem: OptimalControl, delay: float, bounds: Array) -> None:
        self._problem, self._delay, self._bounds, self._dt = problem, delay, bounds, float(problem._dt[0])
        self._held = problem._setting.dynamics.holds
        self._step = contact_step(problem._setting) if self._held else problem.robot.kernel("runge_kutta_4_step")
        self._h, self._now, self._sent = np.zeros(()), 0.0, deque[tuple[float, Array, Array | None]]()

    def clear(self) -> None:
        """Discard all forces."""
        self._sent.clear()

    def predict(self, q: Array, qd: Array, elapsed: float) -> None:
        """Advance a state, which was measured `elapsed` after the last call, by the delay, in place."""
        self._now += elapsed
        sent, end = self._sent, self._now + self._delay
        if not sent or sent[-1][0] < 0:  # no call has sent forces: an earlier one had no finite state
            sent.clear()
            holding, at = np.zeros_like(qd), self._problem._motors
            holding[at] = np.clip(holding_forces(self._problem, q)[at], *self._bounds)
            sent.append((-math.inf, holding, None))
        while len(sent) > 1 and sent[1][0] + self._delay <= self._now:
            sent.popleft()
        ends = [*(time + self._delay for time, *_ in list(sent)[1:]), end]
        before = self._now
        for (_, tau, p), after in zip(sent, ends, strict=True):
            count = math.ceil((after - before) / self._dt - 1e-9)
            for _ in range(count):
                self._h[...] = (after - before) / count
                self._advance(q, qd, tau, p)
            before = after if count else before

    def add(self, tau: Array, p: Array) -> None:
        """Store the forces of this call, and parameters p of the first node. An earlier entry with the same time is
        replaced."""
        if self._sent[-1][0] == self._now:
            self._sent.pop()
        self._sent.append((self._now, tau.copy(), p.copy() if self._held else None))

    def _advance(self, q: Array, qd: Array, tau: Array, p: Array | None) -> None:
        """Advance a state in place by one step of length h."""
        if not self._held:
            q[:], qd[:] = self._step(q, qd, tau, self._h)
        elif p is None and self._problem.contacts:
            q[:] = self._problem._tree.integrate(q, self._h * qd)
        else:
            p = np.zeros(self._problem._setting.parameters) if p is None else p.copy()
            self._problem._setting.stretch(p, float(self._h) / self._dt)
            q[:], qd[:] = self._step(q, qd, tau, p, self._h)


def contact_step(setting: Setting) -> Kernel:
    """q and qd after a step of length h, with the contacts of a node with parameters p."""
    (_, _, n, _), nq = setting.sizes, setting.dynamics.space.nq

    def body(q: Scalars, qd: Scalars, tau: Scalars, p: Scalars, h: Scalars) -> list[Scalars]:
        x = [*q, *qd]
        after = setting.dynamics.step(x, tau, setting.accelerations(x, tau, p, h[0]), h[0])
        return [after[:nq], after[nq : nq + n]]

    inputs = {"q": (nq,), "qd": (n,), "tau": (n,), "p": (setting.parameters,), "h": ()}
    again = partial(contact_step, setting)
    return setting.kernel("contact_step", inputs, {"after": (nq,), "rates": (n,)}, body, again)
