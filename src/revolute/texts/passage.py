"""`find`: the contents of a place in the five texts.

Functions have their public names: `Robot.mass_matrix`, `tensors.dual`, `published.garofalo`.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from revolute import library, published
from revolute.arguments import nearest
from revolute.errors import InputError, UnknownNameError
from revolute.library import examples
from revolute.machine.declare import method_of
from revolute.machine.driven import DrivenRobot
from revolute.machine.elastic import ElasticRobot
from revolute.machine.lagrangian import System, lagrange
from revolute.machine.operational import OperationalSpace
from revolute.machine.robot import Robot
from revolute.model.joints import Free, Spherical
from revolute.spatial import Inertia, Rotation, Transform, Twist, Wrench, tensors
from revolute.symbolic.terminal import in_terminal, markdown_in_terminal
from revolute.texts.calls import call_of
from revolute.texts.citations import cited
from revolute.texts.pages import Formula, meet, page
from revolute.texts.row import Row, lettered, parts

PAGES = {
    "LP": ("lp-9",), "BP": tuple(f"bp-{chapter}" for chapter in range(2, 8)), "JIN": ("jin",), "GOA": ("goa",),
    "SHV": ("shv-6",),
}  # fmt: skip
TEXTS: Mapping[str, tuple[Row, ...]] = {
    letters: tuple(row for name in names for row in page(name).rows) for letters, names in PAGES.items()
}
"""Rows of each text, by the abbreviation of the text."""

_RESULTS = {
    "inverse_dynamics": "joint forces", "mass_matrix": "the mass matrix", "forward_dynamics": "joint accelerations",
    "sensitivity": "derivatives of joint forces with respect to accelerations, velocities and positions",
}  # fmt: skip
"""Results of published algorithms, by the quantity that they compute."""

_KINDS = (Robot, DrivenRobot, ElasticRobot, Inertia, Twist, Wrench, Transform, Rotation, Free, Spherical)
_OTHERS = {
    "machine.operational.OperationalSpace": OperationalSpace, "machine.lagrangian.System": System,
    "published.MotionPartials": published.MotionPartials,
}  # fmt: skip
_MODULES: dict[str, ModuleType] = {
    "robots": library, "tensors": tensors, "library.examples": examples, "published": published,
    "published.ledger": published.ledger, "published.rigid_body": published.rigid_body,
}  # fmt: skip


_WORDS = {
    "proposition": "prop", "algorithm": "alg", "equation": "", "equations": "", "eq": "", "eqs": "", "example": "ex",
    "definition": "def", "fig": "figure", "sec": "section", "§": "section", "tables": "table", "rem": "remark",
}  # fmt: skip
"""{word or abbreviation for a kind of place: its normal form}."""


@dataclass(frozen=True, repr=False)
class Passage:
    """A place of a text. `print` shows it like `revolute text`.

    Attributes:
        number: text and place: "LP 9.45".
        title: title of the place.
        formulas: formulas in LaTeX.
        text: paragraphs of the section, except introductions to code, in Markdown.
        misprints: known misprints and their places, in Markdown.
        notes: reasons why functions or tests are missing, and other hints.
        calls: calls of functions that compute the place.
        related: names of other functions and classes whose docstrings cite the place.
        tests: tests of these functions, in the source distribution.
        page: file and line of the section, with formulas and code that checks them.
        section: the section, in Markdown.
    """

    number: str
    title: str
    formulas: tuple[str, ...]
    text: tuple[str, ...]
    misprints: tuple[str, ...]
    notes: tuple[str, ...]
    calls: tuple[str, ...]
    related: tuple[str, ...]
    tests: tuple[str, ...]
    page: str
    section: str

    def show(self, latex: bool = False) -> str:
        """All parts except the section, with formulas in LaTeX or as text for a terminal."""
        formula, words = (str, str) if latex else (in_terminal, markdown_in_terminal)
        lines = [f"    {line}" for latex in self.formulas for line in formula(latex).splitlines()]
        lines = [f"{self.number}: {self.title}", "", *lines] + [""] * bool(lines) + [f"  {words(x)}" for x in self.text]
        labels = {"misprint": self.misprints, "note": self.notes, "call": self.calls, "see also": self.related}
        labels["test"] = self.tests
        lines += [f"  {label}: {words(value)}" for label, values in labels.items() for value in values]
        return "\n".join([*lines, f"  page: {self.page}"])

    def __repr__(self) -> str:
        return self.show()


def find(place: str) -> Passage:
    """Look up a place of the five texts: its formulas, misprints, functions, tests and page.

    Args:
        place: LP, BP, JIN, GOA or SHV, then a number, a range, or the name of a proposition, algorithm, table, section
            or figure: "LP 9.45", "LP 9.44–9.46", "BP 5.3.44b", "GOA Prop. 5", "BP Alg. 5.7", "LP section 9.6". The
            text may be omitted if only one text contains the place: "Table 6.1".

    Raises:
        UnknownNameError: the text or the place in it does not exist.
        InputError: the place is not a string, or several texts contain it.

    Example:
        >>> revolute.texts.find("SHV 6.55").calls
        ('robot.potential_energy(q)',)
    """
    if not isinstance(place, str):
        raise InputError(f"find: a place must be text such as 'LP 9.45', not {place!r}")
    if found := re.match(rf"\s*({'|'.join(TEXTS)})(?![a-z])[\s:]*(.*)", place, re.IGNORECASE | re.DOTALL):
        return _passage(found[1].upper(), found[2].strip())
    having = [letters for letters in TEXTS if _part(letters, lettered(_plain(place.split(",")[0]))[0][0])]
    if not having:
        raise UnknownNameError(f"find: {place!r} must begin with one of {', '.join(TEXTS)}; write it like 'LP 9.45'")
    if len(having) > 1:
        raise InputError(f"find: {' and '.join(having)} have a {place.strip()}; write '{having[0]} {place.strip()}'")
    return _passage(having[0], place.strip())


def _passage(letters: str, place: str) -> Passage:
    """The contents of a place, such as "9.45", of the text with these letters, such as "LP"."""
    asked = [number for item in place.split(",") for number in _numbers(letters, item.strip())]
    found = [_places()[letters][_plain(part)][1] for part, _ in asked]
    rows = list({id(row): row for row in found}.values())
    pages = [page(name) for name in dict.fromkeys(row.page for row in rows)]
    sections = [section for one in pages for section in one.sections if meet(asked, lettered(section.place))]
    notes = [f"no {'test' if row.names else 'call'}: {row.why}" for row in rows if row.why]
    formulas: list[Formula] = []
    for section in sections:
        exact = [formula for formula in section.formulas() if meet(asked, formula.numbers)]
        if not exact and re.fullmatch(r"[A-C]?[.\d]+", asked[0][0]) and any(x.numbers for x in section.formulas()):
            notes.append(f"the page has no formula of {place} alone; these are those of {section.place}")
        formulas += exact if exact and not set(lettered(section.place)) <= set(asked) else section.formulas()
    shown = [*asked, *(number for formula in formulas for number in formula.numbers)]
    own = {name for row in rows for name in row.names}
    for name in sorted(own):
        if algorithm := published.FORMULATIONS.get(name.removeprefix("published.")):
            notes.append(f"`{name}` is a whole algorithm: it returns {_RESULTS[algorithm.quantity]}")
    things = dict(_public())
    citing = dict.fromkeys(name for part, _ in asked for name in _citing().get((letters, part), ()))
    also, other = _places()[letters].get(f"section{_plain(place)}", ("", None))
    if other and other not in rows:
        notes.append(f"{letters} has a {also} too: {other.what}")
    return Passage(
        f"{letters} {place if len(asked) > 2 else ', '.join(map(''.join, asked))}",
        "; ".join(row.what for row in rows),
        tuple(formula.latex for formula in formulas),
        tuple(paragraph for section in sections for paragraph in section.text()),
        tuple(text for one in pages for numbers, text in one.misprints if meet(shown, numbers)),
        tuple(notes),
        tuple(dict.fromkeys(call_of(things[name], name, row.options) for row in rows for name in row.names)),
        tuple(name for name in citing if name not in own),
        tuple(dict.fromkeys(f"tests/{test}" for row in rows for test in row.tests)),
        f"{pages[0].path}:{sections[0].line}" if sections else str(pages[0].path),
        "\n".join(section.markdown for section in sections),
    )


def _numbers(letters: str, item: str) -> list[tuple[str, str]]:
    """(place, letter) of each place that an item names; raise `UnknownNameError` if one does not exist."""
    plain = _plain(item)
    if letters == "SHV" and plain.startswith("problem") and not _part(letters, plain):
        plain = "problems"  # our copy has lost their numbers
    asked = [(plain, "")] if _part(letters, plain) else lettered(plain)
    found = [(part, letter) for number, letter in asked if (part := _part(letters, number))]
    if not found or len(found) < len(asked):
        names = [part for part, _ in _places()[letters].values()]
        has = f"has no {item}" if item else "needs a place"
        raise UnknownNameError(f"find: {letters} {has}; {nearest(item, names)}")
    for part, letter in found:
        known = [x for name, x in page(_places()[letters][_plain(part)][1].page).letters if name == part]
        if letter and letter not in known:
            has = f"the parts {known[0]} to {known[-1]}" if known else "no parts with letters"
            raise UnknownNameError(f"find: {letters} {part} has {has}, not {item}")
    return found


def _part(letters: str, plain: str) -> str:
    """The place whose normal form is `plain`, or ""; if no equation has this number, the section with it."""
    known = _places()[letters]
    return (known.get(plain) or known.get(f"section{plain}") or [""])[0] if plain else ""


def _plain(name: str) -> str:
    """A name in normal form: lower case, without brackets, blanks, and dots or hyphens after words; "–" in ranges."""
    plain = re.sub(r"[()\s]|(?<=[a-z])\.", "", name.lower().replace("–", "-"))
    plain = re.sub(r"(?<=[a-z])(?<!\d[a-z])-", "", plain).replace("-", "–")
    return re.sub("^([a-z]+|§)(?=.*\\d)", lambda word: _WORDS.get(word[0], word[0]), plain)


@cache
def _places() -> dict[str, dict[str, tuple[str, Row]]]:
    """For each text, {normal form of a place: (the place as written, its row)}."""
    found: dict[str, dict[str, tuple[str, Row]]] = {}
    for letters, names in PAGES.items():
        entries = [(part, row) for row in TEXTS[letters] for part in parts(row.place)]
        for name in names:
            for place, what, see in page(name).others:
                why = "it has no equations" if see == "none" else f"see {letters} {see}"
                entries.append((place, Row(name, place, what, why=why)))
        found[letters] = {_plain(part): (part, row) for part, row in entries}
    return found


def anchor(letters: str, part: str) -> str:
    """The HTML anchor of a place on its page, such as "lp-9-45" or "goa-prop-5"."""
    return re.sub(r"[^a-z0-9]+", "-", f"{letters} {part}".lower()).strip("-")


def _identity(thing: Any) -> int:
    return id(getattr(thing, "__func__", thing))


@cache
def _names() -> dict[int, str]:
    """{identity of a public object: its first public name}."""
    found: dict[int, str] = {}
    for name, thing in _public():
        found.setdefault(_identity(thing), name)
    return found


@cache
def _citing() -> dict[tuple[str, str], list[str]]:
    """For each text and place, the names of public functions and classes whose docstrings cite the place."""
    names: dict[tuple[str, str], list[str]] = {}
    for name, thing in _public():
        if _names()[_identity(thing)] == name:
            for place in cited(inspect.getdoc(thing) or ""):
                names.setdefault(place, []).append(name)
    return names


@cache
def _public() -> tuple[tuple[str, Any], ...]:
    """Public names and their objects. The objects are kept, so that their identities remain valid."""
    return tuple(_members())


def _members() -> Iterator[tuple[str, Any]]:
    for place, kind in ({kind.__name__: kind for kind in _KINDS} | _OTHERS).items():
        yield place, kind
        yield from ((f"{place}.{name}", getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    for name, function in Robot.functions().items():
        frame = ', frame="tool0"' * ("frame" in function.needed)
        yield f'robot.kernel("{name}"{frame})', method_of(Robot, name)
    yield "lagrange", lagrange
    for place, module in _MODULES.items():
        yield from ((f"{place}.{name}", getattr(module, name)) for name in dir(module) if not name.startswith("_"))
