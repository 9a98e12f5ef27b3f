"""docs/texts/*.md: what stands in the index stands in the pages, each section has formula, function and check."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from test_texts import exists

from tools.texts_pages import FOLDER, INDEX, Section, anchor, page_of, places, rows, sections, with_table

PAGES = sorted(FOLDER.glob("*.md"))
SECTIONS = [(path.stem, section) for path in PAGES for section in sections(path.read_text(encoding="utf-8"))]


@cache
def index() -> str:
    return INDEX.read_text(encoding="utf-8")


@cache
def places_of(name: str) -> frozenset[tuple[str, str]]:
    """All places of the rows that belong to a page."""
    return frozenset(x for row in rows(index()) if page_of(row) == name for x in places(row.place))


def test_every_chapter_of_the_index_has_its_page() -> None:
    assert {page_of(row) for row in rows(index())} == {path.stem for path in PAGES}
    nav = (FOLDER.parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
    for path in PAGES:
        assert f"(texts/{path.name})" in index() and f"texts/{path.name}\n" in nav


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_tables_are_those_of_the_index(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert with_table(path.stem, text, index()) == text, "run `python -m tools.texts_pages`"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_most_rows_with_functions_and_tests_have_a_section(path: Path) -> None:
    """The tables' links show it; a definition or a step of a proof needs none."""
    with_functions = [row for row in rows(index()) if page_of(row) == path.stem and row.functions != "–"]
    treated = set().union(*(places(section.place) for name, section in SECTIONS if name == path.stem))
    found = [row for row in with_functions if places(row.place) & treated]
    assert len(found) >= 0.75 * len(with_functions)


@pytest.mark.parametrize(("name", "section"), SECTIONS, ids=lambda x: x.place if isinstance(x, Section) else x)
def test_a_section_is_place_formula_functions_and_check(name: str, section: Section) -> None:
    named = places(section.place)
    assert named <= places_of(name), named - places_of(name)
    assert "$$" in section.body and re.search(r"^```(python|pycon)$", section.body, re.MULTILINE)
    (line,) = re.findall(r"^\*\*In Revolute:\*\* (.*)$", section.body, re.MULTILINE)
    functions = re.findall(r"`([\w.]+)`", line)
    assert functions and [x for x in functions if not exists(x)] == []


@pytest.mark.parametrize(("name", "section"), SECTIONS, ids=lambda x: x.place if isinstance(x, Section) else x)
def test_numbers_of_formulas_are_in_the_heading(name: str, section: Section) -> None:
    """A formula's number, and of 5.3.46b the 5.3.46, is among those of its section."""
    for marked in re.findall(r"\\text\{\(([\d.]+[a-z]?\)(?:[,–] ?\([\d.]+[a-z]?\))*)\}", section.body):
        for first, last in re.findall(r"([\d.]+)[a-z]?\)(?:–\(([\d.]+))?", marked):
            assert places(f"{first}–{last}" if last else first) <= places(section.place), marked


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_files_and_pictures_that_pages_name_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)
    assert all(len(words) > 20 and (FOLDER / file).is_file() for words, file in pictures)
    assert all((FOLDER.parents[1] / file).is_file() for file in re.findall(r"`(src/[\w/]+\.py)`", text))
    blocks = re.findall(r"^```py\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [line for block in blocks for line in block.splitlines() if len(line) > 85] == []


@pytest.mark.parametrize(
    ("heading", "address"),
    [
        ("9.10: Kinetic energy by the mass matrix", "910-kinetic-energy-by-the-mass-matrix"),
        ("GetJointAccel, 9.89: Accelerations", "getjointaccel-989-accelerations"),
        ("9.83–9.84: c and g", "983984-c-and-g"),
    ],
)
def test_addresses_are_those_of_mkdocs(heading: str, address: str) -> None:
    assert anchor(heading) == address


def test_places_are_read() -> None:
    assert places("Def. 9.1–9.2, 9.26–9.27") == {("", "Def. 9.1"), ("", "Def. 9.2"), ("9", "26"), ("9", "27")}
    assert places("Alg. 5.7, 5.3.46") == {("", "Alg. 5.7"), ("5.3", "46")}
