"""Fit the parameters in which forces are linear to samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.error_bars import errors, measured
from revolute.identification.fit.fit import POOR, Fit
from revolute.identification.fit.least_squares import CLIP, added, huber, ordinary, solve, weighted
from revolute.identification.forces.base_parameters import BaseColumns, base_columns, nearest_parameters
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["ESTIMATORS", "fit_model"]

ESTIMATORS = ("weighted", "ordinary", "huber")


def fit_model(
    model: ForceModel, log: Samples | Iterable[Samples], estimator: str = "weighted", decimate: int = 1
) -> Fit:
    """See `identify`."""
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
        # derivatives of clipped residuals are 1 or 0: errors need Y^T W Y without the weights of the iteration
        solution = replace(solution, inverse=solve(sums.triangle(weights), known).inverse)
        clip = CLIP / np.sqrt(weights)
    else:
        solution, weights = (weighted if estimator == "weighted" else ordinary)(sums, known)
    covariance, noise, freedom = errors(rows, rows.base.active, sums, solution, weights, clip)
    _require_gains(model, base, solution.values, covariance)
    return Fit(
        model=model,
        base=base,
        values=solution.values,
        covariance=covariance,
        parameters=nearest_parameters(model, base, solution.values),
        noise=noise,
        weights=weights,
        freedom=freedom,
        rank=solution.rank,
        condition=solution.condition,
        triangle=solution.triangle,
        sums=sums,
        estimator=estimator,
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
