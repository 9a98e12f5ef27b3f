"""Search for the best curve within limits: sequential quadratic programming (Kraft 1988), with exact derivatives.

Limits are sampled for the search, and checked at ten times more samples. Instants beyond a limit are added to the
samples, and the search continues; if that is not enough, the limit is tightened by the excess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from revolute.errors import extra
from revolute.identification.excitation.curves import Basis, Curves
from revolute.identification.excitation.limits import Limit
from revolute.identification.excitation.problem import FINER, INFORMATION, PER_WAVE, Problem
from revolute.identification.samples import Array

__all__ = ["SearchResult", "search"]

MARGIN, PASSED = 2e-3, 1e-3
"""Margin of the search to a limit, as a fraction of its range, for values between samples; and tolerated excess."""
FAR = 1.0
"""Distance beyond which the search ignores the ends of limits, relative to their sizes."""
MOST, REPAIR = 200, 20
"""Maximum number of iterations of a first search; and minimum of one that follows because a limit was exceeded."""
ROUNDS, PEAKS_ALONE, MOST_MARGIN = 8, 2, 0.3
"""Maximum number of searches from a start; number of these that tighten no limit; and the largest margin."""
ENOUGH = 1e-5
"""Change of the criterion at which a search ends: of the mean log variance of parameters, or of the log condition."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The curve x of a search, its criterion and largest excess (not positive if all limits hold), and the effort."""

    x: Array
    value: float
    excess: float
    iterations: int
    evaluations: int


def search(problem: Problem, start: Array) -> SearchResult:
    """The best curve near a start (nv m,), which may be beyond the limits."""
    with extra("the search of an exciting trajectory needs SciPy", "scipy"):
        from scipy.optimize import minimize
    basis, fine = (problem.curves.basis(problem.instants(n)) for n in (INFORMATION, FINER * PER_WAVE))
    watches = _watches(problem, start, fine)
    x, value, worst, steps, calls = start, np.inf, np.inf, 0, 0
    most = problem.curves.largest
    for k in range(ROUNDS):
        rows = _SearchConstraints(problem.curves, watches)
        best = _Best(problem, basis, rows, x)
        found = minimize(
            best.objective,
            x,
            jac=True,
            method="SLSQP",
            bounds=list(zip(-most, most, strict=True)),
            constraints={"type": "ineq", "fun": rows.values, "jac": rows.slopes},
            callback=best.look,
            options={"maxiter": max(MOST - steps, REPAIR) if k else MOST, "ftol": ENOUGH},
        )
        steps, calls = steps + int(found.nit), calls + int(found.nfev)
        x, value = best.x, best.value
        excesses = problem.excesses(x, fine)
        worst = max(float(excess.max(initial=-np.inf)) for excess in excesses)
        if worst <= 0:
            break
        t = problem.instants(FINER * PER_WAVE)
        watches = [watch.closer(t, excess, k >= PEAKS_ALONE) for watch, excess in zip(watches, excesses, strict=True)]
    return SearchResult(x, value, worst, steps, calls)


class _Best:
    """The best of all iterates: steps are poor where the quadratic model is inaccurate."""

    def __init__(self, problem: Problem, basis: Basis, rows: _SearchConstraints, start: Array) -> None:
        self._problem, self._basis, self._rows = problem, basis, rows
        self._known: dict[bytes, float] = {}
        self.x, self.value, self._passed = start, np.inf, np.inf
        self.objective(start)
        self.look(start)

    def objective(self, x: Array) -> tuple[float, Array]:
        """The criterion and its gradient."""
        value, gradient = self._problem.objective(x, self._basis)
        self._known[x.tobytes()] = value
        return value, gradient

    def look(self, x: Array) -> None:
        """Store an iterate if it is better, or if it is within limits and the best is not."""
        value = self._known.get(x.tobytes(), np.inf)
        value = value if np.isfinite(value) else np.inf
        passed = max(0.0, -float(self._rows.values(x).min(initial=0.0)))
        passed = 0.0 if passed < PASSED else passed
        if (passed, value) < (self._passed, self.value):
            self.x, self.value, self._passed = x.copy(), value, passed


@dataclass(frozen=True, eq=False)
class _Watch:
    """A limit: its instants t (T,), its ends in the search (2, r), and its margins (r,) as fractions of its size."""

    limit: Limit
    t: Array
    seen: Array
    margin: Array

    def closer(self, t: Array, excess: Array, draw_in: bool) -> _Watch:
        """With the peaks beyond the limit, of (T, 2, r) excesses at (T,) times; `draw_in` widens the margins."""
        worst = excess.max(axis=1)
        if worst.max(initial=-np.inf) <= 0:
            return self
        before, after = np.roll(worst, 1, axis=0), np.roll(worst, -1, axis=0)
        peaks = ((worst > 0) & (worst >= before) & (worst >= after)).any(axis=1)
        margin = np.minimum(self.margin + draw_in * np.maximum(worst.max(axis=0), 0), MOST_MARGIN)
        seen = self.seen | (excess.max(axis=0) > -FAR)
        return replace(self, t=np.union1d(self.t, t[peaks]), seen=seen, margin=margin)


def _watches(problem: Problem, start: Array, fine: Basis) -> list[_Watch]:
    """Limits at equal steps, without ends far from a start: most of those never bind."""
    t = problem.instants(PER_WAVE)
    return [
        _Watch(limit, t, excess.max(axis=0) > -FAR, np.full(len(limit.names), MARGIN))
        for limit, excess in zip(problem.limits, problem.excesses(start, fine), strict=True)
    ]


class _SearchConstraints:
    """Constraints of the search: distances to limits as fractions of their sizes, positive where limits hold."""

    def __init__(self, curves: Curves, watches: Sequence[_Watch]) -> None:
        self._curves = curves
        self._watches = [(watch, curves.basis(watch.t)) for watch in watches]

    def values(self, x: Array) -> Array:
        rows = []
        for watch, basis in self._watches:
            limit, values = watch.limit, watch.limit.values(*self._curves.motion(x, basis))
            for end, sign, seen in zip((limit.lower, limit.upper), (1, -1), watch.seen, strict=True):
                inside = sign * (values[:, seen] - end[seen]) / limit.size[seen] - watch.margin[seen]
                rows.append(inside.ravel())
        return np.concatenate(rows)

    def slopes(self, x: Array) -> Array:
        rows = []
        for watch, basis in self._watches:
            limit, motion = watch.limit, self._curves.motion(x, basis)
            J = self._curves.jacobian(basis, limit.slopes(*motion)) / limit.size[:, None]
            rows += [sign * J[:, seen].reshape(-1, J.shape[-1]) for sign, seen in zip((1, -1), watch.seen, strict=True)]
        return np.concatenate(rows)
