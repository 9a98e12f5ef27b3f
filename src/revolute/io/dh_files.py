"""Denavit-Hartenberg tables from CSV and TOML files."""

from __future__ import annotations

import csv
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from revolute.errors import InputError, ModelError
from revolute.io.bounded import read_file
from revolute.io.dh import DHRow
from revolute.io.dh_rows import BY_JOINT, COLUMNS, QUANTITIES, finite, named_row, prismatic
from revolute.io.units import factor

__all__ = ["read_rows"]


def read_rows(where: str) -> list[DHRow]:
    """The rows of a table: of a `.toml` file, or else of a CSV file.

    Raises:
        ModelError: the file cannot be read, or has rows that are no DH rows.
    """
    try:
        text = read_file(where).decode("utf-8-sig")
    except ValueError as error:
        raise ModelError(f"{where!r}: the file cannot be read as text: {error}") from None
    return _read_toml(where, text) if os.path.splitext(where)[1].lower() == ".toml" else _read_csv(where, text)


def _read_toml(where: str, text: str) -> list[DHRow]:
    """The tables [[rows]], each with the columns of a row, in SI units."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{where}: it is no TOML: {error}") from None
    if "bodies" in data:
        raise ModelError(f"{where}: it is a robot that revolute.save wrote; read it with revolute.load")
    rows = data.pop("rows", [])
    if data:
        words = "a DH table has [[rows]] alone, with a, alpha, d, theta"
        raise ModelError(f"{where}: '{next(iter(data))}' is unknown; {words}")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ModelError(f"{where}: rows must be tables; begin each with a line [[rows]]")
    try:
        return [named_row(f"{where}: row {k}", row) for k, row in enumerate(rows, 1)]
    except InputError as error:
        raise ModelError(str(error)) from None


def _read_csv(where: str, text: str) -> list[DHRow]:
    """The rows of a CSV file whose first line names the columns, units in brackets: `alpha [deg]`."""
    header = next(iter(text.splitlines()), "")
    try:
        lines = list(csv.reader(text.splitlines(), delimiter=max(",;\t", key=header.count), skipinitialspace=True))
    except csv.Error as error:
        raise ModelError(f"{where}: it is no CSV: {error}") from None
    if not header.strip():
        raise ModelError(f"{where}: the first line is empty; it must name the columns: a, alpha, d, theta, ...")
    headings = [_heading(where, cell) for cell in lines[0]]
    columns = [heading.name for heading in headings]
    repeated = [name for name in columns if columns.count(name) > 1]
    if repeated:
        raise ModelError(f"{where}: line 1: the column '{repeated[0]}' comes twice")
    rows = []
    for number, cells in enumerate(lines[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        place = f"{where}: line {number}"
        if len(cells) != len(columns):
            raise ModelError(f"{place}: {len(cells)} cells for {len(columns)} columns; decimals need a point")
        try:
            rows.append(named_row(place, _scaled(place, headings, cells)))
        except InputError as error:
            raise ModelError(str(error)) from None
    return rows


@dataclass(frozen=True)
class _Heading:
    """The heading of a column.

    Attributes:
        name: of the column.
        unit: as written.
        factor: from this unit to SI units.
        turning: whether the unit is that of a revolute joint, such as deg or N m.
    """

    name: str
    unit: str = ""
    factor: float = 1.0
    turning: bool = True


def _heading(where: str, cell: str) -> _Heading:
    name, bracket, unit = (part.strip(" ])") for part in cell.replace("(", "[").partition("["))
    if name not in COLUMNS:
        raise ModelError(f"{where}: line 1: there is no column '{name}'; columns are {', '.join(COLUMNS)}")
    if not bracket or name == "joint":
        return _Heading(name)
    if name not in QUANTITIES and unit in ("1", "-"):
        return _Heading(name)
    if name not in QUANTITIES:
        raise ModelError(f"{where}: line 1: column '{name}' has no unit; remove '[{unit}]'")
    kind, examples = QUANTITIES[name]
    known = factor(unit, kind)
    if known is None:
        raise ModelError(f"{where}: line 1: column '{name}' has the unit '{unit}'; give one such as {examples}")
    return _Heading(name, unit, *known)


def _scaled(where: str, headings: Sequence[_Heading], cells: Sequence[str]) -> dict[str, str | float]:
    values: dict[str, str | float] = {}
    for heading, cell in zip(headings, cells, strict=True):
        text = cell.strip()
        scaled = heading.factor != 1 and text
        values[heading.name] = finite(where, heading.name, text) * heading.factor if scaled else text
    slides = prismatic(where, values.get("joint") or "revolute")
    for heading in headings:
        converted = heading.factor != 1 and values[heading.name] != ""
        if converted and heading.name in BY_JOINT and heading.turning == slides:
            kind = "prismatic" if slides else "revolute"
            raise ModelError(
                f"{where}: {heading.name} is in {heading.unit}, and the joint is {kind}; give the column in "
                "SI units, rad or m, N m or N, as its joints have them, and no unit in the heading"
            )
    return values
