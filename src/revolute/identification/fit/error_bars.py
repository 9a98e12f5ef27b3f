"""Error bars: the covariance of estimates whose residuals are correlated; and which forces are measured."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from revolute.errors import InputError
from revolute.identification.fit.equations import Chunk, check_samples
from revolute.identification.fit.least_squares import Solution, Sums
from revolute.identification.fit.residual_correlation import correlations, spread
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["errors", "in_windows", "measured"]

WINDOW = 20
"""Samples in a window."""


def measured(model: ForceModel, log: Samples | Iterable[Samples]) -> Array | None:
    """(nv,) whether the force of a coordinate is measured; None if that requires reading the whole log."""
    blocks = [log] if isinstance(log, Samples) else log
    if hasattr(blocks, "has_forces"):
        return np.asarray(blocks.has_forces)
    if not isinstance(blocks, (list, tuple)):
        return None
    for block in blocks:
        check_samples(model, block)
    there = np.any([np.isfinite(block.tau).any(axis=0) for block in blocks], axis=0)
    if not np.any(there):
        raise InputError("the log has no measured forces")
    return np.asarray(there)


def errors(
    rows: Iterable[Chunk], active: Array, sums: Sums, solution: Solution, weights: Array, clip: Array | None = None
) -> tuple[Array, Array, float]:
    """Covariance of the estimate, noise of each coordinate, degrees of freedom."""
    shares = sums.shares(solution.inverse, weights)
    found = correlations(rows, solution.values, sums.hats(solution.inverse, weights), clip)
    middle = spread(rows, active, found, weights)
    outside = solution.inverse / np.mean([each.linear for each in found])
    covariance = outside @ middle @ outside
    if clip is None and np.any(np.diag(covariance) < 0):  # no power at the frequencies of the motion
        covariance = outside @ in_windows(rows, rows, solution.values, weights) @ outside
    covariance[np.diag_indices_from(covariance)] += np.where(solution.free, np.inf, 0)
    noise = np.sqrt(sums.squares(solution.values) / np.maximum(sums.counts - shares, 1))
    return covariance, noise, sum(each.independent for each in found) - solution.rank


def in_windows(rows: Iterable[Chunk], instruments: Iterable[Chunk], values: Array, weights: Array) -> Array:
    """(b, b) covariance of Z^T W r by sums over windows. Newey & West 1987, with Bartlett's kernel."""
    before: Array = np.zeros((WINDOW, len(weights), 0))
    middle: Array = np.zeros((0, 0))
    for chunk, other in zip(rows, instruments, strict=True):
        if not len(middle):
            before = np.zeros((WINDOW, *other.Y.shape[1:]))
            middle = np.zeros((other.Y.shape[2],) * 2)
        if not chunk.continues:
            middle += _squares(np.concatenate([before, np.zeros_like(before)]), weights)
            before = np.zeros_like(before)
        products = other.Y * np.nan_to_num(chunk.tau - chunk.Y @ values)[..., None]
        whole = np.concatenate([before, products])
        middle += _squares(whole, weights)
        before = whole[-WINDOW:]
    return np.asarray(middle + _squares(np.concatenate([before, np.zeros_like(before)]), weights))


def _squares(products: Array, weights: Array) -> Array:
    """Squares of sums over all windows that end after the first WINDOW rows, divided by their length."""
    sums = np.cumsum(products, axis=0)
    windows = (sums[WINDOW:] - sums[:-WINDOW]) * weights[:, None] / np.sqrt(WINDOW)
    columns = windows.reshape(-1, products.shape[2])
    return np.asarray(columns.T @ columns)
