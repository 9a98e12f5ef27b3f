"""The report's sections on the model: parameters, excitation, physical consistency."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from revolute.identification.bodies import Body, bodies
from revolute.identification.report.markup import cell, section, table, text
from revolute.model.units import number

if TYPE_CHECKING:
    from revolute.identification.fit import Fit

__all__ = ["consistency", "parameters"]

TERMS = 4
"""Terms of a sum that are shown in ink; the others stand small behind them."""


def parameters(fit: Fit) -> str:
    """Base parameters with their errors; those that the log hardly excites by name alone."""
    known = fit.base.matrix @ fit.model.values
    rows = (_parameter(fit, k, float(known[k])) for k in np.flatnonzero(~fit.poor))
    parts = [
        "<p>Forces depend on sums of parameters; each row is one sum. The error is one standard error, with correlation of "
        "the residuals taken into account. The last column is the value of the robot's description. Units are kg, kg m, "
        "kg m², N m, N m s.</p>",
        table(("base parameter", "value", "error", "error %", "description"), rows),
    ]
    if fit.poor.any():
        names = "".join(f"<li>{_sum(fit.names[k])}</li>" for k in np.flatnonzero(fit.poor))
        parts.append(
            f"<h3>Poorly excited: {int(fit.poor.sum())} of {len(fit.names)}</h3>"
            "<p>The log does not tell these: their errors are above 30 % of their values. Their values are not shown. A "
            f"motion that moves these joints more, or faster, would tell.</p><ul class='sums'>{names}</ul>"
        )
    return section("Parameters", "parameters", parts)


def _parameter(fit: Fit, k: int, known: float) -> list[str]:
    return [
        f'<td class="name">{_sum(fit.names[k])}</td>', cell(number(fit.values[k], 5)),
        cell(f"± {number(fit.standard_errors[k], 2)}"), cell(f"{100 * fit.relative_errors[k]:.2g}"),
        cell(number(known, 5)),
    ]  # fmt: skip


def _sum(name: str) -> str:
    """The first terms of a sum in ink, the others small."""
    terms = name.replace(" - ", " + -").split(" + ")
    first, rest = " + ".join(terms[:TERMS]).replace(" + -", " - "), " + ".join(terms[TERMS:]).replace(" + -", " - ")
    sign = "" if rest.startswith("-") else "+ "
    return f"{text(first)} <small>{sign}{text(rest)}</small>" if rest else text(first)


def consistency(fit: Fit) -> str:
    """Whether each link's parameters are those of a body that can exist."""
    links = bodies(fit.model, fit.parameters)
    wrong = [link for link in links if not link.possible]
    words = (
        f"<p>All {len(links)} moving links are bodies that can exist: positive masses, and inertias that some distribution "
        "of mass has.</p>"
        if not wrong
        else f"<p>{len(wrong)} of {len(links)} moving links are bodies that cannot exist. Forces are predicted all the same, "
        "but simulations may fail: fit with physical consistency.</p>"
    )
    headings = ("link", "mass [kg]", "centre of mass [m]", "principal moments [kg m²]", "can exist")
    return section("Physical consistency", "consistency", [words, table(headings, map(list, map(_body, links)))])


def _body(body: Body) -> Iterator[str]:
    yield cell(body.name, "name")
    yield cell(number(body.mass))
    yield cell(", ".join(number(x, 3) for x in body.centre))
    yield cell(", ".join(number(x, 3) for x in body.moments))
    yield cell("yes", "fine") if body.possible else cell(f"no: {body.why}", "bad words")
