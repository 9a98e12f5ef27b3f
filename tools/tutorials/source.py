"""A tutorial's source: a header of data, then cells of text and code."""

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "learn"
COLUMNS = 85
"""The longest line of code that fits a page."""

_CELL = re.compile(r"^# %%(?P<text> \[markdown\])?(?P<data>.*)\n", re.MULTILINE)
_DATUM = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\])')
_TAGS = {"answer", "cover"}
_HEADER = {"title", "order", "minutes", "extras", "learn"}


@dataclass(frozen=True)
class Cell:
    """Text or code."""

    source: str
    is_text: bool
    line: int
    """Number of the first line of `source` in the file."""
    alt: str = ""
    """What is seen in the figure that the cell makes; empty if it makes none."""
    tags: tuple[str, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Whether the cell is part of an exercise's answer."""
        return "answer" in self.tags


@dataclass(frozen=True)
class Tutorial:
    """A source, read."""

    path: Path
    header: dict[str, str]
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """The file's name without its ending, which page, notebook and figures share."""
        return self.path.stem

    @cached_property
    def extras(self) -> list[str]:
        """The extras of the package that the code needs."""
        return self.header["extras"].replace(",", " ").split()

    @property
    def code(self) -> list[Cell]:
        """The cells that are run."""
        return [cell for cell in self.cells if not cell.is_text]


def tutorials() -> list[Tutorial]:
    """All tutorials, in the order in which they are read."""
    return sorted(map(read, FOLDER.glob("*.py")), key=lambda tutorial: (int(tutorial.header["order"]), tutorial.name))


def read(path: Path) -> Tutorial:
    """Read a source, and refuse what would not fit a page."""
    text = path.read_text(encoding="utf-8")
    marks = [*_CELL.finditer(text)]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    before = text[: marks[0].start()]
    header = dict(re.findall(r"^# (\w+): (.+)$", before, re.MULTILINE))
    if set(header) != _HEADER:
        raise ValueError(f"{path}: the header must have {sorted(_HEADER)}, and has {sorted(header)}")
    cells = tuple(_cell(mark, text, end, path) for mark, end in zip(marks, ends, strict=True))
    rows = [row for cell in cells if not cell.is_text for row in cell.source.split("\n")]
    if long := [row for row in rows if len(row) > COLUMNS]:
        raise ValueError("\n".join([f"{path}: pages show {COLUMNS} columns of code; there are more here:", *long]))
    return Tutorial(path, header, cells)


def _cell(mark: re.Match[str], text: str, end: int, path: Path) -> Cell:
    line = text.count("\n", 0, mark.end()) + 1
    body = text[mark.end() : end].strip("\n")
    data = {key: ast.literal_eval(value) for key, value in _DATUM.findall(mark["data"])}
    if unknown := set(data) - {"alt", "tags"}:
        raise ValueError(f"{path}:{line - 1}: cells have `alt` and `tags`, not {sorted(unknown)}")
    if unknown := set(data.get("tags", ())) - _TAGS:
        raise ValueError(f"{path}:{line - 1}: tags are {sorted(_TAGS)}, not {sorted(unknown)}")
    if _DATUM.sub("", mark["data"]).strip():
        raise ValueError(f"{path}:{line - 1}: cannot read the data of this cell: {mark['data'].strip()}")
    if mark["text"]:
        body = "\n".join(re.sub("^# ?", "", row) for row in body.split("\n"))
    return Cell(body, bool(mark["text"]), line, data.get("alt", ""), tuple(data.get("tags", ())))
