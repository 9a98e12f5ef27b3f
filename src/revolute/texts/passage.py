"""`text`: find the row of an equation, an algorithm or a table of the five texts.

`name_of` gives the public names of its functions: `Robot.mass_matrix`, `tensors.dual`, `published.garofalo`.
"""

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
from revolute.texts import bp, goa, jin, lp, shv
from revolute.texts.row import Row, parts

TEXTS: Mapping[str, tuple[Row, ...]] = {"LP": lp.ROWS, "BP": bp.ROWS, "JIN": jin.ROWS, "GOA": goa.ROWS, "SHV": shv.ROWS}
"""Rows of each text, by the abbreviation of the text."""

_APPENDICES = {"A.": "5", "B.": "5", "Lemma C": "7", "C.": "7", "appendix D": "2"}
"""Chapters of BP to which its appendices belong; BP appendix D lists the symbols."""

_KINDS = (Robot, DrivenRobot, ElasticRobot, Inertia, Twist, Wrench, Transform, Rotation, Free, Spherical)
_OTHERS = {
    "machine.operational.OperationalSpace": OperationalSpace, "machine.lagrangian.System": System,
    "published.MotionPartials": published.MotionPartials,
}  # fmt: skip
_MODULES: dict[str, ModuleType] = {
    "robots": library, "tensors": tensors, "library.examples": examples, "published": published,
    "published.ledger": published.ledger, "published.rigid_body": published.rigid_body,
}  # fmt: skip


@dataclass(frozen=True)
class Passage:
    """A passage of a text.

    Attributes:
        text: abbreviation of the text, such as "LP".
        place: as in the row, such as "9.45".
        row: row of the passage.
    """

    text: str
    place: str
    row: Row

    @property
    def page(self) -> str:
        """Address of the passage in a page with formulas and a check."""
        return f"docs/texts/{page_of(self.text, self.row)}.md#{anchor(self.text, self.place)}"

    def __repr__(self) -> str:
        row = self.row
        lines = [
            f"{self.text} {row.place}: {row.what}",
            f"  in Revolute: {', '.join(map(name_of, row.functions)) or 'none'}",
            f"  page: {self.page}",
            *(f"  test: tests/{test}" for test in row.tests),
        ]
        lines += [f"  no test: {row.why}"] * bool(row.why) + [f"  slips of the print: {row.slips}"] * bool(row.slips)
        return "\n".join(lines)


def text(place: str) -> Passage:
    """Look up an equation, algorithm or table of the five texts: its content, function, page and test.

    Args:
        place: LP, BP, JIN, GOA or SHV, then the number of an equation, or the name of a proposition, an algorithm or a
            table: "LP 9.45", "BP 5.3.44b", "GOA Prop. 5", "BP Alg. 5.7".

    Raises:
        UnknownNameError: the text or the place in it does not exist.
        InputError: the place is not a string.

    Example:
        >>> import revolute
        >>> revolute.text("LP 9.3")
        LP 9.3: Euler–Lagrange equations
          in Revolute: lagrange
          page: docs/texts/lp-9.md#lp-9-3
          test: tests/machine/test_lagrange.py::test_a_random_tree_moves_as_its_energies_say
    """
    if not isinstance(place, str):
        raise InputError(f"text: a place must be text such as 'LP 9.45', not {place!r}")
    letters, _, rest = place.strip().partition(" ")
    letters = letters.upper()
    if letters not in TEXTS:
        raise UnknownNameError(f"text: {place!r} must begin with one of {', '.join(TEXTS)}; write it like 'LP 9.45'")
    wanted = _plain(rest)
    found = _places()[letters].get(wanted) or _places()[letters].get(re.sub(r"(?<=\d)[a-z]$", "", wanted))
    if not found:
        known = [place for place, _ in _places()[letters].values()]
        raise UnknownNameError(
            f"text: {letters} has no {rest.strip() or 'place without a number'}; {nearest(rest.strip(), known)}"
        )
    return Passage(letters, *found)


def _plain(name: str) -> str:
    """A name in a normal form: lower case, without brackets, blanks and dots after words."""
    words = {"proposition": "prop", "algorithm": "alg", "equation": "", "eq": "", "example": "ex", "definition": "def"}
    plain = re.sub(r"[()\s]|(?<=[a-z])\.", "", name.lower().replace("–", "-"))
    word = re.match(r"[a-z]*", plain)
    assert word is not None
    return words.get(word[0], word[0]) + plain[word.end() :] if re.search(r"\d", plain) else plain


@cache
def _places() -> dict[str, dict[str, tuple[str, Row]]]:
    """For each text {normal form of a place: (the place as written, its row)}."""
    return {
        letters: {_plain(part): (part, row) for row in rows for part in parts(row.place)}
        for letters, rows in TEXTS.items()
    }


def page_of(letters: str, row: Row) -> str:
    """The page of a row, in docs/texts/ and without its suffix: "lp-9", "bp-5", "goa"."""
    if letters != "BP":
        return {"LP": "lp-9", "SHV": "shv-6"}.get(letters, letters.lower())
    chapters = [chapter for start, chapter in _APPENDICES.items() if row.place.startswith(start)]
    chapters += re.findall(r"[2-7](?=\.\d)", row.place)
    return f"bp-{chapters[0]}"


def anchor(letters: str, part: str) -> str:
    """The address of a place in its page: "lp-9-45", "goa-prop-5"."""
    return re.sub(r"[^a-z0-9]+", "-", f"{letters} {part}".lower()).strip("-")


def name_of(thing: Any) -> str:
    """The name of a function, class or constant, from `revolute` on."""
    name = getattr(thing, "public_name", None) or _names().get(_identity(thing))
    if name is None:
        module = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
        words = module.removeprefix("revolute.").split(".")
        if not isinstance(thing, ModuleType) and words[-1] != thing.__qualname__:
            words.append(thing.__qualname__)
        name = ".".join(words)
    return name


def _identity(thing: Any) -> int:
    return id(getattr(thing, "__func__", thing))


@cache
def _names() -> dict[int, str]:
    """Names of the public members of a class or a module, by identity."""
    found: dict[int, str] = {}
    for name, thing in _public():
        found.setdefault(_identity(thing), name)
    return found


def _public() -> Iterator[tuple[str, Any]]:
    for place, kind in ({kind.__name__: kind for kind in _KINDS} | _OTHERS).items():
        yield place, kind
        yield from ((f"{place}.{name}", getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    for name, function in Robot.functions().items():
        frame = ', frame="tool0"' * ("frame" in function.needed)
        yield f'robot.kernel("{name}"{frame})', method_of(Robot, name)
    yield "lagrange", lagrange
    for place, module in _MODULES.items():
        yield from ((f"{place}.{name}", getattr(module, name)) for name in dir(module) if not name.startswith("_"))
