"""Comma-separated values (RFC 4180): also with semicolons or tabs, quotes and a byte-order mark."""

import csv
import io
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError
from revolute.io import delimited
from revolute.io.trajectory.table import BLOCK, TableFile, Writer

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
REPLACED = "\N{REPLACEMENT CHARACTER}"  # character that replaces bytes that are not UTF-8

_OTHER_FORMATS = {
    b"PAR1": "it is Parquet; give it the suffix .parquet",
    b"PK\x03\x04": "it is a zip archive or spreadsheet; save the sheet as CSV",
    b"\x1f\x8b": "it is compressed; unpack it with gunzip",
    b"\xff\xfe": "it is in UTF-16; save it as UTF-8",
    b"\xfe\xff": "it is in UTF-16; save it as UTF-8",
}
"""First bytes of files in other formats, and the advice for each format."""


class CsvTable(TableFile):
    """A CSV file whose first line names the columns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._check_text()
        with self._open() as file:
            header = file.readline()
        if not header.strip():
            raise TrajectoryError(
                f"{path}: {'the first line is' if header else 'the file is'} empty; it must name the columns"
            )
        self.separator = delimited.separator(header)
        if REPLACED in header:
            raise TrajectoryError(f"{path}: line 1 is not UTF-8: save the file as UTF-8")
        cells = self._cells(header.removeprefix("#"), 1)
        self.columns = tuple(cell.strip() for cell in cells)
        if all(_number(cell) is not None for cell in self.columns):
            raise TrajectoryError(f"{path}: line 1 has only numbers; it must name the columns: t, q.<joint>, ...")

    def blocks(self, names: Sequence[str], rows: int = BLOCK, missing: bool = False) -> Iterator[tuple[float, Array]]:
        """See `TableFile.blocks`."""
        used = [self.columns.index(name) for name in names]
        size = max(self.path.stat().st_size, 1)
        with self._open() as file:
            file.readline()
            line = 2
            while lines := list(itertools.islice(file, rows)):
                yield min(file.buffer.tell() / size, 1.0), self._numbers(lines, line, used, missing)
                line += len(lines)

    def _place(self, row: int) -> str:
        """See `TableFile._place`: the line of the file. Empty lines are no rows."""
        with self._open() as file:
            lines = (number for number, line in enumerate(file, 1) if line.strip())
            return f"line {next(itertools.islice(lines, row, None))}"

    def _check_text(self) -> None:
        """Reject files with control characters near the start: they are not text."""
        with self._open() as file:
            start = file.buffer.read(4096)
        if _CONTROL.search(start):
            advice = next((hint for magic, hint in _OTHER_FORMATS.items() if start.startswith(magic)), "it is binary")
            raise TrajectoryError(f"{self.path}: not CSV text: {advice}")

    def _open(self) -> TextIO:
        try:
            return self.path.open(encoding="utf-8-sig", newline="", errors="replace")
        except OSError as error:
            raise TrajectoryError(f"{self.path}: {error.strerror or error}") from None

    def _numbers(self, lines: list[str], first: int, used: list[int], missing: bool) -> Array:
        """The numbers of some lines. NumPy parses them fast; if NumPy fails, a slow second pass finds the reason."""
        separators = len(self.columns) - 1
        whole = all(line.count(self.separator) == separators for line in lines)
        for filled in range(1 + missing) if whole else ():  # the second attempt fills empty cells with `nan`
            text = self._filled(lines) if filled else lines
            try:
                values = np.loadtxt(text, delimiter=self.separator, usecols=used, ndmin=2, comments=None, quotechar='"')
            except ValueError:
                continue
            finite = np.isfinite(values)
            if missing or finite.all():
                return values if finite.all() else np.where(finite, values, np.nan)
        return self._line_by_line(lines, first, used, missing)

    def _filled(self, lines: list[str]) -> list[str]:
        """The lines with `nan` in empty cells."""
        empty = re.compile(rf"(?:^|(?<={self.separator})) *(?={self.separator}|[\r\n]|$)")
        return [empty.sub("nan", line) if line.strip() else line for line in lines]

    def _line_by_line(self, lines: list[str], first: int, used: list[int], missing: bool) -> Array:
        values = []
        for number, line in enumerate(lines, first):
            if not line.strip():
                continue
            cells = self._cells(line, number)
            if len(cells) != len(self.columns):
                raise TrajectoryError(
                    f"{self.path}: line {number} has {len(cells)} cells, but there are {len(self.columns)} columns"
                )
            values.append([self._cell(cells[i], number, self.columns[i], missing) for i in used])
        return np.array(values, dtype=float).reshape(-1, len(used))

    def _cells(self, line: str, number: int) -> list[str]:
        try:
            return delimited.cells(line, self.separator)
        except ValueError as error:
            raise TrajectoryError(f"{self.path}: line {number} is not valid CSV: {error}") from None

    def _cell(self, text: str, line: int, column: str, missing: bool) -> float:
        value = _number(text)
        if missing and (not text.strip() if value is None else not math.isfinite(value)):
            return math.nan
        if value is None or not math.isfinite(value):
            reason = f"'{text.strip()}' is not a finite number" if text.strip() else "the cell is empty"
            if _COMMA.fullmatch(text.strip()):
                reason += ": write decimals with points, not commas"
            raise TrajectoryError(f"{self.path}: line {line}, column '{column}': {reason}")
        return value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class CsvWriter(Writer):
    """Writes CSV. Each number is written as the shortest text that is read back exactly."""

    def __init__(self, stream: BinaryIO, columns: tuple[str, ...]) -> None:
        self._file = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        csv.writer(self._file, lineterminator="\n").writerow(columns)

    def add(self, rows: Array) -> None:
        """See `Writer.add`."""
        self._file.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())

    def close(self) -> None:
        """See `Writer.close`."""
        self._file.detach()
