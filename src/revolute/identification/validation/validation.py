"""The result of a validation: errors by joint, their correlation and bias, curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.identification.samples import Array, Samples
from revolute.identification.validation.bias import Bias
from revolute.identification.validation.grades import grades, joint_verdicts, verdict
from revolute.model.units import number

__all__ = ["ThinnedRows", "Validation"]


@dataclass(frozen=True, eq=False)
class ThinnedRows:
    """Evenly spaced rows of a log with its predictions; long logs are thinned.

    Attributes:
        t: (k,) times [s].
        q: (k, nq); qd, qdd: (k, nv).
        measured, predicted: (k, nv) forces [N m, N]; NaN is not measured.
        lower, upper: (k, nv) bounds of the prediction intervals.
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
    """Accuracy of a model's predictions of the forces of a log.

    Attributes:
        names: (nv,) of the coordinates; `units`: of their forces.
        rows: number of samples.
        rms: (nv,) root mean square of the residuals [N m, N]; NaN where no forces were measured.
        signal_rms: (nv,) of the measured forces.
        fit_rms: (nv,) of the residuals on the fit's own log.
        efforts: (nv,) rated forces [N m, N]; inf where none are given.
        mean: (nv,) of the residuals.
        lags: (k,) of the autocorrelation [s]; `autocorrelation`: (k, nv), from lag 0 on.
        effective: (nv,) number of independent samples of the residuals. Sokal 1997.
        bias_by_speed, bias_by_pose: residual of each coordinate by bins, or None if there is too little motion.
        inside: (nv,) fraction of samples within the prediction interval of the probability `level`.
        curves: rows for charts.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: int
    rms: Array
    signal_rms: Array
    fit_rms: Array
    efforts: Array
    mean: Array
    lags: Array
    autocorrelation: Array
    effective: Array
    bias_by_speed: tuple[Bias | None, ...]
    bias_by_pose: tuple[Bias | None, ...]
    inside: Array
    level: float
    curves: ThinnedRows

    @property
    def relative(self) -> Array:
        """(nv,) residual as a fraction of the signal, both RMS; NaN without a signal, as for a base in flight."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.signal_rms > 0, self.rms / self.signal_rms, np.nan))

    @property
    def of_rated(self) -> Array:
        """(nv,) residual (RMS) as a fraction of the rated effort; NaN where none is given."""
        known = (self.efforts > 0) & np.isfinite(self.efforts)
        return np.asarray(np.where(known, self.rms / np.where(known, self.efforts, 1.0), np.nan))

    @property
    def grades(self) -> tuple[str, ...]:
        """(nv,) "good", "usable" or "poor"; "" for joints without measured forces."""
        return grades(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Faults, one sentence each, with the joint's name."""
        return joint_verdicts(self)

    @property
    def verdict(self) -> str:
        """One sentence on all joints."""
        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON: the figures of each joint, and the verdict; NaN is preserved."""
        columns = (
            self.rms, self.signal_rms, self.relative, self.of_rated, self.mean, self.inside, self.effective
        )  # fmt: skip
        keys = ("rms", "signal_rms", "relative", "of_rated_effort", "mean", "inside", "independent_samples")
        joints = {
            name: {
                "unit": unit,
                "grade": self.grades[k],
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
