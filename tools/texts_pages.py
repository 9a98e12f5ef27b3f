"""Write the tables of docs/texts/*.md from the rows of docs/texts.md: `python -m tools.texts_pages`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

INDEX = Path(__file__).parents[1] / "docs" / "texts.md"
FOLDER = INDEX.with_suffix("")
BEGIN, END = "<!-- rows of docs/texts.md -->\n", "<!-- end of rows -->\n"

BY_CHAPTER = re.compile(r"\b([2-7])\.\d")
APPENDICES = {"A.": "5", "B.": "5", "Lemma C": "7", "appendix D": "2"}
"""Chapters of BP that its appendices belong to; D has the symbols."""

NUMBER = re.compile(r"^(?:(?P<section>[\dA-D](?:\.\d)?)\.)?(?P<number>\d+)[a-z]?$")


class Row(NamedTuple):
    """A row of a table of docs/texts.md, with the text that it is about."""

    text: str
    place: str
    content: str
    functions: str
    tests: str


class Section(NamedTuple):
    """A section of a page that begins with the place of equations: `### 9.10: Kinetic energy`."""

    heading: str
    place: str
    body: str


def rows(index: str) -> list[Row]:
    """The rows of all tables of docs/texts.md."""
    result, text = [], ""
    for line in index.splitlines():
        if line.startswith("## "):
            text = line.removeprefix("## ").split()[0].rstrip(":,")
        elif line.startswith("| ") and not line.startswith(("| ---", "| place")):
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            assert len(cells) == 4, line
            result.append(Row(text, *cells))
    return result


def page_of(row: Row) -> str:
    """The name of the page that a row belongs to: "lp-9", "bp-5", "goa"."""
    if row.text != "BP":
        return {"LP": "lp-9", "SHV": "shv-6"}.get(row.text, row.text.lower())
    for start, chapter in APPENDICES.items():
        if row.place.startswith(start):
            return f"bp-{chapter}"
    found = BY_CHAPTER.search(row.place)
    assert found, row.place
    return f"bp-{found[1]}"


def sections(page: str) -> list[Section]:
    """The sections of a page about equations."""
    parts = re.split(r"^(#{2,3} .*)\n", page.partition(BEGIN)[0], flags=re.MULTILINE)
    found = zip(parts[1::2], parts[2::2], strict=True)
    return [
        Section(heading.lstrip("# "), heading.removeprefix("### ").partition(": ")[0], body)
        for heading, body in found
        if heading.startswith("### ")
    ]


def places(place: str) -> set[tuple[str, str]]:
    """What a place names, one by one: (section, number) of equations; ("", name) of other things."""
    result: set[tuple[str, str]] = set()
    for item in place.split(", "):
        ends = [NUMBER.match(end) for end in item.split("–")]
        first, last = ends[0], ends[-1]
        if first and last:
            section = first["section"] or ""
            result |= {(section, str(k)) for k in range(int(first["number"]), int(last["number"]) + 1)}
        elif found := re.match(r"^(.*?)(\d+)–(?:[\dA-Z]+[.-])?(\d+)$", item):
            result |= {("", f"{found[1]}{k}") for k in range(int(found[2]), int(found[3]) + 1)}
        else:
            result.add(("", item))
    return result


def anchor(heading: str) -> str:
    """The address of a heading in its page, as MkDocs makes it."""
    plain = re.sub(r"[^\w\s-]", "", heading.encode("ascii", "ignore").decode().replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


def table(name: str, page: str, index: str) -> list[str]:
    """The lines of a page's table: its rows, linked to the section that begins with one of their equations."""
    lines = ["## All equations of the text", "", "| place | what stands there | in Revolute |", "| --- | --- | --- |"]
    treated = [(places(section.place), anchor(section.heading)) for section in sections(page)]
    for row in rows(index):
        if page_of(row) == name:
            wanted = places(row.place)
            link = next((address for found, address in treated if found & wanted), None)
            place = f"[{row.place}](#{link})" if link else row.place
            lines.append(f"| {place} | {row.content} | {row.functions} |")
    return lines


def with_table(name: str, page: str, index: str) -> str:
    """The page with a new table."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + "\n".join(table(name, page, index)) + "\n\n" + END + after


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        path.write_text(with_table(path.stem, text, INDEX.read_text(encoding="utf-8")), encoding="utf-8")
