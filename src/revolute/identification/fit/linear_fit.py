"""Fit linear parameters of forces to samples, with standard errors that account for correlated residuals."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.identification.fit.equations import BaseEquations, Chunk, checked
from revolute.identification.fit.fit import POOR, Fit
from revolute.identification.fit.least_squares import CLIP, Solution, Sums, added, huber, ordinary, solve, weighted
from revolute.identification.fit.residual_correlation import correlations, spread
from revolute.identification.forces.base_parameters import BaseColumns, base_columns, nearest_parameters
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

ESTIMATORS = ("weighted", "ordinary", "huber")


def fit_model(
    model: ForceModel, log: Samples | Iterable[Samples], estimator: str = "weighted", decimate: int = 1
) -> Fit:
    """Fit the parameters of a model to a log: see `identify`."""
    if estimator not in ESTIMATORS:
        raise InputError(f"unknown estimator {estimator!r}; available: {', '.join(ESTIMATORS)}")
    base = base_columns(model, measured(model, log))
    rows = BaseEquations(model, base, log, whole_number("decimate", decimate, 1))
    sums = added(rows, base.active)
    if not sums.counts.any():
        short = f", or it is too short to keep one row of {rows.every}" if rows.every > 1 else ""
        raise InputError(f"the log has no measured forces{short}")
    if not sums.signal.any() and not model.gains:
        raise InputError(
            "all forces are zero, so the log determines only ratios of masses. Give joint forces, or hold a known "
            "mass (only=...)"
        )
    known = base.matrix @ model.values
    clip = None
    if estimator == "huber":
        solution, weights = huber(rows, sums, known)
        # derivatives of clipped residuals are 1 or 0: the covariance needs Y^T W Y without the weights of the iteration
        solution = replace(solution, inverse=solve(sums.triangle(weights), known).inverse)
        clip = CLIP / np.sqrt(weights)
    else:
        solution, weights = (weighted if estimator == "weighted" else ordinary)(sums, known)
    covariance, noise, freedom = errors(rows, rows.base.active, sums, solution, weights, clip)
    _require_gains(model, base, solution.values, covariance)
    return Fit(
        model=model, base=base, values=solution.values, covariance=covariance,
        parameters=nearest_parameters(model, base, solution.values), noise=noise, weights=weights, freedom=freedom,
        rank=solution.rank, condition=solution.condition, triangle=solution.triangle, sums=sums, estimator=estimator,
    )


def _require_gains(model: ForceModel, base: BaseColumns, values: Array, covariance: Array) -> None:
    """Raise `InputError` if the log does not determine a gain: without a known force, zero gains fit exactly."""
    for k in model.gains:
        name = f"{model.coordinates[k]}.gain"
        place = base.names.index(name) if name in base.names else None
        if place is not None and not np.sqrt(covariance[place, place]) < POOR * abs(values[place]):
            raise InputError(
                f"the log does not determine {name}: no force of that joint is known. Hold what is known, such as a "
                "payload or the last link (only=...), or give the gain"
            )


WINDOW = 20  # number of samples per window in the sums for the covariance of residuals


def measured(model: ForceModel, log: Samples | Iterable[Samples]) -> Array | None:
    """(nv,) whether the force of a coordinate is measured; None if that requires reading the whole log."""
    blocks = [log] if isinstance(log, Samples) else log
    if hasattr(blocks, "has_forces"):
        return np.asarray(blocks.has_forces)
    if not isinstance(blocks, (list, tuple)):
        return None
    there = np.any([np.isfinite(block.tau).any(axis=0) for block in checked(model, blocks)], axis=0)
    if not np.any(there):
        raise InputError("the log has no measured forces")
    return np.asarray(there)


def errors(
    rows: Iterable[Chunk], active: Array, sums: Sums, solution: Solution, weights: Array, clip: Array | None = None
) -> tuple[Array, Array, float]:
    """Covariance of the estimate, noise of each coordinate, degrees of freedom."""
    found = correlations(rows, solution.values, sums.hats(solution.inverse, weights), clip)
    middle = spread(rows, active, found, weights)
    outside = solution.inverse / np.mean([each.linear for each in found])
    covariance = outside @ middle @ outside
    if clip is None and np.any(np.diag(covariance) < 0):  # the residuals have no power at the frequencies of the motion
        covariance = outside @ in_windows(rows, rows, solution.values, weights) @ outside
    covariance[np.diag_indices_from(covariance)] += np.where(solution.free, np.inf, 0)
    freedom = sum(each.independent for each in found) - solution.rank
    return covariance, sums.deviations(solution, weights), freedom


def in_windows(rows: Iterable[Chunk], instruments: Iterable[Chunk], values: Array, weights: Array) -> Array:
    """(b, b) covariance of Z^T W r (r: residuals) by sums over windows. Newey & West 1987, with Bartlett's kernel."""
    middle: Any = 0.0
    before: Array | None = None
    for chunk, other in zip(rows, instruments, strict=True):
        products = other.Y * np.nan_to_num(chunk.tau - chunk.Y @ values)[..., None]
        pause = np.zeros((WINDOW, *products.shape[1:]))
        before = pause if before is None else before
        whole = np.concatenate([before, products] if chunk.continues else [before, pause, products])
        middle += _squares(whole, weights)
        before = whole[-WINDOW:]
    return np.asarray(middle + _squares(np.concatenate([before, pause]), weights))


def _squares(products: Array, weights: Array) -> Array:
    """Squares of sums over all windows that end after the first WINDOW rows, divided by their length."""
    sums = np.cumsum(products, axis=0)
    windows = (sums[WINDOW:] - sums[:-WINDOW]) * weights[:, None] / np.sqrt(WINDOW)
    columns = windows.reshape(-1, products.shape[2])
    return np.asarray(columns.T @ columns)
