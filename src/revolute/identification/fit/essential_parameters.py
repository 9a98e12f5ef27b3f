"""Essential parameters: those that differ significantly from zero. Pham & Gautier 1991; Janot et al. 2014."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from revolute.identification.fit.least_squares import Solution, solve
from revolute.identification.fit.residual_correlation import f_probability
from revolute.identification.samples import Array


class FTest(NamedTuple):
    """Fisher's F, and the probability of a value at least as large if the parameters are zero."""

    F: float
    probability: float


def f_test(values: Array, covariance: Array, at: Sequence[int], freedom: float) -> FTest:
    """Wald test of whether the values at some indices are all zero; see `Fit.f_test`."""
    block = covariance[np.ix_(at, at)]
    if not len(at) or not np.isfinite(block).all():
        return FTest(0.0, 1.0)
    x = values[at]
    F = float(x @ np.linalg.lstsq(block, x, rcond=None)[0] / len(at))
    return FTest(F, f_probability(F, len(at), freedom))


def essential(
    values: Array, covariance: Array, triangle: Array, freedom: float, level: float
) -> tuple[list[int], Solution, Array] | None:
    """The parameters that differ significantly from zero, by F-tests: see `Fit.essential`. None if all do.

    Returns the indices of these parameters, and their estimate and its covariance if the others are zero. `triangle` is
    the (b + 1, b + 1) factor of the rows of the estimate (b,); for `freedom` see `Fit`.
    """
    normal = triangle[:, :-1].T @ triangle[:, :-1]
    middle = normal @ np.where(np.isfinite(covariance), covariance, 0) @ normal
    kept, removed = [*range(len(values))], list[int]()
    x, errors = values, covariance
    while kept:
        with np.errstate(invalid="ignore", divide="ignore"):
            F = np.nan_to_num(x**2 / np.diag(errors), nan=0.0)
        least = int(np.argmin(F))
        if f_probability(float(F[least]), 1, freedom) <= level:
            break
        removed.append(kept.pop(least))
        solution, errors = _subset(triangle, kept, middle)
        x = solution.values
    while removed and f_test(values, covariance, removed, freedom).probability <= level:
        kept = sorted([*kept, removed.pop()])
    return (kept, *_subset(triangle, kept, middle)) if removed else None


def _subset(triangle: Array, kept: list[int], middle: Array) -> tuple[Solution, Array]:
    solution = solve(triangle[:, [*kept, -1]], np.zeros(len(kept)))
    covariance = solution.inverse @ middle[np.ix_(kept, kept)] @ solution.inverse
    covariance[np.diag_indices_from(covariance)] += np.where(solution.free, np.inf, 0)
    return solution, covariance
