"""A fit on trial: its predictions for a log that it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError, ShapeError
from revolute.identification.bias import Bias, Bins, bias, bins_of
from revolute.identification.correlation import LAGS, autocorrelation, correlation_length
from revolute.identification.kept_rows import KeptRows
from revolute.identification.samples import Samples
from revolute.identification.verdict import joint_verdicts, verdict
from revolute.model.units import force_units, number

if TYPE_CHECKING:
    from revolute.identification.fit import Fit

__all__ = ["Curves", "Validation", "validate"]

Array = NDArray[Any]

LEVEL = 0.95
CHUNK = 4096
"""Instants whose regressors are computed at once."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Evenly spaced rows of a log with its predictions; long logs are thinned.

    Attributes:
        t: (k,) times [s].
        q: (k, nq); qd, qdd: (k, nv).
        measured, predicted: (k, nv) forces [N m, N]; measured ones are NaN where there are none.
        lower, upper: (k, nv) ends of the prediction intervals.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    measured: Array
    predicted: Array
    lower: Array
    upper: Array

    @property
    def residual(self) -> Array:
        """(k, nv) measured less predicted."""
        return np.asarray(self.measured - self.predicted)

    @property
    def samples(self) -> Samples:
        """The rows without the predictions."""
        return Samples(self.t, self.q, self.qd, self.qdd, self.measured)


@dataclass(frozen=True, eq=False)
class Validation:
    """How well a model predicts the forces of a log.

    Attributes:
        names: (nv,) of the coordinates; `units`: of their forces.
        rows: number of samples.
        rms: (nv,) root mean square of the residuals [N m, N]; NaN where no forces were measured.
        signal_rms: (nv,) of the measured forces.
        fit_rms: (nv,) of the residuals on the fit's own log.
        mean: (nv,) of the residuals.
        lags: (k,) of the autocorrelation [s]; `autocorrelation`: (k, nv), from lag 0 on.
        effective: (nv,) number of independent samples that the residuals are worth. Sokal 1997.
        bias_by_speed, bias_by_pose: for each coordinate its residual by bins, or None where there is too little motion.
        inside: (nv,) share of samples within the prediction interval of the probability `level`.
        curves: rows for pictures.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: int
    rms: Array
    signal_rms: Array
    fit_rms: Array
    mean: Array
    lags: Array
    autocorrelation: Array
    effective: Array
    bias_by_speed: tuple[Bias | None, ...]
    bias_by_pose: tuple[Bias | None, ...]
    inside: Array
    level: float
    curves: Curves

    @property
    def relative(self) -> Array:
        """(nv,) residual as a share of the signal, both RMS."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.rms / self.signal_rms)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong, a sentence each, with the joint's name."""
        return joint_verdicts(self)

    @property
    def verdict(self) -> str:
        """One sentence on all joints."""
        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold: the figures of each joint, and the verdict; NaN stays NaN."""
        columns = (self.rms, self.signal_rms, self.relative, self.mean, self.inside, self.effective)
        keys = ("rms", "signal_rms", "relative", "mean", "inside", "independent_samples")
        joints = {
            name: {
                "unit": unit,
                **{key: float(column[k]) for key, column in zip(keys, columns, strict=True)},
                "bias_by_speed": _plain(self.bias_by_speed[k]),
                "bias_by_pose": _plain(self.bias_by_pose[k]),
            }
            for k, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
        }
        return {
            "samples": self.rows, "level": self.level, "verdict": self.verdict, "notes": list(self.notes),
            "joints": joints,
        }  # fmt: skip

    def __str__(self) -> str:
        width = max(map(len, ("joint", *self.names)))
        rows = [f"{'joint':<{width}}  {'RMS':>9}  {'signal':>9}  share  inside  independent"]
        cells = zip(self.names, self.rms, self.signal_rms, self.relative, self.inside, self.effective, strict=True)
        for name, rms, signal, share, inside, effective in cells:
            worth = number(effective, 4) if effective < 1e4 else f"{effective:.0f}"
            rows.append(
                f"{name:<{width}}  {number(rms):>9}  {number(signal):>9}  {share:>5.1%}  {inside:>6.1%}  {worth:>11}"
            )
        return "\n".join([f"Validation on {self.rows:,} samples", *rows, self.verdict, *(f"- {x}" for x in self.notes)])

    def __repr__(self) -> str:
        return f"<Validation: {self.rows:,} samples, {self.verdict}>"


def _plain(bias: Bias | None) -> dict[str, Any] | None:
    """A bias as data."""
    if bias is None:
        return None
    return {
        "p": bias.p, "share": bias.share, "centres": bias.centres.tolist(), "means": bias.means.tolist(),
        "errors": bias.errors.tolist(),
    }  # fmt: skip


def validate(fit: Fit, samples: Samples | Iterable[Samples], *, level: float = LEVEL) -> Validation:
    """Predict the forces of another log, and compare.

    Args:
        fit: of `revolute.identify`.
        samples: evenly spaced samples, treated like those of the fit; several stretches, or blocks of a long log.
        level: probability of the prediction intervals.

    Returns:
        errors by joint, their correlation, bias, and a verdict in words.

    Raises:
        InputError: no samples, or a level that is no probability.
        ShapeError: samples of another robot.
        MissingExtraError: SciPy is not installed.
    """
    if not 0 < level < 1:
        raise InputError(f"validate: level must be between 0 and 1, not {level}")
    space = fit.model.robot.space
    kept, inside = KeptRows(space.nq, space.nv), np.zeros(space.nv)
    for run in [samples] if isinstance(samples, Samples) else samples:
        if run.tau.shape[1] != space.nv or run.q.shape[1] != space.nq:
            raise ShapeError(
                f"validate: samples have {run.q.shape[1]} positions and {run.tau.shape[1]} forces, "
                f"but the robot has {space.nq} and {space.nv}"
            )
        predicted = fit.predict(run)
        lower, upper = np.moveaxis(fit.predict_interval(run, level), -1, 0)
        inside += ((run.tau >= lower) & (run.tau <= upper)).sum(axis=0)
        kept.add(run, predicted, lower, upper)
    if not kept.rows:
        raise InputError("validate: there are no samples")
    return _validation(fit, kept, inside, level)


def _validation(fit: Fit, kept: KeptRows, inside: Array, level: float) -> Validation:
    runs, curves, space = kept.stretches(), Curves(*kept.columns()), fit.model.robot.space
    lags = min(max(map(len, runs)) // 3, LAGS)
    rho = autocorrelation(runs, lags)
    with np.errstate(divide="ignore", invalid="ignore"):
        rms, signal = np.sqrt(kept.squares / kept.count), np.sqrt(kept.signal / kept.count)
        effective = np.minimum(kept.count, kept.count / (kept.stride * correlation_length(rho)))
        mean, share = kept.sums / kept.count, inside / kept.count
    by_speed, by_pose = _biases(fit, curves)
    return Validation(
        fit.coordinates, force_units(space), kept.total, rms, signal, fit.residual_rms, mean,
        np.arange(lags + 1) * kept.spacing, rho, effective, by_speed, by_pose, share, level, curves,
    )  # fmt: skip


def _biases(fit: Fit, curves: Curves) -> tuple[tuple[Bias | None, ...], tuple[Bias | None, ...]]:
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
    """(b, base) mean of the regressor in each bin, of coordinates in turn."""
    columns, nv = fit.base.columns, samples.tau.shape[1]
    sums = [np.zeros((0 if each is None else len(each.counts), len(columns))) for each in bins]
    for start in range(0, len(samples), CHUNK):
        rows = slice(start, start + CHUNK)
        Y = fit.model.regressor(samples[rows])[..., columns]
        for k, each in enumerate(bins):
            if each is not None:
                sums[k] += each.members(rows).T @ Y[:, k % nv]
    return [total if each is None else total / each.counts[:, None] for total, each in zip(sums, bins, strict=True)]
