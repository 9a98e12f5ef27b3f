"""Validate a fit on another log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from revolute.arguments import instance
from revolute.errors import InputError
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.residual_correlation import probability
from revolute.identification.log.blocks import LogSource, blocks_of, sources_of
from revolute.identification.log.decimation import HALF
from revolute.identification.samples import Array, Samples
from revolute.identification.validation.autocorrelation import LAGS, autocorrelation, correlation_length
from revolute.identification.validation.bias import Bias, Bins, bias, bins_of
from revolute.identification.validation.predictions import predictions
from revolute.identification.validation.thinned_rows import KeptRows
from revolute.identification.validation.validation import ThinnedRows, Validation
from revolute.model.units import force_units

__all__ = ["validate"]

LEVEL, CHUNK = 0.95, 4096
"""Default probability of the intervals; and number of instants in one regressor."""


def validate(fit: Fit, log: LogSource, *, level: float = LEVEL, decimate: int | None = None) -> Validation:
    """Predict the forces of another log, and compare them with the measured ones.

    Args:
        fit: of `revolute.identify`.
        log: a path, a `Log`, samples, or blocks of samples, as of `identify`.
        level: probability of the prediction intervals.
        decimate: as of `identify`, for both measured and predicted forces.

    Returns:
        errors by joint, their correlation and bias, and a verdict in words.

    Raises:
        InputError: there are no samples, or the level is not a probability.
        ShapeError: the samples are of a different robot.
        MissingExtraError: SciPy is not installed.
    """
    instance("validate: fit", fit, Fit)
    probability("validate: level", level)
    blocks, decimate = blocks_of(sources_of(fit.model.robot, log), decimate)
    space = fit.model.robot.space
    kept, inside = KeptRows(space.nq, space.nv), np.zeros(space.nv)
    for run, (predicted, lower, upper) in predictions(fit, blocks, level, decimate):
        inside += ((run.tau >= lower) & (run.tau <= upper)).sum(axis=0)
        kept.add(run, predicted, lower, upper)
    if not kept.rows:
        if decimate == 1:
            raise InputError("validate: there are no samples")
        raise InputError(
            f"validate: no stretch without gaps has more than {2 * HALF * decimate} samples, which a decimation by "
            f"{decimate} needs; record longer, or give a smaller decimate"
        )
    return _validation(fit, kept, inside, level)


def _validation(fit: Fit, kept: KeptRows, inside: Array, level: float) -> Validation:
    runs, curves, space = kept.stretches(), ThinnedRows(*kept.columns()), fit.model.robot.space
    lags = min(max(map(len, runs)) // 3, LAGS)
    rho = autocorrelation(runs, lags)
    with np.errstate(divide="ignore", invalid="ignore"):
        rms, signal = np.sqrt(kept.squares / kept.count), np.sqrt(kept.signal / kept.count)
        effective = np.minimum(kept.count, kept.count / (kept.stride * correlation_length(rho)))
        mean, share = kept.sums / kept.count, inside / kept.count
    by_speed, by_pose = _biases(fit, curves)
    return Validation(
        fit.coordinates, force_units(space), kept.total, rms, signal, fit.residual_rms,
        fit.model.robot.effort_limits, mean,
        np.arange(lags + 1) * kept.spacing, rho, effective, by_speed, by_pose, share, level, curves,
    )  # fmt: skip


def _biases(fit: Fit, curves: ThinnedRows) -> tuple[tuple[Bias | None, ...], tuple[Bias | None, ...]]:
    """Bias of each coordinate by speed, and by pose."""
    space, e = fit.model.robot.space, curves.residual
    measured = np.isfinite(e)
    at = [
        p.start if body.joint.nq == body.joint.nv else None  # a quaternion has no bins
        for body, p in zip(space.bodies, space.q_index, strict=True)
        for _ in range(body.joint.nv)
    ]
    speeds = [bins_of(curves.qd[:, k], measured[:, k]) for k in range(space.nv)]
    poses = [None if at[k] is None else bins_of(curves.q[:, at[k]], measured[:, k]) for k in range(space.nv)]
    means = _mean_regressors(fit, curves.samples, [*speeds, *poses])
    found = [
        None if bins is None else bias(e[:, k % space.nv], bins, Y @ fit.excited_covariance @ Y.T)
        for k, (bins, Y) in enumerate(zip([*speeds, *poses], means, strict=True))
    ]
    return tuple(found[: space.nv]), tuple(found[space.nv :])


def _mean_regressors(fit: Fit, samples: Samples, bins: Sequence[Bins | None]) -> list[Array]:
    """(b, base) mean of the regressor in each bin, for successive coordinates."""
    columns, nv = fit.base.columns, samples.tau.shape[1]
    sums = [np.zeros((0 if each is None else len(each.counts), len(columns))) for each in bins]
    for start in range(0, len(samples), CHUNK):
        rows = slice(start, start + CHUNK)
        Y = fit.model.regressor(samples[rows])[..., columns]
        for k, each in enumerate(bins):
            if each is not None:
                sums[k] += each.members(rows).T @ Y[:, k % nv]
    return [total if each is None else total / each.counts[:, None] for total, each in zip(sums, bins, strict=True)]
