"""`Row`: an equation, table or algorithm of a text, with functions that compute it and tests that check them."""

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

AGREE = "published/test_formulations.py::test_all_formulations_agree"
"""Test that compares all published formulations with the library's own recursions."""

_LETTERS = re.compile(r"(?P<number>[^–]*\d)(?P<first>[a-z])(?:–(?:(?P=number))?(?P<last>[a-z]))?")
_RANGE = re.compile(r"(?P<name>.*?)(?P<first>\d+)–(?P<again>.*?)(?P<last>\d+)")


class Row:
    """A row of a table in a text.

    Attributes:
        place: numbers of equations, algorithms or tables: "Prop. 9.1, 9.89–9.92".
        what: content of the row.
        functions: functions that compute it.
        tests: tests that check these functions, "file::test" in tests/.
        why: reason if there are no tests.
        options: further arguments of functions that have them, as one types them: {"reference": '"aligned"'}.
    """

    def __init__(
        self, place: str, what: str, functions: Iterable[Any], *tests: str, why: str = "", **options: str
    ) -> None:
        self.place, self.what, self.functions = place, what, tuple(functions)
        self.tests, self.why, self.options = tests, why, options


def method(kind: type, name: str) -> Callable[..., Any]:
    """A method that classes share, as a function that `name_of` names after this class: "DrivenRobot.power"."""
    shared: Callable[..., Any] = getattr(kind, name)
    found = wraps(shared)(lambda *args, **named: shared(*args, **named))
    found.__dict__["public_name"] = f"{kind.__name__}.{name}"
    return found


def parts(place: str) -> list[str]:
    """Split a place into its items: "Def. 9.1–9.2, 9.26–9.28" is Def. 9.1, Def. 9.2, 9.26, 9.27 and 9.28."""
    return [number for number, _ in lettered(place)]


def lettered(place: str) -> list[tuple[str, str]]:
    """Split a place into numbers and letters: "5.1.1, 5.2.3a–b" is ("5.1.1", ""), ("5.2.3", "a") and ("5.2.3", "b")."""
    found: list[tuple[str, str]] = []
    for item in place.split(", "):
        if some := _LETTERS.fullmatch(item):
            letters = range(ord(some["first"]), ord(some["last"] or some["first"]) + 1)
            found += [(some["number"], chr(letter)) for letter in letters]
        elif (some := _RANGE.fullmatch(item)) and some["name"].endswith(some["again"]):
            found += [(f"{some['name']}{k}", "") for k in range(int(some["first"]), int(some["last"]) + 1)]
        else:
            found.append((item, ""))
    return found
