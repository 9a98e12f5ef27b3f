"""Pages on the texts: their rows with links and without tests, and anchors for every number, found by the search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from revolute.symbolic.terminal import markdown_in_terminal
from revolute.texts import TEXTS
from revolute.texts.pages import meet, page
from revolute.texts.passage import PAGES, anchor
from revolute.texts.row import Row, lettered, parts

OF_PAGE = {name: letters for letters, names in PAGES.items() for name in names}
"""The text of each page."""

_INDEX = re.compile(r"^<!-- rows of (\w+) -->$", re.MULTILINE)
_ROWS = re.compile(r"^## All equations of the text\n\n(?:\|.*(?:\n|\Z))+", re.MULTILINE)
_SECTION = re.compile(r"^### (?P<place>[^:\n]+): .*$", re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page with its tables and anchors."""
    folder, _, name = page.file.src_uri.removesuffix(".md").rpartition("/")
    if (folder, name) == ("", "texts"):
        return with_index(markdown)
    return with_rows(markdown, name) if folder == "texts" else markdown


def with_index(markdown: str) -> str:
    """The page of all texts with a table of each."""
    return _INDEX.sub(lambda marker: "\n".join(_index(marker[1])), markdown)


def _index(letters: str) -> Iterator[str]:
    yield from ("| place | what stands there | in Revolute | test, or why none |", "| --- | --- | --- | --- |")
    for row in TEXTS[letters]:
        address = f"texts/{row.page}.md#{anchor(letters, parts(row.place)[0])}"
        tests = ", ".join(f"`{test}`" for test in row.tests) or f"none: {row.why}"
        known = page(row.page).misprints
        misprints = (markdown_in_terminal(text) for numbers, text in known if meet(numbers, lettered(row.place)))
        yield f"| [{row.place}]({address}) | {'; '.join((row.what, *misprints))} | {_functions(row)} | {tests} |"


def _functions(row: Row) -> str:
    return ", ".join(f"`{name}`" for name in row.names) or "–"


def with_rows(markdown: str, name: str) -> str:
    """A page of a text with its rows, and with anchors: below the heading of a section, else in the table."""
    letters = OF_PAGE[name]
    own = {part for row in page(name).rows for part in parts(row.place)}
    treated: set[str] = set()

    def heading(section: re.Match[str]) -> str:
        new = [part for part in parts(section["place"]) if part in own - treated]
        treated.update(new)
        return f"{section[0]}\n\n{_anchors(letters, new)}\n{{: .places }}" if new else section[0]

    markdown = _SECTION.sub(heading, markdown)
    lines = ["## All equations of the text", "", "| place | what stands there | in Revolute |", "| --- | --- | --- |"]
    for row in page(name).rows:
        others = [part for part in parts(row.place) if part not in treated]
        linked = next((part for part in parts(row.place) if part in treated), None)
        place = f"[{row.place}](#{anchor(letters, linked)})" if linked else row.place
        hidden = f' <span class="places">{_anchors(letters, others)}</span>' if others else ""
        lines.append(f"| {place}{hidden} | {row.what} | {_functions(row)} |")
    markdown = _ROWS.sub(lambda _: "\n".join(lines) + "\n", markdown)
    for place, what, _ in page(name).others:
        hidden = f'<span class="places">{_anchors(letters, [place])}</span>'
        markdown = markdown.replace(f"\n| {place} | {what} |", f"\n| {place} {hidden} | {what} |")
    return markdown


def _anchors(letters: str, places: Iterable[str]) -> str:
    """Anchors that cross-references find, each with its place in words, which the search finds."""
    return " ".join(f"[](){{#{anchor(letters, place)}}}{letters} {place}" for place in places)
