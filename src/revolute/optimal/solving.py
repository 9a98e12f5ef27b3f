"""Solve many problems, several at a time: a finished row of the arrays gets the next problem.

Hard costs are solved by an augmented Lagrangian around the iterations. Hestenes 1969; Rockafellar 1973. A hard error e
with the weight w adds w |e + s|^2 / 2, where s = multiplier / w: see `within`. After each run of the iterations, the
residual e + s becomes the next shift s.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any

import numpy as np

from revolute.dynamics.optimal.holding import axes_of
from revolute.optimal.costs.cost import Cost
from revolute.optimal.fddp import CONVERGED, EXHAUSTED, RUNNING, STUCK, UNBOUNDED, VACANT, VIOLATED
from revolute.optimal.free_time import Durations
from revolute.optimal.iterations_log import Iteration
from revolute.optimal.kernels.setting import ParameterPlace, Setting
from revolute.optimal.shooting import Array, Shooting
from revolute.simulate.progress import Progress

ROUNDS = 30  # maximum number of updates of the Lagrange multipliers

FALLS, GROWS, MOST = 0.25, 10.0, 1e8
"""Fraction to which the maximum error must fall; else weights grow by the factor GROWS, up to the multiple MOST."""

Problems = dict[int, "tuple[int, Multipliers | None, Durations | None]"]
"""The problem in each busy row of the arrays: its index, the multipliers of its hard costs, its free durations."""


class Queue:
    """Waiting problems, and the parts of the `plans` of finished ones; several threads may process the queue.

    Once `stopped` is set, each thread ends after its current iterations. The second axis of the initial plans x and
    tau, and of the parameters p, is the index of the problem. `stop` contains the number of iterations for each set of
    multipliers, the tolerance and the largest hard error. The progress bar shows the number of finished problems, or
    the iterations of a single problem. With a callback, which is called after each iteration of a problem, `logs` lists
    the iterations of all problems.
    """

    def __init__(
        self, setting: Setting, x: Array, tau: Array, p: Array, stop: Sequence[Any], bar: Progress,
        h: Array, callback: Callable[[Iteration], object] | None = None, free: tuple[list[slice], Array] | None = None,
    ) -> None:
        self._setting, self._x, self._tau, self._p, self._bar = setting, x, tau, p, bar
        self._iterations, self._tolerance, self._violation = stop
        self._h, self._free = h, free
        self._done, self.stopped, self._callback = 0, Event(), callback
        self._most = None if callback is None else 1
        self._waiting = deque(range(x.shape[1]))
        self.plans: list[dict[str, Any]] = [{}] * x.shape[1]
        self.logs: list[list[Iteration]] = [[] for _ in self.plans]

    def work(self, nodes: Shooting) -> None:
        """Solve problems in these arrays until none is waiting."""
        problems: Problems = {}
        states, counts = nodes.fields["state"], nodes.fields["count"]
        states[:] = VACANT
        while not self.stopped.is_set() and self._fill(nodes, problems):
            for row in [row for row in problems if states[row] != RUNNING]:
                k, multipliers, durations = problems[row]
                later = durations is not None and durations.again()
                if not later and multipliers and multipliers.again(row):
                    later = True
                    if durations:
                        durations.renew()
                if later:
                    nodes.start([row], self._iterations, self._tolerance)
                    continue
                nodes.policy()
                self.plans[k] = plan_parts(nodes, row)
                if durations:
                    durations.add_to(self.plans[k])
                    nodes.h[:-1, row, 0] = self._h
                if nodes.rows > 1 or states[row] >= UNBOUNDED:
                    nodes.rest(row)
                states[row] = VACANT
                del problems[row]
                self._done += 1
            self._bar.at(self._done if len(self.plans) > 1 else int(counts[0]))
            nodes.iterate(self._most)
            if self._callback is not None:
                self._record(nodes, problems, self._callback)

    def _record(self, nodes: Shooting, problems: Problems, callback: Callable[[Iteration], object]) -> None:
        """Record the last iteration of each row that has had a new one."""
        for row, (k, multipliers, _) in problems.items():
            if nodes.fields["count"][row] > len(self.logs[k]):
                self.logs[k].append(Iteration.of(nodes, row, k, multipliers.rounds if multipliers else 0))
                callback(self.logs[k][-1])

    def _fill(self, nodes: Shooting, problems: Problems) -> bool:
        """Assign the next problems to finished rows; return whether any remain."""
        new = []
        for row in range(nodes.rows):
            if row in problems:
                continue
            try:
                k = self._waiting.popleft()
            except IndexError:
                break
            nodes.x[:, row], nodes.tau[:-1, row] = self._x[:, k], self._tau[:, k]
            nodes.p[:, row] = self._p[:, k]
            multipliers = Multipliers(nodes, self._violation) if self._setting.hard else None
            durations = Durations(nodes, row, self._free[0], self._free[1][k], self._tolerance) if self._free else None
            problems[row] = k, multipliers, durations
            nodes.fields["count"][row] = 0
            new.append(row)
        if new:
            nodes.start(new, self._iterations, self._tolerance)
        return bool(problems)


def plan_parts(nodes: Shooting, k: int) -> dict[str, Any]:
    """The arrays of the plan of a row, after `policy`."""
    setting = nodes.setting
    state, count, gap = (float(nodes.fields[name][k]) for name in ("state", "count", "gap"))
    gains = nodes.K[:-1, k].copy()
    if setting.motors is not None:
        gains = np.zeros((nodes.nodes, nodes.tau.shape[-1], setting.sizes[1]))
        gains[:, setting.motors] = nodes.K[:-1, k]
    if state >= UNBOUNDED:  # there is no policy
        gains[:] = np.nan
    nodes.evaluate_costs()
    (_, _, n, _), contacts = setting.sizes, setting.dynamics.contacts
    last = n + 3 * len(contacts)
    arrays = {"x": nodes.x, "tau": nodes.tau[:-1], "qdd": nodes.qdd[:-1, :, :n], "costs": nodes.parts["costs"]}
    if contacts:
        forces = nodes.qdd[:-1, :, n:last].reshape(nodes.nodes, nodes.rows, len(contacts), 3)
        arrays["contact_forces"] = np.einsum("...ka,kax->...kx", forces, np.array([*map(axes_of, contacts)], float))
    if setting.dynamics.closures:
        arrays["multipliers"] = nodes.qdd[:-1, :, last:]
    parts: dict[str, Any] = {name: x[:, k].copy() for name, x in arrays.items()}
    if setting.hard:
        parts["errors"] = np.array([*hard_errors(nodes, k).values()])
        parts["costs"][:, [cost.hard for cost in setting.costs]] = 0  # they have the terms of multipliers
    cost = np.add.accumulate(np.add.reduce(parts["costs"], -1))[-1]
    return parts | {"gains": gains, "cost": cost, "state": int(state), "iterations": int(count), "gap": gap}


class Multipliers:
    """The multipliers of the hard costs of one row, and the largest permitted error; `rounds` counts their updates."""

    def __init__(self, nodes: Shooting, violation: float) -> None:
        self._nodes, self._violation = nodes, violation
        self._before, self._scale, self.rounds = math.inf, 1.0, 0

    def again(self, k: int) -> bool:
        """Whether a finished row must continue with new multipliers; if errors remain at the end, mark the row."""
        nodes, states = self._nodes, self._nodes.fields["state"]
        if states[k] not in (CONVERGED, EXHAUSTED, STUCK):
            return False
        nodes.evaluate([k])
        worst = max(hard_errors(nodes, k).values())
        if worst <= self._violation:
            return False
        self.rounds += 1
        if self.rounds > ROUNDS:
            if states[k] != EXHAUSTED or worst > FALLS * self._before:
                states[k] = VIOLATED
            return False
        grow = GROWS if worst > FALLS * self._before and self._scale < MOST else 1.0
        self._scale, self._before = self._scale * grow, worst
        for _, place, at in hard_costs(nodes):
            nodes.p[:, k, place.shift] = nodes.parts["shifted"][:, k, at] / grow
            nodes.p[:, k, place.weight] *= grow
        return True


def hard_costs(nodes: Shooting) -> Iterator[tuple[Cost, ParameterPlace, slice]]:
    """Each hard cost, its parameters, and its indices among all hard errors."""
    setting, at = nodes.setting, 0
    for cost, place, n in zip(setting.costs, setting.places, setting.counts, strict=True):
        if cost.hard:
            yield cost, place, slice(at, at + n)
            at += n


def hard_errors(nodes: Shooting, row: int) -> dict[str, float]:
    """Largest error of each hard cost at nodes where it has a weight; costs of forces alone count at the first node."""
    weighted = nodes.p[:, row] > 0
    return {
        cost.called(): float(np.abs(errors[first:] * weighted[first:, place.weight]).max())
        for cost, place, at in hard_costs(nodes)
        for first, errors in [(0 if cost.of_forces else 1, nodes.parts["errors"][:, row, at])]
    }
