"""A validation in words: grades, a verdict and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from revolute.errors import printable
from revolute.identification.validation.bias import Bias

if TYPE_CHECKING:
    from revolute.identification.validation.validation import Validation

__all__ = ["PLACE", "SPEED", "grades", "joint_verdicts", "verdict"]

GOOD, POOR = 0.1, 0.3
"""Residual as a fraction of the signal, both RMS: below the first a joint is good, above the second poor."""
RATED_GOOD, RATED_POOR = 0.01, 0.03
"""The same as fractions of the rated effort, for small signals."""
WORSE = 1.5
"""Minimum ratio of the residual to that of the fit that is reported."""
EXPLAINED = 0.1
"""Minimum fraction of the residual's mean square for a reported bias."""
FEW = 30
"""Minimum number of independent samples without a note."""
SPEED, PLACE = {"N m": "rad/s", "N": "m/s"}, {"N m": "rad", "N": "m"}
"""Units of velocities and positions by the unit of the force."""


def grades(validation: Validation) -> tuple[str, ...]:
    """The grade of each joint: the better of the grades by its signal and its rated effort; "" if unknown."""
    return tuple(
        "" if not np.isfinite(share)
        else "good" if share < GOOD or rated < RATED_GOOD
        else "usable" if share < POOR or rated < RATED_POOR
        else "poor"
        for share, rated in zip(validation.relative, validation.of_rated, strict=True)
    )  # fmt: skip


def verdict(validation: Validation) -> str:
    """One sentence: the number of good joints, and the worst one."""
    grade, share = np.array(grades(validation)), validation.relative
    good, usable, poor = (int((grade == word).sum()) for word in ("good", "usable", "poor"))
    count = good + usable + poor
    if not count:
        return "no forces were measured"
    lowest = "poor" if poor else "usable" if usable else "good"
    worst = int(np.argmax(np.where(grade == lowest, share, -1.0)))
    named = f"worst is {printable(validation.names[worst])} with {share[worst]:.1%}"
    by_rated = ((grade == "good") & ~(share < GOOD)).any()
    below = f"below {GOOD:.0%} of their signals" + (f" or {RATED_GOOD:.0%} of their rated efforts" if by_rated else "")
    if lowest == "good":
        return f"good: residuals of all {count} joints are {below}; {named}"
    if lowest == "usable":
        return f"usable: residuals of {good} of {count} joints are {below}; {named}"
    return f"poor: residuals of {poor} of {count} joints are above {POOR:.0%} of their signals; {named}"


def joint_verdicts(validation: Validation) -> tuple[str, ...]:
    """Notes on joints with faults of the model or the log."""
    names = enumerate(map(printable, validation.names))
    return tuple(f"{name}: {note}" for k, name in names for note in _joint(validation, k))


def _joint(v: Validation, k: int) -> list[str]:
    unit, notes = v.units[k], []
    if not np.isfinite(v.rms[k]):
        return ["no forces were measured"]
    if v.grades[k] == "poor":
        notes.append(f"the residual, {v.rms[k]:.3g} {unit}, is {v.relative[k]:.0%} of the signal")
    if v.rms[k] > WORSE * v.fit_rms[k] > 0:
        notes.append(
            f"the residual is {v.rms[k] / v.fit_rms[k]:.1f} times that of the fit; another payload or temperature, "
            "or a motion that the log of the fit does not have"
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
