"""Tables of bench/*.md, read back by section, column and row; errors name what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.tables import cells

__all__ = ["BENCH", "Report", "StoredError", "Table", "figure"]

BENCH = Path(__file__).parents[1]
HEADING = re.compile(r"^(#{2,3}) (.*)$", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


class StoredError(ValueError):
    """A report that lacks what a page needs."""


@dataclass(frozen=True)
class Table:
    """Columns by their headings, of the place `where`."""

    where: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        if name not in self.header:
            raise StoredError(f"{self.where}: no column '{name}'; there are {_listed(self.header)}")
        if self.header.count(name) > 1:
            raise StoredError(f"{self.where}: more than one column '{name}'")
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def figures(self, name: str) -> list[float]:
        """The numbers of a column."""
        return [figure(x, f"{self.where}, column '{name}'") for x in self.column(name)]

    def row(self, name: str) -> dict[str, str]:
        """The row whose first cell is `name`, by heading."""
        for row in self.rows:
            if row[0].strip("`") == name:
                return dict(zip(self.header, row, strict=True))
        raise StoredError(f"{self.where}: no row '{name}'; there are {_listed(row[0] for row in self.rows)}")

    def only(self, **wanted: str) -> Table:
        """The rows with these cells, by heading."""
        columns = {name: self.column(name) for name in wanted}
        kept = tuple(row for k, row in enumerate(self.rows) if all(columns[x][k] == wanted[x] for x in wanted))
        if not kept:
            raise StoredError(f"{self.where}: no row where " + ", ".join(f"{x} is '{wanted[x]}'" for x in wanted))
        return Table(self.where, self.header, kept)


@dataclass(frozen=True)
class Report:
    """A report of the bench: its name, and its text by heading."""

    name: str
    text: str

    @classmethod
    def read(cls, name: str, folder: Path = BENCH) -> Report:
        """`bench/NAME.md`."""
        file = folder / f"{name}.md"
        if not file.exists():
            raise StoredError(f"bench/{name}.md is not there; `make bench` writes it")
        return cls(name, COMMENT.sub("", file.read_text(encoding="utf-8")).rstrip() + "\n")

    @property
    def headings(self) -> list[str]:
        """Those of the second and third level."""
        return [found[2] for found in HEADING.finditer(self.text)]

    def sections(self, start: str) -> list[str]:
        """The headings that begin so."""
        found = [x for x in self.headings if x.startswith(start)]
        if not found:
            raise StoredError(f"bench/{self.name}.md: no section '{start}'; there are {_listed(self.headings)}")
        return found

    def section(self, *path: str) -> str:
        """What is below the heading that begins so, and below one within it."""
        text = self.text
        for level, start in enumerate(path, 2):
            marks = [x for x in HEADING.finditer(text) if len(x[1]) <= level]
            place = next((k for k, x in enumerate(marks) if x[2].startswith(start)), None)
            if place is None:
                raise StoredError(f"bench/{self.name}.md: no section '{start}'; there are {_listed(self.headings)}")
            end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
            text = text[marks[place].end() : end]
        return text.strip()

    def table(self, *path: str, number: int = 0) -> Table:
        """A table of a section."""
        where = f"bench/{self.name}.md, section '{' / '.join(path)}'"
        found = list(_tables(self.section(*path), where))
        if len(found) <= number:
            raise StoredError(f"{where}: {len(found)} tables, and number {number + 1} is wanted")
        return found[number]

    def first_table(self) -> Table:
        """The first table of the report."""
        where = f"bench/{self.name}.md"
        for found in _tables(self.text, where):
            return found
        raise StoredError(f"{where}: no table")

    def table_of_parts(self, *parts: str) -> Table:
        """The rows of these parts of the first table."""
        found = self.first_table()
        kept = [row for part in parts for row in found.only(part=part).rows]
        return Table(found.where, found.header, tuple(kept))

    def machine(self) -> dict[str, str]:
        """What it was measured on."""
        heading = "machine" if "machine" in self.headings else "Machine"
        facts = (fact.partition(": ") for fact in self.section(heading).split("; "))
        return {name: fact for name, _, fact in facts}


def figure(text: str, where: str = "") -> float:
    """The first number of a cell."""
    found = re.search(r"-?\d[\d,]*(\.\d+)?(e[-+]?\d+)?", text)
    if not found:
        raise StoredError(f"{where}: '{text}' is not a number".removeprefix(": "))
    return float(found[0].replace(",", ""))


def _tables(text: str, where: str) -> Iterator[Table]:
    """Every table of a text."""
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        header, _, *rows = map(cells, block.splitlines())
        for row in rows:
            if len(row) != len(header):
                raise StoredError(f"{where}: the row of '{row[0]}' has {len(row)} cells, not {len(header)}")
        yield Table(where, header, tuple(rows))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{x}'" for x in names)
