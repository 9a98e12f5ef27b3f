"""`Row`: an equation, table or algorithm of a text, with functions that compute it and tests that check them."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Self

_LETTERS = re.compile(r"(?P<number>[^–]*\d)(?P<first>[a-z])(?:–(?:(?P=number))?(?P<last>[a-z]))?")
_RANGE = re.compile(r"(?P<name>.*?)(?P<first>\d+)–(?P<again>.*?)(?P<last>\d+)")
_QUOTED = re.compile("`([^`]+)`")


class Row(NamedTuple):
    """A row of a table in docs/texts/: an equation or algorithm, the functions that compute it, and their tests."""

    page: str  # page with the table, in docs/texts/ and without its suffix: "lp-9", "bp-5", "goa"
    place: str  # numbers of equations, algorithms or tables: "Prop. 9.1, 9.89–9.92"
    what: str
    names: tuple[str, ...] = ()  # public names of functions that compute it: "Robot.mass_matrix"
    tests: tuple[str, ...] = ()  # tests that check these functions, "file::test" in tests/
    why: str = ""  # reason if there are no tests
    # further arguments of functions that have them, as one types them: {"reference": '"aligned"'}
    options: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, page: str, place: str, what: str, functions: str, tests: str, arguments: str) -> Self:
        """A row from the cells of its page. In place of tests, a page may give a reason after "none: "."""
        names, options = (_QUOTED.findall(cell) for cell in (functions, arguments))
        _, without, why = tests.partition("none: ")
        known = () if without else _QUOTED.findall(tests)
        return cls(page, place, what, (*names,), (*known,), why, dict(option.split("=", 1) for option in options))


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
