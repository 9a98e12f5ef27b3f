"""A fit on trial: its predictions for a log that it has not seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError, ShapeError
from revolute.identification.bias import Bias, bias
from revolute.identification.correlation import autocorrelation, correlation_length
from revolute.identification.kept_rows import KeptRows
from revolute.identification.samples import Samples
from revolute.identification.verdict import joint_verdicts, verdict
from revolute.model.model import Model
from revolute.model.units import force_units, number

if TYPE_CHECKING:
    from revolute.identification.fit import Fit

__all__ = ["Curves", "Validation", "validate"]

Array = NDArray[Any]

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Curves:
    """Evenly spaced rows of a log with its predictions; long logs are thinned.

    Attributes:
        t: (k,) times [s].
        q, qd: (k, nq) and (k, nv).
        measured, predicted: (k, nv) forces [N m, N]; measured ones are NaN where there are none.
        lower, upper: (k, nv) ends of the prediction intervals.
    """

    t: Array
    q: Array
    qd: Array
    measured: Array
    predicted: Array
    lower: Array
    upper: Array

    @property
    def residual(self) -> Array:
        """(k, nv) measured less predicted."""
        return np.asarray(self.measured - self.predicted)


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
    return _validation(space, fit.coordinates, fit.residual_rms, kept, inside, level)


def _validation(
    space: Model, names: tuple[str, ...], fit_rms: Array, kept: KeptRows, inside: Array, level: float
) -> Validation:
    runs, curves = kept.stretches(), Curves(*kept.columns())
    lags = min(max(map(len, runs)) // 3, 2000)
    rho = autocorrelation(runs, lags)
    with np.errstate(divide="ignore", invalid="ignore"):
        rms, signal, mean = np.sqrt(kept.squares / kept.count), np.sqrt(kept.signal / kept.count), kept.sums / kept.count
        effective = np.minimum(kept.count, kept.count / (kept.stride * correlation_length(rho)))
        share = inside / kept.count
    turning = [body.joint.nq == body.joint.nv == 1 for body in space.bodies for _ in range(body.joint.nv)]
    at = [p.start for body, p in zip(space.bodies, space.q_index, strict=True) for _ in range(body.joint.nv)]
    e = curves.residual
    by_speed = tuple(bias(e[:, k], curves.qd[:, k], rho[:, k]) for k in range(space.nv))
    by_pose = tuple(
        bias(e[:, k], curves.q[:, at[k]], rho[:, k]) if turning[k] else None for k in range(space.nv)
    )
    return Validation(
        names, force_units(space), kept.total, rms, signal, np.asarray(fit_rms), mean,
        np.arange(lags + 1) * kept.spacing, rho, effective, by_speed, by_pose, share, level, curves,
    )  # fmt: skip
