"""Search for nonlinear parameters of forces, while all others are fitted. Golub & Pereyra 1973."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from revolute.errors import InputError
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.least_squares import Sums, added, solve, weighted
from revolute.identification.fit.linear_fit import fit_model
from revolute.identification.forces.base_parameters import BaseColumns, base_columns, random_samples
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.terms import Search, Term
from revolute.identification.samples import Array, Samples

POINTS, ROUNDS = 9, 4
"""Number of grid values per pass; and number of passes, each between the neighbours of the preceding best value."""


def searched(model: ForceModel, log: Samples | Iterable[Samples], every: int = 1) -> dict[str, float]:
    """The values of a model's `searches` that have the smallest weighted residual on successively finer grids.

    The columns for all grid values are in one triangular factor, so one pass over the log yields the residual for any
    choice of values. Weights are computed from the noise at the middle of the grids.
    """
    if model.gains:
        raise InputError("Search: gains must be known, because residuals of currents have no scale; give the gains")
    ranges = {search.name: (search.lower, search.upper) for search in model.searches}
    best = {name: np.sqrt(low * high) for name, (low, high) in ranges.items()}
    for _ in range(ROUNDS):
        grids = {name: np.geomspace(low, high, POINTS) for name, (low, high) in ranges.items()}
        chosen = _on_grids(model, grids, log, every)
        for search in model.searches:
            grid, k = grids[search.name], chosen[search.name]
            best[search.name] = float(grid[k])
            ranges[search.name] = (float(grid[max(k - 1, 0)]), float(grid[min(k + 1, POINTS - 1)]))
    return best


def _on_grids(
    model: ForceModel, grids: dict[str, Array], log: Samples | Iterable[Samples], every: int
) -> dict[str, int]:
    """The best index on each grid, by coordinate search until no index changes."""
    groups: dict[str, list[list[int]]] = {}
    terms: list[Term] = []
    base = base_columns(model)
    for search in model.searches:
        groups[search.name] = []
        for x in grids[search.name]:
            new = search.terms(float(x))
            groups[search.name].append([len(base) + len(terms) + k for k in range(len(new))])
            terms += [Term(f"{term.name} at {x:.17g}", term.factor, term.value) for term in new]
    sums = _sums(model, base, terms, log, every)
    chosen = dict.fromkeys(groups, POINTS // 2)

    def kept(choice: dict[str, int]) -> list[int]:
        return sorted([*range(len(base)), *(k for name, at in choice.items() for k in groups[name][at])])

    weights = weighted(sums.only(kept(chosen)), np.zeros(len(kept(chosen))))[1]
    R = sums.triangle(weights)
    for _ in range(10):
        before = dict(chosen)
        for name in groups:
            costs = [_residual(R[:, [*kept({**chosen, name: at}), -1]]) for at in range(POINTS)]
            chosen[name] = int(np.argmin(costs))
        if chosen == before:
            break
    return chosen


def _sums(
    model: ForceModel, base: BaseColumns, terms: Sequence[Term], log: Samples | Iterable[Samples], every: int
) -> Sums:
    """The triangular factors of the base parameters and of all terms."""
    wide, states = model.with_terms(terms), random_samples(model, 50)
    reach = np.stack([np.any(np.nan_to_num(term.column(states)) != 0, axis=0) for term in terms], axis=-1)
    all_columns = base.widened(len(model.names) + np.arange(len(terms)), reach)
    return added(BaseEquations(wide, all_columns, log, every), all_columns.active)


def _residual(R: Array) -> float:
    """Minimum sum of squares of the rows of a factor."""
    solution = solve(R, np.zeros(R.shape[1] - 1))
    return float(np.sum((R[:, -1] - R[:, :-1] @ solution.values) ** 2))


MOST, CLOSE = 8, 0.05
"""Maximum number of Gauss-Newton steps; and length of the last step, relative to the parameter's standard error."""

STEP = 1e-4  # relative step of central differences, whose relative error is about 1e-8


@dataclass(frozen=True)
class Slope:
    """Derivative of the forces of a search's terms with respect to the searched number."""

    search: Search
    at: float
    parameters: Mapping[str, float]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        h = STEP * self.at
        later, before = (self._forces(self.at + d, q, qd, qdd) for d in (h, -h))
        return np.asarray((later - before) / (2 * h))

    def _forces(self, x: float, q: Array, qd: Array, qdd: Array) -> Array:
        parts = [self.parameters.get(term.name, 0.0) * term.factor(q, qd, qdd) for term in self.search.terms(x)]
        return np.asarray(np.sum(parts, axis=0))


def fit_searched(
    model: ForceModel, start: Mapping[str, float], log: Samples | Iterable[Samples], estimator: str, decimate: int
) -> Fit:
    """The fit at the best values, by the Gauss-Newton method started from those of `searched`. Golub & Pereyra 1973."""
    # The derivative of forces by each searched number is an additional column of the regressor. The coefficient of that
    # column is the next step; after the last step its standard error is that of the number.
    best, shares = dict(start), dict.fromkeys(start, 0.5)
    for _ in range(MOST):
        at = model.at(best)
        fit = fit_model(at, log, estimator, decimate)
        size = np.abs(fit.parameters).max(initial=0) or 1.0  # slopes of the size of other columns
        parameters = dict(zip(at.names, (fit.parameters / size).tolist(), strict=True))
        slopes = [Term(f"d {each.name}", Slope(each, best[each.name], parameters)) for each in model.searches]
        wide = fit_model(at.with_terms(slopes), log, estimator, decimate)
        steps = {each.name: _step(wide, each, size) for each in model.searches}
        moving = False
        for each in model.searches:
            step, error = steps[each.name]
            if np.isfinite(error) and abs(step) > CLOSE * error:
                most = shares[each.name] * best[each.name]
                best[each.name] = float(np.clip(best[each.name] + np.clip(step, -most, most), each.lower, each.upper))
                shares[each.name] *= 0.7  # a shorter step damps oscillations
                moving = True
        if not moving:
            break
    b = len(fit.values)
    found = {name: (best[name], error) for name, (_, error) in steps.items()}
    return replace(fit, covariance=wide.covariance[:b, :b], searched=found)


def _step(wide: Fit, search: Search, size: float) -> tuple[float, float]:
    """The step of a searched number, and its standard error: infinite if other columns have the same effect."""
    name = f"d {search.name}"
    if name not in wide.names:
        return 0.0, float("inf")
    k = wide.names.index(name)
    return float(wide.values[k] / size), float(wide.standard_errors[k] / size)
