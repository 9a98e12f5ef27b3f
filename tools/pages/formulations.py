"""Tables of docs/reference/published.md, and its pages, from the registry of formulations."""

import inspect
import re
from collections.abc import Iterator

from revolute.published import FORMULATIONS, Formulation
from tools.pages import Files, completed

PAGE = "reference/published.md"

QUANTITIES = {
    "inverse_dynamics": "Inverse dynamics",
    "mass_matrix": "The mass matrix",
    "forward_dynamics": "Forward dynamics",
    "sensitivity": "Sensitivity: derivatives of inverse dynamics",
}

SIGNATURES = {
    "inverse_dynamics": "`(model, q, qd, qdd)`, and return n joint forces [N m, N]",
    "mass_matrix": "`(model, q)`, and return n rows of n scalars [kg m^2, kg m, kg]",
    "forward_dynamics": "`(model, q, qd, tau)`, and return n joint accelerations [rad/s^2, m/s^2]",
    "sensitivity": "`(model, q, qd, qdd)`, and return D, V and P, n rows of n scalars each",
}
"""Arguments and results of functions."""


def pages() -> Files:
    """The page with its tables, and a page of functions for each quantity."""
    written: Files = {PAGE: completed(PAGE, tables())}
    for quantity in QUANTITIES:
        written[page_of(quantity)] = "\n".join(functions(quantity))
    return written


def page_of(quantity: str) -> str:
    """The page of a quantity's functions, from docs/."""
    return f"reference/published/{quantity.replace('_', '-')}.md"


def tables() -> Iterator[str]:
    """A table for each quantity, with links to its page."""
    for quantity, heading in QUANTITIES.items():
        yield from (f"## {heading}", "", "| name | what | joints | source |", "| --- | --- | --- | --- |")
        yield from map(row, formulations(quantity))
        yield ""


def functions(quantity: str) -> Iterator[str]:
    """A page of functions."""
    yield from ("---", "search: {boost: 0.2}", "---", "")
    yield from (f"# {QUANTITIES[quantity]}, as published", "")
    yield from ("Their table, with sources, is on [Published algorithms](../published.md).", "")
    yield f"They take {SIGNATURES[quantity]}. The model is a serial arm on a fixed base, and q, qd, qdd and tau are"
    yield from ("n scalars each [rad, m, s, N m, N].", "")
    for formulation in formulations(quantity):
        yield from (f"::: {path(formulation)}", "    options: {show_root_full_path: false}", "")


def formulations(quantity: str) -> list[Formulation]:
    """The formulations of a quantity, in their order."""
    return [formulation for formulation in FORMULATIONS.values() if formulation.quantity == quantity]


def row(formulation: Formulation) -> str:
    """A line of a table."""
    line = (inspect.getdoc(formulation.function) or "").partition("\n")[0]
    what = re.split(r"\. (?=BP|LP|GOA|SHV)|; method", line)[0].removesuffix(".")
    page = page_of(formulation.quantity).removeprefix("reference/")
    name = f"[`{formulation.name}`]({page}#{path(formulation)})"
    cells = (name, what, ", ".join(formulation.joints), formulation.source.replace("-", "–"))
    return "| " + " | ".join(cells) + " |"


def path(formulation: Formulation) -> str:
    """Where the function stands."""
    return f"{formulation.function.__module__}.{formulation.function.__qualname__}"
