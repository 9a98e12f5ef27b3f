"""Iterations of differential dynamic programming with multiple shooting, row by row. Mastalli et al. 2020 (FDDP).

All rows pass through the nodes together, in machine code; each row proceeds independently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from revolute.errors import InputError
from revolute.optimal.shooting import Shooting

__all__ = [
    "CONVERGED", "EXHAUSTED", "REASONS", "RUNNING", "STUCK", "UNBOUNDED", "VIOLATED", "PlanIterations", "ProblemRow",
]  # fmt: skip

RUNNING, CONVERGED, EXHAUSTED, STUCK, UNBOUNDED, VIOLATED = range(6)

REASONS = {
    RUNNING: "not yet converged",
    CONVERGED: "converged",
    EXHAUSTED: "the iterations are used up; allow more",
    STUCK: "no step along the search direction lowers the cost, however short; the start may be far from any good plan",
    UNBOUNDED: "states or costs of the first plan are not finite, or immense; start from a better plan, or shorten dt",
    VIOLATED: "hard costs do not vanish: no motion meets them all, or the weight of their first penalty is too small",
}
"""Reasons for the end of a row's iterations."""

LEAST, MOST = 1e-9, 1e9
"""Regularization, if any: added to the curvature with respect to the controls."""

NO_CURVATURE = 1e-15
"""Curvature with respect to a control below this counts as zero."""

SHARES = tuple(2.0**-k for k in range(10))
"""Step lengths that are tried."""

FREE = 2
"""The first policies ignore bounds of forces; only their rollouts apply them, which shows the forces at bounds."""

ENOUGH, RISE = 0.1, 2.0
"""A step must lower the cost by this fraction of the expected change; while gaps close it may rise by this multiple."""

LARGEST = 1e60
"""Costs and gaps of a first plan above this would overflow."""

FLAT = 1e-12
"""A slope below this is zero; so is a gap."""


@dataclass(slots=True)
class ProblemRow:
    """Progress of one problem.

    Attributes:
        place: index of its row in the arrays.
        state: RUNNING, or the reason for its end.
        count: iterations so far.
        left: remaining iterations with these multipliers.
        mu: its regularization.
        cost, gap: of its plan: the largest gap between nodes.
    """

    place: int
    state: int = RUNNING
    count: int = 0
    left: int = 0
    mu: float = 0.0
    cost: float = math.inf
    gap: float = math.inf


class PlanIterations:
    """Iterations of all rows of some arrays.

    Attributes:
        nodes: the arrays, with a plan in each running row.
        tolerance: a row has converged once the expected change of its cost is below this.
        rows: progress of the rows.
    """

    def __init__(self, nodes: Shooting, tolerance: float) -> None:
        self.nodes, self.tolerance = nodes, tolerance
        self.rows = [ProblemRow(k, EXHAUSTED) for k in range(nodes.rows)]
        self._fresh = True

    def start(self, rows: Sequence[ProblemRow], iterations: int) -> None:
        """Start, or restart, from the plans in these rows of the arrays."""
        costs, gaps = self.nodes.evaluate([row.place for row in rows])
        for row in rows:
            row.cost, row.gap = costs[row.place], gaps[row.place]
            row.left, row.mu = iterations, 0.0
            row.state = RUNNING if row.cost < LARGEST and row.gap < LARGEST else UNBOUNDED
        self._fresh = True

    def iterate(self) -> None:
        """One iteration of all running rows."""
        nodes = self.nodes
        if self._fresh:
            nodes.linearize()
            self._fresh = False
        changes = self._directions([row for row in self.rows if row.state == RUNNING])
        waiting = [row for row in self.rows if row.state == RUNNING]
        for share in SHARES:
            tried = nodes.rollout(share)
            taken = [row for row in waiting if self._take(row, share, changes[row.place], tried[row.place])]
            if taken:
                nodes.accept([row.place for row in taken])
                self._fresh = True
            waiting = [row for row in waiting if row not in taken]
            if not waiting:
                break
        for row in self.rows:
            if row.state == RUNNING:
                row.count, row.left = row.count + 1, row.left - 1
                if row in waiting:
                    row.mu = more(row.mu)
                if row.mu >= MOST:
                    row.state = STUCK
                elif row.left <= 0:
                    row.state = EXHAUSTED

    def _directions(self, rows: list[ProblemRow]) -> list[list[float]]:
        """Compute the policies of all rows, with sufficient regularization; return expected slopes and curvatures."""
        while True:
            idle = 1.0  # whatever an idle row holds has a finite policy
            mu = [row.mu if row.state == RUNNING else idle for row in self.rows]
            finite, changes = self.nodes.riccati(mu, [row.count < FREE for row in self.rows])
            bad = [row for row in rows if not (finite and changes[row.place][2] > NO_CURVATURE)]
            if not bad:
                return changes
            if all(row.count == 0 and row.mu == 0 for row in bad):  # Hessians of costs have no negative eigenvalues
                raise InputError(
                    "solve: the costs have no curvature along some forces, so no plan is the best; add "
                    "EffortCost(1e-6), or the like, to the costs of the nodes"
                )
            for row in bad:
                row.mu = more(row.mu)
                if row.mu >= MOST:
                    row.state = STUCK
            rows = [row for row in rows if row.state == RUNNING]

    def _take(self, row: ProblemRow, share: float, change: Sequence[float], tried: Sequence[float]) -> bool:
        """Whether a step of this length is accepted; the row then moves there, or has converged."""
        cost, way, lost, gap = tried
        slope, bend = change[0] + way, change[1] - 2 * way
        want, got = share * (slope + 0.5 * share * bend), row.cost - cost
        good = got > ENOUGH * want or abs(slope) < FLAT if want >= 0 else got > RISE * want
        if lost or not good:
            return False
        closed = row.gap <= FLAT
        row.cost, row.gap = cost, gap
        row.mu = less(row.mu) if share > 0.5 else more(row.mu) if share <= 0.01 else row.mu
        if closed and abs(slope + 0.5 * bend) < self.tolerance:
            row.state = CONVERGED
            row.count += 1
        return True


def more(mu: float) -> float:
    """The next regularization."""
    return max(10 * mu, LEAST)


def less(mu: float) -> float:
    """The previous regularization; zero below the smallest."""
    return mu / 10 if mu > LEAST else 0.0
