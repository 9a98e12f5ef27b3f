"""The report as one HTML file: torques, residuals, parameters, excitation, verdict."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from revolute.arguments import instance, instances, mapping
from revolute.errors import InputError
from revolute.identification.fit.fit import Fit
from revolute.identification.report.log_section import of_log
from revolute.identification.report.markup import document, key_figures
from revolute.identification.report.model_section import bodies, consistency, excitation, parameters
from revolute.identification.validation.validation import Validation
from revolute.plot.charts import text
from revolute.whole_file import write_document


def save_report(path: str | os.PathLike[str], fit: Fit, validations: Mapping[str, Validation]) -> None:
    """Write the report on a fit: one HTML file, light or dark by the browser's setting, that makes no network requests.

    Args:
        path: path of the file, with the suffix .html.
        fit: a result of `revolute.identify`.
        validations: {title: result of `validate`}; the first one determines the verdict.

    Raises:
        InputError: the suffix is not .html, there is no validation, or the file cannot be written.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: a report is written as .html, not as '{Path(path).suffix or Path(path).name}'")
    content = page(instance("save_report: fit", fit, Fit), mapping("save_report: validations", validations))
    write_document(path, content)


def page(fit: Fit, validations: Mapping[str, Validation]) -> str:
    """The report as HTML: see `save_report`."""
    if not validations:
        raise InputError("report: validations is empty; give at least one, such as that on the log of the fit")
    instances("save_report: validations", validations.values(), Validation)
    name = fit.model.robot.robot.name
    logs = [(title, f"log{k + 1}", v) for k, (title, v) in enumerate(validations.items())]
    links = [("parameters", "Parameters"), ("excitation", "Excitation"), ("consistency", "Physical consistency")]
    contents = [*((anchor, title) for title, anchor, _ in logs), *links]
    body = [
        f"<h1>{text(name)}: identified model</h1>",
        f"<nav>{''.join(f'<a href=#{anchor}>{text(title)}</a>' for anchor, title in contents)}</nav>",
        _verdict(*logs[0][::2]),
        _summary(fit),
        *(of_log(title, anchor, v) for title, anchor, v in logs),
        parameters(fit),
        excitation(fit),
        consistency(fit),
    ]
    return document(f"{name}: identified model", body)


def _verdict(title: str, v: Validation) -> str:
    word, _, rest = v.verdict.partition(": ")
    tone = word if word in ("good", "usable", "poor") else "none"
    notes = "".join(f"<li>{text(note)}</li>" for note in v.notes)
    headline = f"<b>{text(word)}</b>{': ' + text(rest) if rest else ''}."
    below = f'<p class="muted">{text(title)}.</p>'
    return f'<div class="verdict {tone}">{headline}{below}{f"<ul>{notes}</ul>" if notes else ""}</div>'


def _summary(fit: Fit) -> str:
    links = bodies(fit.model, fit.parameters)
    possible = sum(why is None for _, _, why in links)
    condition = f"{fit.condition:.3g}" if np.isfinite(fit.condition) else "infinite"
    return key_figures(
        [
            ("Measured forces", f"{fit.rows:,}", "in the fit"),
            ("Base parameters", f"{len(fit.names)}", f"{int(fit.poor.sum())} poorly excited"),
            ("Rank", f"{fit.rank}", f"of {len(fit.names)}"), ("Condition number", condition, "of scaled columns"),
            ("Links that can exist", f"{possible}", f"of {len(links)}"), ("Estimator", fit.estimator, ""),
        ]
    )
