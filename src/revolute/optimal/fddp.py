"""Iterations of differential dynamic programming with multiple shooting, row by row. Mastalli et al. 2020 (FDDP)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revolute.optimal.shooting import Array, Shooting

__all__ = ["CONVERGED", "EXHAUSTED", "REASONS", "RUNNING", "STUCK", "UNBOUNDED", "VIOLATED", "Iterations"]

Rows = NDArray[np.bool_]

RUNNING, CONVERGED, EXHAUSTED, STUCK, UNBOUNDED, VIOLATED = range(6)

REASONS = {
    CONVERGED: "converged",
    EXHAUSTED: "the iterations are used up; allow more",
    STUCK: "no step along the search direction lowers the cost, however short; the start may be far from any good plan",
    UNBOUNDED: "states or costs of the first plan are not finite; start from a better plan, or shorten dt",
    VIOLATED: "hard costs do not vanish: no motion may meet them all, or the weight of their first penalty is too small",
}
"""What ended the iterations of a row."""

LEAST, MOST = 1e-9, 1e9
"""Regularization: added to the curvature by the controls."""

SHARES = 2.0 ** -np.arange(10)
"""Lengths of steps that are tried."""

ENOUGH, RISE = 0.1, 2.0
"""A step must lower the cost by this share of what is expected; while gaps close it may rise by that many times it."""

FLAT = 1e-12
"""A slope below this is zero; so is a gap."""


@dataclass(eq=False)
class Iterations:
    """The state of the iterations of some rows.

    Attributes:
        nodes: their arrays, which hold a first plan.
        tolerance: a row has converged once a step would change its cost by less.
        state: (rows) RUNNING, or what ended it.
        count: (rows) iterations.
    """

    nodes: Shooting
    tolerance: float

    def __post_init__(self) -> None:
        self.state = np.zeros(self.nodes.rows, np.int64)
        self.count = np.zeros(self.nodes.rows, np.int64)
        self.start()

    def start(self) -> None:
        """Begin, or begin again, from the plan as it is."""
        nodes = self.nodes
        nodes.mu[:] = LEAST
        nodes.evaluate()
        self.state[:] = np.where(np.isfinite(nodes.cost), RUNNING, UNBOUNDED)
        self._fresh = True

    def run(self, most: int, tell: Callable[[int], None] | None = None) -> None:
        """At most so many iterations; rows that run out of them are `EXHAUSTED`."""
        for k in range(most):
            if not (self.state == RUNNING).any():
                break
            self.iterate()
            if tell is not None:
                tell(k + 1)
        self.state[self.state == RUNNING] = EXHAUSTED

    def iterate(self) -> None:
        """One iteration of all rows that run."""
        nodes, live = self.nodes, self.state == RUNNING
        self.count[live] += 1
        if self._fresh:
            nodes.linearize()
            self._fresh = False
        gaps = nodes.gaps > FLAT
        self._directions(live)
        live &= self.state == RUNNING
        done, share = ~live, np.ones(nodes.rows)
        slope, bend = np.zeros(nodes.rows), np.zeros(nodes.rows)
        for length in SHARES:
            nodes.share[:] = length
            nodes.rollout()
            slope[:] = nodes.expected[0] + nodes.bend
            bend[:] = nodes.expected[1] - 2 * nodes.bend
            taken = ~done & self._good(length, slope, bend)
            if taken.any():
                nodes.accept(taken)
                self._fresh = True
            share[~done] = length
            done |= taken
            if done.all():
                break
        failed = live & ~done
        nodes.mu[live & (share > 0.5)] /= 10
        nodes.mu[live & ((share <= 0.01) | failed)] *= 10
        np.maximum(nodes.mu, LEAST, out=nodes.mu)
        self.state[live & (nodes.mu >= MOST)] = STUCK
        self.state[live & ~failed & ~gaps & (np.abs(slope + 0.5 * bend) < self.tolerance)] = CONVERGED

    def _directions(self, live: Rows) -> None:
        """The policy of all rows, with as much regularization as each needs."""
        nodes = self.nodes
        while True:
            finite = nodes.riccati()
            bad = live & ~((nodes.expected[2] > 0) & np.isfinite(nodes.expected).all(axis=0) & finite)
            if not bad.any():
                return
            nodes.mu[bad] *= 10
            self.state[bad & (nodes.mu > MOST)] = STUCK
            live = live & (self.state == RUNNING)

    def _good(self, length: float, slope: Array, bend: Array) -> Rows:
        """Rows whose step of this length is good enough."""
        nodes = self.nodes
        want = length * (slope + 0.5 * length * bend)
        got = nodes.cost - nodes.tried_cost
        falls = (got > ENOUGH * want) | (np.abs(slope) < FLAT)
        closes = (got > RISE * want) | (slope < FLAT)
        good: Rows = np.where(want >= 0, falls, closes) & np.isfinite(nodes.tried_cost)
        return good
