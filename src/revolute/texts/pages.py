"""The pages docs/texts/*.md as data: rows, sections with their formulas, misprints, and places without a row.

In a wheel, the pages are beside this file; in a checkout, they are in docs/.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from revolute.texts.row import Row, lettered

_INSTALLED = Path(__file__).with_name("markdown")
FOLDER = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[3] / "docs" / "texts"  # the folder of the pages
_SECTION = re.compile(r"^### (?P<place>[^:\n]+): .*\n(?:(?!##|<!--).*\n)*", re.MULTILINE)
_DISPLAY = re.compile(r"^\$\$(.*?)\$\$$", re.MULTILINE | re.DOTALL)
_NO_SENTENCE = re.compile(r"(?ms)^```.*?^```$|^\$\$.*?\$\$$|^(?:###|!\[|\*\*In Revolute:)[^\n]*$")
_TAG = re.compile(r"(?:&&)?\\qquad\\text\{(\([\dA-Z][^}]*)\}\s*$")
_MATRIX = re.compile(r"\\begin\{([a-z]+)\}.*?\\end\{\1\}", re.DOTALL)
Numbers = Iterable[tuple[str, str]]  # numbers with letters: ("9.45", "") and ("5.3.46", "b")


class Formula(NamedTuple):
    """A displayed formula in LaTeX, and its numbers on the page."""

    latex: str
    numbers: Numbers


class Section(NamedTuple):
    """A section of a page: the numbers in its heading, its line number and its whole text."""

    place: str
    line: int
    markdown: str

    def text(self) -> list[str]:
        """Paragraphs, without formulas, code, and introductions to code, which are paragraphs that end with a colon."""
        paragraphs = re.split(r"\n\n+", _NO_SENTENCE.sub("", self.markdown).strip())
        return [" ".join(x.split("\n")) for x in paragraphs if x and not x.endswith(":")]

    def formulas(self) -> list[Formula]:
        """Displayed formulas, one for each left-hand side."""
        return [formula for block in _DISPLAY.findall(self.markdown) for formula in _formulas(block)]


class Page(NamedTuple):
    """A page: rows, sections, misprints by number, other places and their equations, and equations with letters."""

    path: Path
    rows: tuple[Row, ...]
    sections: list[Section]
    misprints: list[tuple[Numbers, str]]
    others: list[list[str]]
    letters: Numbers


@cache
def page(name: str) -> Page:
    """Read a page, such as "lp-9"."""
    path = FOLDER / f"{name}.md"
    markdown = path.read_text(encoding="utf-8")
    found = re.search(r"^Equations with parts: ((?:.+\n)*.+)\.$", markdown, re.MULTILINE)
    return Page(
        path,
        tuple(Row.of(name, *cells) for cells in _table(markdown, "All equations of the text")),
        [Section(x["place"], markdown.count("\n", 0, x.start()) + 1, x[0]) for x in _SECTION.finditer(markdown)],
        [(lettered(place), f"{place}: {text}") for place, text in _table(markdown, "Misprints")],
        _table(markdown, "Sections, figures and remarks"),
        lettered(found[1].replace("\n", " ")) if found else [],
    )


def meet(some: Numbers, others: Numbers) -> bool:
    """Whether two sets of numbers overlap; a number without a letter includes the same number with any letter."""
    return any(a == b and (not x or not y or x == y) for a, x in some for b, y in others)


def _table(markdown: str, title: str) -> list[list[str]]:
    below = re.search(rf"^## {title}\n((?:(?!##).*\n)*)", markdown, re.MULTILINE)
    return [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", below[1], re.MULTILINE)[2:]] if below else []


def _formulas(block: str) -> list[Formula]:
    """Formulas of a display. A formula without a number gets the number of the next numbered formula."""
    inside = re.sub(r"\\(?:begin|end)\{align\*\}", "", block)
    rows = _MATRIX.sub(lambda found: found[0].replace(r"\\", "\0"), inside).split(r"\\")
    statements: list[tuple[list[str], list[str]]] = []
    for row in (row.replace("\0", r"\\").strip() for row in rows):
        tag = _TAG.search(row)
        if not (statements and row.startswith("&")):
            statements.append(([], []))
        statements[-1][0].append(row[: tag.start()] if tag else row)
        statements[-1][1].extend([tag[1]] if tag else [])
    found: list[Formula] = []
    numbers: Numbers = []
    for lines, tags in reversed(statements):
        latex, label = " \\\\\n".join(lines), ", ".join(tags)
        if inside != block:
            latex = rf"\begin{{aligned}} {latex} \end{{aligned}}"
        numbers = lettered(re.sub(r"[()]", "", label)) if label else numbers
        found.append(Formula(latex + rf" \tag*{{{label}}}" * bool(label), numbers))
    return found[::-1]
