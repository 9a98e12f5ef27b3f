"""`Row`: an equation, table or algorithm of a text, with functions that compute it and tests that check them."""

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

AGREE = "published/test_formulations.py::test_all_formulations_agree"
"""Test that compares all published formulations with the library's own recursions."""

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


def method(kind: type, name: str) -> Callable[..., Any]:
    """A method that classes share, as a function that `name_of` names after this class: "DrivenRobot.power"."""
    shared: Callable[..., Any] = getattr(kind, name)
    found = wraps(shared)(lambda *args, **named: shared(*args, **named))
    found.__dict__["public_name"] = f"{kind.__name__}.{name}"
    return found


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
