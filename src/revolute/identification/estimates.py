"""What all estimators say about their estimates: errors, and full parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.identification.base import BaseColumns
from revolute.identification.force_model import ForceModel
from revolute.identification.least_squares import Solution, Sums
from revolute.identification.rows import Rows
from revolute.identification.statistics import correlations, spread

__all__ = ["errors", "nearest"]

Array = NDArray[Any]


def errors(
    rows: Rows, sums: Sums, solution: Solution, weights: Array, clip: Array | None
) -> tuple[Array, Array, float]:
    """Covariance of the estimate, noise of each coordinate, degrees of freedom."""
    shares = sums.shares(solution.inverse, weights)
    found = correlations(rows, solution.values, shares, clip)
    middle = spread(rows, rows.base.active, found, weights)
    outside = solution.inverse / np.mean([each.linear for each in found])
    covariance = outside @ middle @ outside
    covariance[np.diag_indices_from(covariance)] += np.where(solution.free, np.inf, 0)
    noise = np.sqrt(sums.squares(solution.values) / np.maximum(sums.counts - shares, 1))
    return covariance, noise, sum(each.independent for each in found) - solution.rank


def nearest(model: ForceModel, base: BaseColumns, values: Array) -> Array:
    """Full parameters with these base parameters, as near as possible to those of the description.

    Distances are relative to the sizes of parameters of the same kind.
    """
    sizes = np.abs(model.values)
    kinds = [name.rpartition(".")[2] for name in model.names]
    for kind in set(kinds):
        at = [k for k, own in enumerate(kinds) if own == kind]
        sizes[at] = np.maximum(sizes[at], sizes[at].mean() or 1.0)
    scaled = base.matrix * sizes
    step = np.linalg.lstsq(scaled, values - base.matrix @ model.values, rcond=None)[0]
    return np.asarray(model.values + sizes * step)
