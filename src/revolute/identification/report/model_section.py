"""The report's sections on the model: parameters, excitation, physical consistency."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from revolute.identification.fit.fit import Fit
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.report.markup import cell, digits, section, table
from revolute.model.parameters import from_vector, implausibilities
from revolute.plot.charts import text
from revolute.spatial import Inertia

TERMS, SHOWN = 4, 5
"""Maximum number of terms of a sum in large type; and number of directions shown, in order of increasing excitation."""

NOT_SHOWN = {
    "poorly excited": "The log hardly determines these: their errors are above 30 % of their values, which are not "
    "shown. Move these joints more, or faster.",
    "near zero": "These are smaller than the log can resolve, with errors that are small beside other parameters of "
    "their kind: forces hardly depend on them.",
}
"""Verdicts on parameters whose values the report does not show."""


def parameters(fit: Fit) -> str:
    """Base parameters with their standard errors; for those poorly excited or near zero, the values are omitted."""
    known = fit.base.matrix @ fit.model.values
    rows = (_parameter(fit, k, float(known[k])) for k, verdict in enumerate(fit.verdicts) if verdict == "good")
    parts = [
        "<p>Forces depend on sums of parameters, one per row. The error is one standard error, for correlated "
        "residuals. The last column is the robot description's value. Units are kg, kg m, kg m², N m, N m s.</p>",
        table(("base parameter", "value", "error", "error %", "description"), rows),
    ]
    parts += [_named(fit, verdict, words) for verdict, words in NOT_SHOWN.items() if verdict in fit.verdicts]
    return section("Parameters", "parameters", parts)


def _named(fit: Fit, verdict: str, words: str) -> str:
    """The names and standard errors of the parameters with a given verdict."""
    rows = [k for k, each in enumerate(fit.verdicts) if each == verdict]
    names = "".join(
        f"<li>{_sum(fit.names[k])} <span class='muted'>± {digits(fit.standard_errors[k], 2)}</span></li>" for k in rows
    )
    heading = f"{verdict.capitalize()}: {len(rows)} of {len(fit.names)}"
    return f"<h3>{heading}</h3><p>{words}</p><ul class='sums'>{names}</ul>"


def _parameter(fit: Fit, k: int, known: float) -> list[str]:
    return [
        f'<td class="name">{_sum(fit.names[k])}</td>', cell(digits(fit.values[k], 5)),
        cell(f"± {digits(fit.standard_errors[k], 2)}"), cell(f"{100 * fit.relative_errors[k]:.2g}"),
        cell(digits(known, 5)),
    ]  # fmt: skip


def _sum(name: str) -> str:
    """Format a sum with its first terms in large type."""
    terms = re.split(r" (?=[+-] )", name)
    first, rest = " ".join(terms[:TERMS]), " ".join(terms[TERMS:])
    return f"{text(first)} <small>{text(rest)}</small>" if rest else text(first)


def consistency(fit: Fit) -> str:
    """Whether each link's parameters are physically consistent."""
    links = bodies(fit.model, fit.parameters)
    wrong = [name for name, _, why in links if why]
    words = (
        f"<p>All {len(links)} moving links are bodies that can exist: their masses are positive, and some distribution "
        "of mass has their inertias.</p>"
        if not wrong
        else f"<p>{len(wrong)} of {len(links)} moving links are bodies that cannot exist. Predicted forces are valid, "
        "but simulations may fail: fit with physical consistency.</p>"
    )
    headings = ("link", "mass [kg]", "centre of mass [m]", "principal moments [kg m²]", "can exist")
    rows = (list(_body(*link)) for link in links)
    return section("Physical consistency", "consistency", [words, table(headings, rows)])


def _body(name: str, inertia: Inertia, why: str | None) -> Iterator[str]:
    about_com = np.array([*inertia.about_com()], dtype=float)
    yield cell(name, "name")
    yield cell(digits(inertia.m, 4))
    yield cell(", ".join(f"{round(x, 4) + 0.0:.4f}".replace("-", "−") for x in inertia.com()))
    yield cell(", ".join(map(digits, np.linalg.eigvalsh(about_com) if np.isfinite(about_com).all() else about_com[0])))
    yield cell(f"no: {why}", "bad words") if why else cell("yes", "fine")


def excitation(fit: Fit) -> str:
    """Condition number, rank, and the weakest directions, described by the names of their parameters."""
    S = fit.triangle[:, :-1]
    scale = np.linalg.norm(S, axis=0)
    _, sizes, Vt = np.linalg.svd(S / np.where(scale > 0, scale, 1), full_matrices=False)
    weakest = range(len(sizes))[: -SHOWN - 1 : -1]
    rows = ([cell(_direction(fit, Vt[k]), "words"), cell(f"{sizes[k] / sizes[0]:.2g}")] for k in weakest)
    words = (
        f"<p>The log excites {fit.rank} of {len(fit.names)} directions of base parameters; the condition number of the "
        f"scaled columns is {text(f'{fit.condition:.4g}')}. Below 100 is good; above 1000, some parameters are hardly "
        "distinct. The weakest directions, relative to the strongest:</p>"
    )
    return section("Excitation", "excitation", [words, table(("direction", "size"), rows)])


def _direction(fit: Fit, v: np.ndarray) -> str:
    largest = np.argsort(-abs(v))[:4]
    first = [fit.names[k].split(" ")[0] for k in largest]
    return ", ".join(f"{v[k]:+.2f} {name}" for k, name in zip(largest, first, strict=True) if abs(v[k]) > 0.1)


def bodies(model: ForceModel, parameters: ArrayLike) -> list[tuple[str, Inertia, str | None]]:
    """The moving links with (p,) parameters of the model: names, inertias, and why they cannot exist, or None."""
    ten = np.asarray(parameters, dtype=float)[: model.links].reshape(-1, 10)
    names = [name.rpartition(".")[0] for name in model.names[: model.links : 10]]
    inertias = [from_vector(row) for row in ten.tolist()]
    reasons = [
        "its mass is negative" if inertia.m < 0 else reason
        for inertia, reason in zip(inertias, implausibilities(inertias), strict=True)
    ]
    return [*zip(names, inertias, reasons, strict=True)]
