"""The report's section on a log: a table of joints, torques, residuals, correlation and bias."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from revolute.identification.report.markup import cell, digits, figure, section, table
from revolute.identification.validation.bias import Bias
from revolute.identification.validation.validation import PLACE, SPEED, Validation
from revolute.plot.charts import Band, ChartLine, Mark, Points, chart, text

HEADINGS = (
    "joint", "RMS residual", "RMS signal", "share", "of rated effort", "mean", "in interval", "independent samples"
)  # fmt: skip


def of_log(title: str, anchor: str, v: Validation) -> str:
    """The section on a log; joints without measured forces are omitted from its charts."""
    joints = [k for k in range(len(v.names)) if np.isfinite(v.rms[k])]
    times = f"{v.rows:,} samples, t from {v.curves.t.min():.6g} to {v.curves.t.max():.6g} s."
    kinds = (
        ("Measured and predicted forces", FORCES.format(v.level), (_forces(v, k) for k in joints)),
        ("Autocorrelation of the residuals", CORRELATION, (_correlation(v, k) for k in joints)),
        ("Bias by speed", BIAS.format("speed"), _biases(v, joints, v.bias_by_speed, "speed", SPEED)),
        ("Bias by pose", BIAS.format("position"), _biases(v, joints, v.bias_by_pose, "position", PLACE)),
    )
    rows = table(HEADINGS, (_row(v, k) for k in range(len(v.names))))
    return section(title, anchor, [f"<p>{times}</p>", rows, *(_charts(*kind) for kind in kinds)])


FORCES = (
    "<p class='muted'><span class='key one'></span>measured <span class='key two'></span>predicted, with its interval "
    "of {:.0%} <span class='key three'></span>residual, measured minus predicted</p>"
)
CORRELATION = (
    "<p class='muted'>Samples at lags beyond its fall to zero are independent. Error bars use their number.</p>"
)
BIAS = (
    "<p class='muted'>Mean residual by {} of the joint, in bins with equal numbers of samples, with error bars of "
    "two standard errors. p is the probability of such means without bias; the share is the fraction of the residual's "
    "mean square that the means explain.</p>"
)


def _charts(heading: str, words: str, figures: Iterator[str]) -> str:
    drawn = "".join(figures)
    return f"<h3>{text(heading)}</h3>{words}<div class='charts'>{drawn}</div>" if drawn else ""


def _row(v: Validation, k: int) -> list[str]:
    if not np.isfinite(v.rms[k]):
        return [cell(v.names[k], "name"), cell("not measured"), *[cell("–")] * (len(HEADINGS) - 2)]
    unit, share = v.units[k], v.relative[k]
    style = {"good": "fine", "poor": "bad"}.get(v.grades[k], "")
    rated = f"{v.of_rated[k]:.2%}" if np.isfinite(v.of_rated[k]) else "–"
    worth = f"{v.effective[k]:,.0f}" if np.isfinite(v.effective[k]) else "–"
    return [
        cell(v.names[k], "name"), cell(f"{digits(v.rms[k], 3)} {unit}"), cell(f"{digits(v.signal_rms[k], 3)} {unit}"),
        cell(f"{share:.1%}", style), cell(rated), cell(f"{_mean(v.mean[k], v.rms[k])} {unit}"),
        cell(f"{v.inside[k]:.1%}"), cell(worth),
    ]  # fmt: skip


def _mean(mean: float, rms: float) -> str:
    """A mean, rounded at the decimal place of the third digit of the RMS."""
    places = 2 - math.floor(math.log10(rms)) if rms > 0 else 0
    return f"{round(mean, places) + 0.0:.{max(places, 0)}f}".replace("-", "−")


def _forces(v: Validation, k: int) -> str:
    c, unit = v.curves, v.units[k]
    upper: list[Mark] = [
        Band(c.t, c.lower[:, k], c.upper[:, k]),
        ChartLine(c.t, c.measured[:, k], "one"),
        ChartLine(c.t, c.predicted[:, k], "two"),
    ]
    picture = chart([upper, [ChartLine(c.t, c.residual[:, k], "three")]], "t [s]", [f"force [{unit}]", "residual"],
                    f"{v.names[k]}: measured and predicted forces, and residual")  # fmt: skip
    return figure(v.names[k], f"RMS {digits(v.rms[k], 3)} {unit}, {v.relative[k]:.1%}", picture)


def _correlation(v: Validation, k: int) -> str:
    shown = min(len(v.lags), max(60, int(6 * v.curves.t.size / max(v.effective[k], 1)))) if v.effective[k] > 0 else None
    picture = chart([[ChartLine(v.lags[:shown], v.autocorrelation[:shown, k])]], "lag [s]", ["correlation"],
                    f"{v.names[k]}: autocorrelation of the residual", (130,))  # fmt: skip
    return figure(v.names[k], f"worth {v.effective[k]:,.0f} samples", picture)


def _biases(
    v: Validation, joints: Sequence[int], biases: Sequence[Bias | None], what: str, units: Mapping[str, str]
) -> Iterator[str]:
    for k in joints:
        if (b := biases[k]) is not None:
            labels = f"{what} [{units[v.units[k]]}]", [f"residual [{v.units[k]}]"]
            marks = [Points(b.centres, b.means, 2 * b.errors)]
            picture = chart([marks], *labels, f"{v.names[k]}: mean residual by bins", (130,))
            p = "–" if np.isnan(b.p) else "< 0.001" if b.p < 0.001 else f"{b.p:.2g}"
            yield figure(v.names[k], f"p {p}, share {b.share:.0%}", picture)
