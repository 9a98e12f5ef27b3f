"""What all estimators ask: which forces are measured, and the errors of estimates from triangular factors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError
from revolute.identification.equations import Equations, check_samples
from revolute.identification.force_model import ForceModel
from revolute.identification.least_squares import Solution, Sums
from revolute.identification.samples import Samples
from revolute.identification.statistics import correlations, spread

__all__ = ["errors", "measured"]

Array = NDArray[Any]


def measured(model: ForceModel, log: Samples | Iterable[Samples]) -> Array | None:
    """(nv,) whether the force of a coordinate is measured anywhere; None for logs that are not in memory."""
    blocks = [log] if isinstance(log, Samples) else log
    if not isinstance(blocks, (list, tuple)):
        return None
    for block in blocks:
        check_samples(model, block)
    there = np.any([np.isfinite(block.tau).any(axis=0) for block in blocks], axis=0)
    if not np.any(there):
        raise InputError("the log has no measured forces")
    return np.asarray(there)


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
