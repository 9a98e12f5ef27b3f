"""Write the tables of docs/reference/published.md from the registry: `python -m tools.formulations_page`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from revolute.published import FORMULATIONS, Formulation

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "published.md"
BEGIN, END = "<!-- written by tools/formulations_page.py -->\n", "<!-- by hand from here on -->\n"

QUANTITIES = {
    "inverse_dynamics": "Inverse dynamics",
    "mass_matrix": "The mass matrix",
    "forward_dynamics": "Forward dynamics",
    "sensitivity": "Sensitivity: derivatives of inverse dynamics",
}


def page(text: str) -> str:
    """The page with new tables."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + "\n".join(lines()) + "\n" + END + after


def lines() -> Iterator[str]:
    """A table and the functions for each quantity."""
    for quantity, heading in QUANTITIES.items():
        here = [f for f in FORMULATIONS.values() if f.quantity == quantity]
        yield from (f"## {heading}", "", "| name | what | joints | source |", "| --- | --- | --- | --- |")
        yield from map(row, here)
        yield ""
        for formulation in here:
            yield from (f"::: {path(formulation)}", "    options: {heading_level: 3}", "")


def row(formulation: Formulation) -> str:
    """A line of a table."""
    line = (inspect.getdoc(formulation.function) or "").partition("\n")[0]
    what = re.split(r"\. (?=BP|LP|GOA|SHV)|; method", line)[0].removesuffix(".")
    name = f"[`{formulation.name}`](#{path(formulation)})"
    cells = (name, what, ", ".join(formulation.joints), formulation.source.replace("-", "–"))
    return "| " + " | ".join(cells) + " |"


def path(formulation: Formulation) -> str:
    """Where the function stands."""
    return f"{formulation.function.__module__}.{formulation.function.__qualname__}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
