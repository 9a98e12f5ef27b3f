"""docs/texts/*.md: what stands in the index stands in the pages, each section has formula, function and check."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from test_texts import ROWS, exists

from revolute.texts import TEXTS
from revolute.texts.passage import PAGES as OF_TEXTS
from revolute.texts.passage import anchor
from revolute.texts.row import parts
from tools.gallery.texts import FIGURES

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "texts"
PAGES = sorted(FOLDER.glob("*.md"))
DRAWN = {f"images/{name}.svg" for name in FIGURES}
hook = runpy.run_path(str(DOCS / "texts_hook.py"))


class Section(NamedTuple):
    """A section that begins with the place of equations: `### 9.10: Kinetic energy`."""

    place: str
    body: str


def sections(page: str) -> list[Section]:
    cut = re.split(r"^#{2,3} (.*)\n", page, flags=re.MULTILINE)
    parts = zip(cut[1::2], cut[2::2], strict=True)
    return [Section(head.partition(": ")[0], body) for head, body in parts if "$$" in body]


SECTIONS = [(path.stem, section) for path in PAGES for section in sections(path.read_text(encoding="utf-8"))]


def built(path: Path) -> str:
    """A page as MkDocs gets it from the hook."""
    file = SimpleNamespace(src_uri=path.relative_to(DOCS).as_posix())
    shown: str = hook["on_page_markdown"](path.read_text(encoding="utf-8"), SimpleNamespace(file=file))
    return shown


def places_of(name: str) -> set[str]:
    """All places of the rows that belong to a page."""
    return {part for _, row in ROWS if row.page == name for part in parts(row.place)}


def test_every_chapter_has_its_page() -> None:
    index, nav = (FOLDER.with_suffix(".md"), DOCS.parent / "mkdocs.yml")
    assert sorted(name for names in OF_TEXTS.values() for name in names) == [path.stem for path in PAGES]
    for path in PAGES:
        assert f"(texts/{path.name})" in index.read_text(encoding="utf-8")
        assert f"texts/{path.name}\n" in nav.read_text(encoding="utf-8")


def test_every_number_has_an_anchor_and_words_for_the_search_on_its_page() -> None:
    pages = {path.stem: built(path) for path in PAGES}
    for letters, row in ROWS:
        page = pages[row.page]
        for part in parts(row.place):
            assert page.count(f"[](){{#{anchor(letters, part)}}}{letters} {part}") == 1, f"{letters} {part}"
        assert f"| {row.what}" in page
    index = built(FOLDER.with_suffix(".md"))
    for letters, row in ROWS:
        assert f"| [{row.place}](texts/{row.page}.md#{anchor(letters, parts(row.place)[0])}) |" in index
    assert index.count("\n| [") == sum(map(len, TEXTS.values()))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_row_with_functions_has_a_section(path: Path) -> None:
    """But for GOA's measured times."""
    rows = [row for _, row in ROWS if row.page == path.stem and row.names]
    treated = {part for name, section in SECTIONS if name == path.stem for part in parts(section.place)}
    assert [row.place for row in rows if treated.isdisjoint(parts(row.place))] in ([], ["section VII"])


@pytest.mark.parametrize(("name", "section"), SECTIONS, ids=lambda x: x.place if isinstance(x, Section) else x)
def test_a_section_is_place_formula_functions_and_check(name: str, section: Section) -> None:
    named = set(parts(section.place))
    assert named <= places_of(name), named - places_of(name)
    assert "$$" in section.body and re.search(r"^```(python|pycon)$", section.body, re.MULTILINE)
    (line,) = re.findall(r"^\*\*In Revolute:\*\* (.*)$", section.body, re.MULTILINE)
    functions = re.findall(r'`([\w.]+(?:\("\w+"(?:, \w+="\w+")?\))?)`', line)
    assert functions and [x for x in functions if not exists(x)] == []


@pytest.mark.parametrize(("name", "section"), SECTIONS, ids=lambda x: x.place if isinstance(x, Section) else x)
def test_numbers_of_formulas_are_in_the_heading(name: str, section: Section) -> None:
    """A formula's number, and of 5.3.46b the 5.3.46, is among those of its section."""
    for marked in re.findall(r"\\text\{\(([\d.]+[a-z]?\)(?:[,–] ?\([\d.]+[a-z]?\))*)\}", section.body):
        for first, last in re.findall(r"([\d.]+)[a-z]?\)(?:–\(([\d.]+))?", marked):
            assert {*parts(f"{first}–{last}" if last else first)} <= {*parts(section.place)}, marked


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_files_and_pictures_that_pages_name_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)
    assert all(len(words) > 20 and file in DRAWN for words, file in pictures)
    assert all((FOLDER.parents[1] / file).is_file() for file in re.findall(r"`(src/[\w/]+\.py)`", text))
    blocks = re.findall(r"^```py\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [line for block in blocks for line in block.splitlines() if len(line) > 85] == []
