"""Iterations of differential dynamic programming with multiple shooting, row by row. Mastalli et al. 2020 (FDDP).

All rows pass through the nodes together, in machine code; each row proceeds independently.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from revolute.optimal.shooting import Shooting
from revolute.spatial.scalar import Scalar

RUNNING, CONVERGED, EXHAUSTED, STUCK, VIOLATED, UNBOUNDED, SINGULAR, UNDEFINED = range(8)

REASONS = {
    RUNNING: "not yet converged",
    CONVERGED: "converged",
    EXHAUSTED: "the iteration limit was reached; allow more iterations",
    STUCK: "no step along the search direction lowers the cost; the initial plan may be far from any good one",
    VIOLATED: "hard costs do not vanish: no motion satisfies them all, or the initial penalty weight is too small",
    UNBOUNDED: "states or costs of the first plan are not finite, or too large; use a better plan, or shorten dt",
    SINGULAR: "the costs have no curvature along some forces, so there is no unique optimum; add a cost such as "
    "TorqueCost(1e-6) to the nodes",
    UNDEFINED: "a derivative of costs or steps is not finite at a node, such as that of sqrt(x) at x = 0; change the "
    "cost, or start from another plan",
}
"""Messages for the termination reasons."""

LEAST, MOST = 1e-9, 1e9
"""Smallest and largest nonzero regularization of the Hessian by controls, relative to its largest entry."""

SHARES = tuple(2.0**-k for k in range(10))
"""Step lengths of the line search, relative to a full step."""

FREE = 2
"""Number of first iterations whose policies ignore force bounds; their rollouts show which bounds are active."""

ENOUGH, RISE = 0.1, 2.0
"""Required fraction of the expected cost decrease, and allowed multiple of an expected increase while gaps close."""

LARGEST = 1e60
"""Maximum cost and gap of an initial plan; larger values would overflow."""

TOLERANCE = 1e-9
"""Tolerance of predictive control: see `OptimalControl.solve`."""

CLOSED = 1e-12
"""Gap below which gaps count as closed."""


@dataclass(slots=True)
class ProblemRow:
    """Progress of one problem in a row of the arrays: RUNNING, or the termination reason.

    `count` iterations are done, and `left` more are allowed with these multipliers; `mu` is the regularization, `scale`
    the largest entry of the Hessian by controls, and `reached` the cost when `mu` was last set to zero.
    """

    place: int
    state: int = RUNNING
    count: int = 0
    left: int = 0
    mu: float = 0.0
    scale: float = 1.0
    cost: float = math.inf
    gap: float = math.inf
    reached: float = math.inf


class PlanIterations:
    """Iterations of all rows of some arrays, until the expected change of a row's cost is below a tolerance."""

    def __init__(self, nodes: Shooting, tolerance: float) -> None:
        self.nodes, self.tolerance = nodes, tolerance
        self.rows = [ProblemRow(k, EXHAUSTED) for k in range(nodes.rows)]
        self._fresh = True

    def start(self, rows: Sequence[ProblemRow], iterations: int) -> None:
        """Start, or restart, from the plans in these rows of the arrays."""
        costs, gaps = self.nodes.evaluate([row.place for row in rows])
        for row in rows:
            row.cost, row.gap = costs[row.place], gaps[row.place]
            row.left, row.mu, row.reached = iterations, 0.0, math.inf
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
        idle = 1.0  # a regularization for which inactive rows stay finite
        mu = [row.mu * row.scale if row.state == RUNNING else idle for row in self.rows]
        while True:
            changes = self.nodes.riccati(mu, [row.count < FREE for row in self.rows])
            for row in rows:
                row.scale = -changes[row.place][3] or row.scale
            bad = [row for row in rows if not changes[row.place][2] > 0]
            if not bad:
                return changes
            for row in bad:
                first, row.mu = row.count == 0 and row.mu == 0, more(row.mu)
                if not self.nodes.differentiable(row.place):
                    row.state = UNDEFINED
                elif first or row.mu >= MOST:  # Hessians of costs are positive semidefinite
                    row.state = SINGULAR
                mu[row.place] = row.mu * row.scale if row.state == RUNNING else idle
            rows = [row for row in rows if row.state == RUNNING]

    def _take(self, row: ProblemRow, share: float, change: Sequence[float], tried: Sequence[float]) -> bool:
        """Whether a step of this length is accepted. If so, the row takes the step, or has converged."""
        cost, way, lost, gap = tried
        slope, bend = change[0] + way, change[1] - 2 * way
        want, got = share * (slope + 0.5 * share * bend), row.cost - cost
        error = rounding(row.cost, self.tolerance)
        if lost or not got > (ENOUGH if want >= 0 else RISE) * want - error:
            return False
        ended = row.gap <= CLOSED and abs(slope + 0.5 * bend) < self.tolerance + error
        row.cost, row.gap = cost, gap
        if ended and (row.mu == 0 or row.reached - cost < self.tolerance + error):
            row.state = CONVERGED
            row.count += 1
        elif ended:  # regularization makes steps small: try again without it
            row.mu, row.reached = 0.0, cost
        elif share > 0.5:
            row.mu = row.mu / 10 if row.mu > LEAST else 0.0
        elif share <= 0.01:
            row.mu = more(row.mu)
        return True


def rounding(cost: Scalar, tolerance: float) -> Scalar:
    """Change of a cost that counts as a rounding error, which can hide a decrease."""
    return 1e-14 * cost + 1e-3 * tolerance


def more(mu: float) -> float:
    """The next larger regularization."""
    return max(10 * mu, LEAST)
