"""The report's sections on the model: parameters, excitation, physical consistency."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.identification.fit.fit import Fit
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.report.markup import cell, digits, section, table, text
from revolute.identification.samples import Array
from revolute.model.pseudo_inertia import pseudo_inertia

__all__ = ["MovingLink", "bodies", "consistency", "excitation", "parameters"]

TERMS, SHOWN = 4, 5
"""Number of terms of a sum in large type; and number of directions shown, the weakest first."""

NOT_SHOWN = {
    "poorly excited": "The log hardly determines these: their errors are above 30 % of their values, which are not "
    "shown. Move these joints more, or faster.",
    "near zero": "These are smaller than the log can resolve, with errors that are small beside other parameters of "
    "their kind: forces hardly depend on them.",
}
"""Verdicts on parameters whose values are not shown."""


def parameters(fit: Fit) -> str:
    """Base parameters with their errors; poorly excited ones only by name."""
    known = fit.base.matrix @ fit.model.values
    rows = (_parameter(fit, k, float(known[k])) for k, verdict in enumerate(fit.verdicts) if verdict == "good")
    parts = [
        "<p>Forces depend on sums of parameters, one a row. The error is one standard error, for correlated residuals. "
        "The last column is the value of the robot's description. Units are kg, kg m, kg m², N m, N m s.</p>",
        table(("base parameter", "value", "error", "error %", "description"), rows),
    ]
    parts += [_named(fit, verdict, words) for verdict, words in NOT_SHOWN.items() if verdict in fit.verdicts]
    return section("Parameters", "parameters", parts)


def _named(fit: Fit, verdict: str, words: str) -> str:
    """The parameters with a given verdict by name, with their errors."""
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
    """A sum with its first terms in large type."""
    terms = re.split(r" (?=[+-] )", name)
    first, rest = " ".join(terms[:TERMS]), " ".join(terms[TERMS:])
    return f"{text(first)} <small>{text(rest)}</small>" if rest else text(first)


def consistency(fit: Fit) -> str:
    """Whether each link's parameters are physically consistent."""
    links = bodies(fit.model, fit.parameters)
    wrong = [link for link in links if not link.possible]
    words = (
        f"<p>All {len(links)} moving links are bodies that can exist: their masses are positive, and some distribution "
        "of mass has their inertias.</p>"
        if not wrong
        else f"<p>{len(wrong)} of {len(links)} moving links are bodies that cannot exist. Predicted forces are valid, "
        "but simulations may fail: fit with physical consistency.</p>"
    )
    headings = ("link", "mass [kg]", "centre of mass [m]", "principal moments [kg m²]", "can exist")
    return section("Physical consistency", "consistency", [words, table(headings, map(list, map(_body, links)))])


def _body(body: MovingLink) -> Iterator[str]:
    yield cell(body.name, "name")
    yield cell(digits(body.mass, 4))
    yield cell(", ".join(f"{round(x, 4) + 0.0:.4f}".replace("-", "−") for x in body.centre))
    yield cell(", ".join(digits(x) for x in body.moments))
    yield cell("yes", "fine") if body.possible else cell(f"no: {body.why}", "bad words")


def excitation(fit: Fit) -> str:
    """Condition number, rank, and the weakest directions by the names of their parameters."""
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


SLACK = 1e-9
"""Largest negative eigenvalue that counts as rounding, relative to the largest."""


@dataclass(frozen=True, eq=False)
class MovingLink:
    """A moving link.

    Attributes:
        name: of the link.
        mass: [kg].
        centre: (3,) of mass, in the link's frame [m]; NaN without mass.
        moments: (3,) principal moments about the centre of mass, rising [kg m^2].
        why: the reason why it is not physically consistent; "" if it is. Traversaro et al. 2016; Wensing et al. 2018.
    """

    name: str
    mass: float
    centre: Array
    moments: Array
    why: str

    @property
    def possible(self) -> bool:
        """Whether it is physically consistent: its pseudo-inertia matrix is positive semidefinite."""
        return not self.why


def bodies(model: ForceModel, parameters: Any) -> tuple[MovingLink, ...]:
    """The moving links with (p,) parameters of the model."""
    ten = np.asarray(parameters, dtype=float)[: model.links].reshape(-1, 10)
    names = [name.rpartition(".")[0] for name in model.names[: model.links : 10]]
    return tuple(_moving_link(name, row) for name, row in zip(names, ten, strict=True))


def _moving_link(name: str, ten: Array) -> MovingLink:
    m, h = float(ten[0]), ten[1:4]
    xx, yy, zz, xy, xz, yz = ten[4:]
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m == 0 and not ten.any():
        return MovingLink(name, 0.0, np.full(3, np.nan), np.zeros(3), "")
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = h / m
        about = I - m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments = np.linalg.eigvalsh(about) if np.isfinite(about).all() else np.full(3, np.nan)
    smallest, *_, largest = np.linalg.eigvalsh(pseudo_inertia(ten))
    if smallest >= -SLACK * abs(largest):
        return MovingLink(name, m, centre, moments, "")
    return MovingLink(name, m, centre, moments, _why(m, moments))


def _why(m: float, moments: Array) -> str:
    if m <= 0:
        return "its mass is not positive"
    if moments[0] < 0:
        return "a principal moment is negative"
    return "a principal moment exceeds the sum of the others"
