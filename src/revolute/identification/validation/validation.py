"""The result of a validation: errors by joint, their correlation and bias, curves, grades and a verdict in words."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.errors import printable
from revolute.identification.log.finding import CONTRADICTIONS, LogFinding
from revolute.identification.samples import Array, Samples
from revolute.identification.validation.bias import Bias
from revolute.model.units import number

GOOD, POOR = 0.1, 0.3
"""Ratio of residual to signal, both RMS: a joint below the first value is good, a joint above the second is poor."""
RATED_GOOD, RATED_POOR = 0.01, 0.03
"""The same limits for the ratio of the RMS residual to the rated effort, for small signals; above POOR none is good."""
WORSE = 1.5  # ratio of the residual in validation to the residual of the fit, above which the joint is reported
EXPLAINED = 0.1  # fraction of the mean square of the residual above which its bias is reported
FEW = 30  # number of independent samples below which the report contains a note
SPEED, PLACE = {"N m": "rad/s", "N": "m/s"}, {"N m": "rad", "N": "m"}
"""Units of velocities and of positions, by the unit of the force."""


@dataclass(frozen=True, eq=False)
class ThinnedRows:
    """Evenly spaced rows of a log, with predicted forces; long logs are thinned."""

    t: Array  # (k,) times [s]
    q: Array  # (k, nq); qd, qdd: (k, nv)
    qd: Array
    qdd: Array
    # measured, predicted: (k, nv) forces [N m, N]; NaN if not measured
    measured: Array
    predicted: Array
    # lower, upper: (k, nv) bounds of the prediction intervals
    lower: Array
    upper: Array

    @property
    def residual(self) -> Array:
        """(k, nv) measured minus predicted forces."""
        return np.asarray(self.measured - self.predicted)

    @property
    def samples(self) -> Samples:
        """The rows without the predictions."""
        return Samples(self.t, self.q, self.qd, self.qdd, self.measured)


@dataclass(frozen=True, eq=False)
class Validation:
    """Accuracy of a model's predictions of the forces of a log.

    Attributes:
        names: (nv,) names of the coordinates; `units`: units of their forces.
        rows: number of samples.
        rms: (nv,) root mean square of the residuals [N m, N]; NaN where no forces were measured.
        signal_rms: (nv,) root mean square of the measured forces [N m, N].
        fit_rms: (nv,) root mean square of the residuals on the log of the fit [N m, N].
        efforts: (nv,) rated forces [N m, N]; inf where none are given.
        mean: (nv,) mean of the residuals [N m, N].
        lags: (k,) lags of the autocorrelation [s]; `autocorrelation`: (k, nv), from lag 0 on.
        effective: (nv,) number of independent samples of the residuals. Sokal 1997.
        bias_by_speed, bias_by_pose: residual of each coordinate by bins, or None if there is too little motion.
        inside: (nv,) fraction of samples within the prediction interval of the probability `level`.
        curves: rows for charts.
        findings: contradictions between the robot and the log of the fit.
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
    findings: tuple[LogFinding, ...] = ()

    @property
    def relative(self) -> Array:
        """(nv,) residual as a fraction of the signal, both RMS; NaN without a signal, as for a base in flight."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.signal_rms > 0, self.rms / self.signal_rms, np.nan))

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Kinds of findings with which no fit is good: `CONTRADICTIONS`."""
        return tuple(dict.fromkeys(x.kind for x in self.findings if x.kind in CONTRADICTIONS))

    @property
    def of_rated(self) -> Array:
        """(nv,) residual (RMS) as a fraction of the rated effort; NaN where none is given, or with `contradictions`:
        the log's forces may be currents, for example."""
        known = (self.efforts > 0) & np.isfinite(self.efforts) & (not self.contradictions)
        return np.asarray(np.where(known, self.rms / np.where(known, self.efforts, 1.0), np.nan))

    @property
    def grades(self) -> tuple[str, ...]:
        """(nv,) "good", "usable" or "poor": the better grade by signal or by rated effort; "" if not measured."""
        return tuple(
            "" if not np.isfinite(share)
            else "good" if share < GOOD or (share < POOR and rated < RATED_GOOD)
            else "usable" if share < POOR or rated < RATED_POOR
            else "poor"
            for share, rated in zip(self.relative, self.of_rated, strict=True)
        )  # fmt: skip

    @property
    def notes(self) -> tuple[str, ...]:
        """Faults of the model or the log, one sentence each, with the joint's name."""
        names = enumerate(map(printable, self.names))
        return tuple(f"{name}: {note}" for k, name in names for note in _joint(self, k))

    @property
    def verdict(self) -> str:
        """One sentence: the number of good joints, the worst one, and contradictions of units or signs."""
        grade, share = np.array(self.grades), self.relative
        good, usable, poor = (int((grade == word).sum()) for word in ("good", "usable", "poor"))
        count = good + usable + poor
        if not count:
            return "no forces were measured"
        wrong = self.contradictions
        lowest = "poor" if poor else "usable" if usable or wrong else "good"
        if poor:
            some, bounds = f"{(share >= POOR).sum()} of {count}", f"above {POOR:.0%} of their signals"
        else:
            some = f"all {count}" if good == count else f"{good} of {count}"
            bounds = f"below {GOOD:.0%} of their signals"
            if ((grade == "good") & ~(share < GOOD)).any():
                bounds += f" ({POOR:.0%} if below {RATED_GOOD:.0%} of the rated effort)"
        worst = int(np.nanargmax(share))
        named = f"worst is {printable(self.names[worst])} with {share[worst]:.1%}"
        doubts = f"; the log of the fit contradicts the robot: {', '.join(wrong)}" if wrong else ""
        return f"{lowest}: residuals of {some} joints are {bounds}; {named}{doubts}"

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON: the values of each joint, and the verdict; NaN is preserved."""
        figures = {
            "rms": self.rms, "signal_rms": self.signal_rms, "relative": self.relative, "of_rated_effort": self.of_rated,
            "mean": self.mean, "inside": self.inside, "independent_samples": self.effective,
        }  # fmt: skip
        joints = {
            name: {
                "unit": unit, "grade": self.grades[k], **{key: float(column[k]) for key, column in figures.items()},
                "bias_by_speed": _plain(self.bias_by_speed[k]), "bias_by_pose": _plain(self.bias_by_pose[k]),
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
    """A bias as data for JSON."""
    if bias is None:
        return None
    return {
        "p": bias.p, "share": bias.share, "centres": bias.centres.tolist(), "means": bias.means.tolist(),
        "errors": bias.errors.tolist(),
    }  # fmt: skip


def _joint(v: Validation, k: int) -> list[str]:
    unit, notes = v.units[k], []
    if not np.isfinite(v.rms[k]):
        return ["no forces were measured"]
    if v.grades[k] == "poor":
        notes.append(f"the residual, {v.rms[k]:.3g} {unit}, is {v.relative[k]:.0%} of the signal")
    if v.rms[k] > WORSE * v.fit_rms[k] > 0:
        notes.append(
            f"the residual is {v.rms[k] / v.fit_rms[k]:.1f} times that of the fit; another payload or temperature, "
            "or a motion that the log of the fit does not contain"
        )
    notes += _bias(v.bias_by_speed[k], "speed", unit, SPEED[unit], "friction differs from the model")
    notes += _bias(v.bias_by_pose[k], "pose", unit, PLACE[unit], "gravity, a spring or a cable differs from the model")
    if v.inside[k] < 1 - 2 * (1 - v.level):
        notes.append(f"{v.inside[k]:.0%} of the samples are within the intervals of {v.level:.0%}")
    if v.effective[k] < FEW:
        notes.append(f"the residual has only {max(v.effective[k], 1):.0f} independent samples; use a longer log")
    return notes


def _bias(bias: Bias | None, kind: str, unit: str, of: str, cause: str) -> list[str]:
    if bias is None or not bias.significant or bias.share < EXPLAINED:
        return []
    mean, error, centre = (f"{x[bias.worst]:.2g}" for x in (bias.means, 2 * bias.errors, bias.centres))
    size = f"{mean} ± {error} {unit} about {centre} {of}"
    return [f"bias by {kind}, {size}, {bias.share:.0%} of the residual's mean square; {cause}"]
