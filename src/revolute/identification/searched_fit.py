"""Fits with numbers that forces are not linear in: their values, and what not knowing them adds to all errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.identification.fit import Fit
from revolute.identification.force_model import ForceModel
from revolute.identification.linear_fit import fit_model
from revolute.identification.samples import Samples
from revolute.identification.search import Search
from revolute.identification.terms import Term

__all__ = ["fit_searched"]

Array = NDArray[Any]

MOST = 8
"""Steps of Gauss and Newton at most."""

CLOSE = 0.05
"""A step below this share of the number's error is the last."""

STEP = 1e-4
"""Relative step of central differences: errors of 1e-8."""


@dataclass(frozen=True)
class Slope:
    """Derivative of the forces of a search's terms by its number."""

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
    model_of: Callable[[Mapping[str, float]], ForceModel], searches: Sequence[Search], start: Mapping[str, float],
    log: Samples | Iterable[Samples], estimator: str, decimate: int,
) -> Fit:
    """The fit at the best numbers, by the method of Gauss and Newton from a start. Golub & Pereyra 1973.

    The derivative of forces by each number is one more column of the regressor: its parameter is the step to take.
    In the end its error is that of the number, and the errors of all others have what it adds.

    Args:
        model_of: gives the model for the numbers, by the names of their searches.
        searches: of these numbers.
        start: where to begin: see `searched`.
        log, estimator, decimate: see `fit_model`.
    """
    best, shares = dict(start), dict.fromkeys(start, 0.5)
    for _ in range(MOST):
        fit, wide = _with_slopes(model_of(best), searches, best, log, estimator, decimate)
        steps = {each.name: _step(wide, each) for each in searches}
        moving = False
        for each in searches:
            step, error = steps[each.name]
            if np.isfinite(error) and abs(step) > CLOSE * error:
                most = shares[each.name] * best[each.name]
                best[each.name] = float(np.clip(best[each.name] + np.clip(step, -most, most), each.lower, each.upper))
                shares[each.name] *= 0.7  # so that steps to and fro come to rest
                moving = True
        if not moving:
            break
    b = len(fit.values)
    found = {name: (best[name], error) for name, (_, error) in steps.items()}
    return replace(fit, covariance=wide.covariance[:b, :b], searched=found)


def _with_slopes(
    model: ForceModel, searches: Sequence[Search], best: Mapping[str, float], log: Samples | Iterable[Samples],
    estimator: str, decimate: int,
) -> tuple[Fit, Fit]:
    """The fit, and the one with a column for each number."""
    fit = fit_model(model, log, estimator, decimate)
    parameters = dict(zip(model.names, fit.parameters.tolist(), strict=True))
    slopes = [Term(f"d {each.name}", Slope(each, best[each.name], parameters)) for each in searches]
    return fit, fit_model(model.with_terms(slopes), log, estimator, decimate)


def _step(wide: Fit, search: Search) -> tuple[float, float]:
    """The step of a number and its error; infinite where other columns do the same."""
    name = f"d {search.name}"
    if name not in wide.names:
        return 0.0, float("inf")
    k = wide.names.index(name)
    return float(wide.values[k]), float(wide.standard_errors[k])
