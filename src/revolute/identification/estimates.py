"""Errors of estimates from triangular factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.identification.equations import Equations
from revolute.identification.least_squares import Solution, Sums
from revolute.identification.statistics import correlations, spread

__all__ = ["errors"]

Array = NDArray[Any]


def errors(
    rows: Equations, sums: Sums, solution: Solution, weights: Array, clip: Array | None
) -> tuple[Array, Array, float]:
    """Covariance of the estimate, noise of each coordinate, degrees of freedom."""
    shares = sums.shares(solution.inverse, weights)
    found = correlations(rows, solution.values, sums.hats(solution.inverse, weights), clip)
    middle = spread(rows, rows.base.active, found, weights)
    outside = solution.inverse / np.mean([each.linear for each in found])
    covariance = outside @ middle @ outside
    covariance[np.diag_indices_from(covariance)] += np.where(solution.free, np.inf, 0)
    noise = np.sqrt(sums.squares(solution.values) / np.maximum(sums.counts - shares, 1))
    return covariance, noise, sum(each.independent for each in found) - solution.rank
