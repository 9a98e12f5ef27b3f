"""Search for the best curve within limits: sequential quadratic programming (Kraft 1988), with exact derivatives.

Limits are sampled for the search, and checked at ten times as many samples. Times at which a limit is exceeded are
added to the samples, and the search continues; if that is not enough, the limit is tightened by the excess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from revolute.errors import InputError
from revolute.identification.excitation.curves import Basis, Curves
from revolute.identification.excitation.limits import Limit
from revolute.identification.excitation.problem import FINER, INFORMATION, PER_WAVE, Problem
from revolute.identification.samples import Array, scipy

CENTERS, DRAWS, SHRINKS, SHRINK = 2000, 20, 12, 0.75
"""Numbers of random centre configurations, of random curves per start, and of size reductions; reduction factor."""


def starts(problem: Problem, count: int, rng: np.random.Generator) -> list[Array]:
    """The best `count` of many random curves, best first."""
    centers = candidates(problem, rng)
    basis = problem.curves.basis(problem.instants(INFORMATION))
    drawn = [random_curve(problem, centers, rng) for _ in range(DRAWS * count)]
    regressors = (problem.information.regressor(*problem.curves.motion(x, basis)) for x in drawn)
    values = [problem.criterion(problem.information.matrix(Y))[0] for Y in regressors]
    return [drawn[k] for k in np.argsort(values, kind="stable")[:count]]


def random_curve(problem: Problem, centers: Array, rng: np.random.Generator) -> Array:
    """A random curve x (nv m,) about one of the centres, scaled to joint limits, then reduced towards the others."""
    curves = problem.curves
    basis = curves.basis(problem.instants(2 * PER_WAVE))
    x = rng.standard_normal(curves.shape)
    x[:, 0] = centers[rng.integers(len(centers))] / curves.reach
    q, qd, qdd = curves.motion(x, basis)
    middle = x[:, 0] * curves.reach
    room = np.full(len(x), np.inf)
    for limit, values, offset in zip(problem.limits, (q - middle, qd, qdd), (middle, 0, 0), strict=False):
        room = np.minimum(room, (limit.upper - offset) / values.max(axis=0))
        room = np.minimum(room, (limit.lower - offset) / values.min(axis=0))
    x[:, 1:] *= (np.where(np.isfinite(room), room, 1.0) * rng.uniform(0.6, 1.0))[:, None]
    for _ in range(SHRINKS):
        if max(excess.max(initial=-np.inf) for excess in problem.excesses(x, basis)) <= 0:
            break
        x[:, 1:] *= SHRINK
    return x.ravel()


def candidates(problem: Problem, rng: np.random.Generator) -> Array:
    """(k, nv) configurations at rest within all limits, away from joint limits."""
    lower, upper = problem.limits[0].lower, problem.limits[0].upper
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * np.pi, -np.pi))
    high = np.where(np.isfinite(upper), upper, low + 2 * np.pi)
    q = low + (high - low) * rng.uniform(0.1, 0.9, (CENTERS, len(low)))
    still = np.zeros_like(q)
    excesses = np.hstack([limit.excess((q, still, still)).max(axis=1, initial=-np.inf) for limit in problem.limits])
    worst: Array = excesses.max(axis=1)
    inside = worst <= 0
    if not inside.any():
        names = [name for limit in problem.limits for name in limit.names]
        name = names[np.bincount(excesses.argmax(axis=1)).argmax()]
        raise InputError(
            f"excite: none of {CENTERS} random configurations at rest is within the limits; the limit exceeded most "
            f"often is that of {name}: widen it"
        )
    return q[inside][np.argsort(worst[inside], kind="stable")[: max(1, int(inside.sum()) // 2)]]


MARGIN, PASSED = 2e-3, 1e-3
"""Margin to a limit, as a fraction of its range, for the motion between samples; and tolerated excess of a limit."""
FAR = 1.0  # distance from a limit, as a fraction of the limit, beyond which the search ignores the limit
MOST, REPAIR = 200, 20
"""Maximum number of iterations of the first search; and minimum value of the maximum number for each later search."""
ROUNDS, PEAKS_ALONE, MOST_MARGIN = 8, 2, 0.3
"""Maximum number of searches per start; number of first searches that do not tighten limits; and maximum margin."""
ENOUGH = 1e-5
"""Change of the criterion, a mean log variance of parameters or a log condition number, at which a search ends."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The curve x of a search, its criterion, its largest excess (positive beyond limits), and numbers of steps."""

    x: Array
    value: float
    excess: float
    iterations: int
    evaluations: int


def search(problem: Problem, start: Array) -> SearchResult:
    """The best curve that a search from a start (nv m,) finds; its `excess` is positive if it violates limits."""
    basis, fine = (problem.curves.basis(problem.instants(n)) for n in (INFORMATION, FINER * PER_WAVE))
    watches = _watches(problem, start, fine)
    x, value, worst, steps, calls = start, np.inf, np.inf, 0, 0
    most = problem.curves.largest
    for k in range(ROUNDS):
        rows = _SearchConstraints(problem.curves, watches)
        best = _Best(problem, basis, rows, x)
        found = scipy().optimize.minimize(
            best.objective, x, jac=True, method="SLSQP", bounds=list(zip(-most, most, strict=True)),
            constraints={"type": "ineq", "fun": rows.values, "jac": rows.slopes}, callback=best.look,
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
    """The best iterate of a search. The last may be worse, as the quadratic model of a step may be inaccurate."""

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
    """A limit in the search: sample times t (T,), which of its ends are used (2, r), and relative margins (r,)."""

    limit: Limit
    t: Array
    seen: Array
    margin: Array

    def closer(self, t: Array, excess: Array, draw_in: bool) -> _Watch:
        """Add the times of peaks beyond the limit, from (T, 2, r) excesses at times t; `draw_in` widens the margins."""
        worst = excess.max(axis=1)
        if worst.max(initial=-np.inf) <= 0:
            return self
        before, after = np.roll(worst, 1, axis=0), np.roll(worst, -1, axis=0)
        peaks = ((worst > 0) & (worst >= before) & (worst >= after)).any(axis=1)
        margin = np.minimum(self.margin + draw_in * np.maximum(worst.max(axis=0), 0), MOST_MARGIN)
        seen = self.seen | (excess.max(axis=0) > -FAR)
        return replace(self, t=np.union1d(self.t, t[peaks]), seen=seen, margin=margin)


def _watches(problem: Problem, start: Array, fine: Basis) -> list[_Watch]:
    """Limits sampled at equal time steps; bounds far from the start are not used, as most of them never bind."""
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
