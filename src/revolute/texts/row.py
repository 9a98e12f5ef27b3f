"""`Row`: an equation, table or algorithm of a text, with functions that compute it and tests that check them."""

import re
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from revolute.published import FORMULATIONS

AGREE = "published/test_formulations.py::test_all_formulations_agree"
"""Test that compares all published formulations with the library's own recursions."""

published = SimpleNamespace(**{name: formulation.function for name, formulation in FORMULATIONS.items()})
"""The functions that implement published formulations, by name."""

_NUMBER = re.compile(r"(?:(?P<section>[\dA-D](?:\.\d)?)\.)?(?P<number>\d+)[a-z]?")
_NAMES = re.compile(r"(?P<name>.*?)(?P<first>\d+)–(?:[\dA-Z]+[.-])?(?P<last>\d+)")


class Row:
    """A row of a table in a text.

    Attributes:
        place: numbers of equations, algorithms or tables: "Prop. 9.1, 9.89–9.92".
        what: content of the row.
        functions: functions that compute it.
        tests: tests that check these functions, "file::test" in tests/.
        why: reason if there are no tests.
        slips: misprints in the text.
    """

    def __init__(
        self, place: str, what: str, functions: Iterable[Any], *tests: str, why: str = "", slips: str = ""
    ) -> None:
        self.place, self.what, self.functions = place, what, tuple(functions)
        self.tests, self.why, self.slips = tests, why, slips


def parts(place: str) -> list[str]:
    """Split a place into its items: "Def. 9.1–9.2, 9.26–9.28" is Def. 9.1, Def. 9.2, 9.26, 9.27 and 9.28."""
    found: list[str] = []
    for item in place.split(", "):
        ends = [_NUMBER.fullmatch(end) for end in item.split("–")]
        first, last = ends[0], ends[-1]
        if first and last:
            prefix = f"{first['section']}." if first["section"] else ""
            found += [f"{prefix}{k}" for k in range(int(first["number"]), int(last["number"]) + 1)]
        elif names := _NAMES.fullmatch(item):
            found += [f"{names['name']}{k}" for k in range(int(names["first"]), int(names["last"]) + 1)]
        else:
            found.append(item)
    return found
