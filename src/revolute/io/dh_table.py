"""Denavit-Hartenberg tables from arrays, named rows and CSV files."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from revolute.arguments import instances
from revolute.errors import InputError, ModelError
from revolute.io.bounded import read_file
from revolute.io.dh import CONVENTIONS, DHTable, Row
from revolute.io.units import factor
from revolute.model.body import Drive, Limits
from revolute.spatial import Inertia
from revolute.spatial.scalar import Scalar

__all__ = ["dh_table"]

_ANGLES, _LENGTHS = ("alpha", "theta"), ("a", "d")
_COM, _MOMENTS = ("x", "y", "z"), ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_LIMITS = ("lower", "upper", "velocity", "effort")
_KINDS = {"r": False, "revolute": False, "p": True, "prismatic": True}
_COLUMNS = ("joint", *_LENGTHS, *_ANGLES, "mass", *_COM, *_MOMENTS, *_LIMITS)
_QUANTITIES = {
    **dict.fromkeys((*_LENGTHS, *_COM), ("length", "m, cm, mm, in")),
    **dict.fromkeys(_ANGLES, ("angle", "rad, deg")),
    "mass": ("mass", "kg, g, lb"),
    **dict.fromkeys(_MOMENTS, ("inertia", "kg m^2, kg cm^2, g mm^2, lb in^2")),
    **dict.fromkeys(("lower", "upper"), ("position", "rad, deg, m, mm")),
    "velocity": ("speed", "rad/s, deg/s, rpm, m/s, mm/s"),
    "effort": ("force", "N m, N mm, N, kN"),
}
"""What a column holds, and some of its units."""


def dh_table(
    table: object,
    convention: str,
    joints: str | Sequence[str] | None,
    inertias: Iterable[Inertia] | None,
    limits: Iterable[Limits] | None,
    drives: Iterable[Drive] | None,
) -> DHTable:
    """A table from the arguments of `Robot.from_dh`."""
    if isinstance(table, DHTable):
        return table if drives is None else replace(table, rows=_driven(table.rows, drives))
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise InputError(f"convention must be one of {', '.join(map(repr, CONVENTIONS))}, not {convention!r}")
    where = "DH table"
    if isinstance(table, (str, os.PathLike)):
        where = os.fspath(table)
        rows = _read_csv(where)
    else:
        rows = [_row(f"{where}: row {k}", figures) for k, figures in enumerate(_as_list(table), 1)]
    if not rows:
        raise ModelError(f"{where}: it has no rows; give one per joint")
    if joints is not None:
        kinds = joints if isinstance(joints, str) else instances("joints", joints, object)
        slides = [_prismatic(f"joints: number {k}", kind) for k, kind in enumerate(kinds, 1)]
        rows = [replace(row, prismatic=slide) for row, slide in _paired(rows, slides, "joints")]
    if inertias is not None:
        rows = [replace(row, inertia=_typed(Inertia, x, "inertias")) for row, x in _paired(rows, inertias, "inertias")]
    if limits is not None:
        rows = [replace(row, limits=_typed(Limits, x, "limits")) for row, x in _paired(rows, limits, "limits")]
    return DHTable(convention, tuple(rows) if drives is None else _driven(rows, drives))


def _driven(rows: Sequence[Row], drives: Iterable[Drive]) -> tuple[Row, ...]:
    return tuple(replace(row, drive=_typed(Drive, x, "drives")) for row, x in _paired(rows, drives, "drives"))


def _as_list(table: object) -> list[Any]:
    try:
        return list(table)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(
            "a DH table is the path of a CSV file, a DHTable, or rows of a [m], alpha [rad], d [m], theta [rad], "
            f"not {type(table).__name__}"
        ) from None


def _paired(rows: Sequence[Row], items: Iterable[Any], name: str) -> Iterable[tuple[Row, Any]]:
    values = list(instances(name, items, object))
    if len(values) != len(rows):
        raise InputError(f"{name}: {len(values)} for a table of {len(rows)} rows; give one per row")
    return zip(rows, values, strict=True)


def _typed(kind: type, x: Any, name: str) -> Any:
    if not isinstance(x, kind):
        raise InputError(f"{name}: each must be of the type {kind.__name__}, not {type(x).__name__}")
    return x


def _row(where: str, figures: Any) -> Row:
    """A row from four numbers, or from names: the columns of a CSV file."""
    if isinstance(figures, Row):
        return figures
    if isinstance(figures, Mapping):
        return _named_row(where, figures)
    try:
        numbers = [_value(x) for x in figures]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4:
        raise InputError(f"{where}: it must have four finite numbers a, alpha, d, theta (or names), not {figures!r}")
    a, alpha, d, theta = numbers
    return Row(a, alpha, d, theta)


def _named_row(where: str, cells: Mapping[Any, Any]) -> Row:
    unknown = [name for name in cells if name not in _COLUMNS]
    if unknown:
        raise InputError(f"{where}: there is no column {unknown[0]!r}; columns are {', '.join(_COLUMNS)}")
    missing = [name for name in ("a", "alpha", "d", "theta") if cells.get(name, "") in ("", None)]
    if missing:
        raise InputError(f"{where}: {missing[0]} is missing; give a [m], alpha [rad], d [m] and theta [rad]")
    values = {name: _finite(where, name, x) for name, x in cells.items() if name != "joint" and x not in ("", None)}
    mass = values.get("mass", 0.0)
    if isinstance(mass, float) and mass < 0:
        raise InputError(f"{where}: mass {mass:g} kg is negative")
    xx, yy, zz, xy, xz, yz = (values.get(name, 0) for name in _MOMENTS)
    com = [values.get(name, 0) for name in _COM]
    inertia = Inertia.from_com(mass, com, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    if ("lower" in values) != ("upper" in values):
        raise InputError(f"{where}: it has only one of lower and upper; give both, or none")
    if values.get("lower", 0) > values.get("upper", math.inf):
        raise InputError(f"{where}: lower {values['lower']:g} is above upper {values['upper']:g}; exchange them")
    limits = Limits(*((values[name],) if name in values else () for name in _LIMITS))
    a, alpha, d, theta = (values[name] for name in ("a", "alpha", "d", "theta"))
    return Row(a, alpha, d, theta, inertia, limits, _prismatic(where, cells.get("joint") or "revolute"))


def _finite(where: str, name: str, x: Any) -> Scalar:
    try:
        return float(_value(x)) if name in _LIMITS else _value(x)
    except (TypeError, ValueError):
        raise InputError(f"{where}: {name} must be a finite number, not {x!r}") from None


def _value(x: Any) -> Scalar:
    """A finite float; an expression with symbols is left alone."""
    if getattr(x, "free_symbols", None):
        return x
    value = float(x)
    if not math.isfinite(value):
        raise ValueError
    return value


def _prismatic(where: str, kind: Any) -> bool:
    slides = _KINDS.get(str(kind).strip().lower())
    if slides is None:
        raise InputError(f"{where}: a joint is 'R' (revolute) or 'P' (prismatic), not {kind!r}")
    return slides


def _read_csv(where: str) -> list[Row]:
    """The rows of a CSV file whose first line names the columns, units in brackets: `alpha [deg]`."""
    content = read_file(where)
    try:
        text = content.decode("utf-8-sig").splitlines()
    except ValueError as error:
        raise ModelError(f"{where!r}: the file cannot be read as text: {error}") from None
    header = text[0] if text else ""
    try:
        lines = list(csv.reader(text, delimiter=max(",;\t", key=header.count), skipinitialspace=True))
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
            rows.append(_named_row(place, _scaled(place, headings, cells)))
        except InputError as error:
            raise ModelError(str(error)) from None
    return rows


@dataclass(frozen=True)
class _Heading:
    """A column's name; its unit as it stands, in SI units, and whether it is of angles or moments."""

    name: str
    unit: str = ""
    factor: float = 1.0
    turning: bool = True


def _heading(where: str, cell: str) -> _Heading:
    name, bracket, unit = (part.strip(" ])") for part in cell.replace("(", "[").partition("["))
    if name not in _COLUMNS:
        raise ModelError(f"{where}: line 1: there is no column '{name}'; columns are {', '.join(_COLUMNS)}")
    if not bracket or name == "joint":
        return _Heading(name)
    kind, examples = _QUANTITIES[name]
    known = factor(unit, kind)
    if known is None:
        raise ModelError(f"{where}: line 1: column '{name}' has the unit '{unit}'; give one such as {examples}")
    return _Heading(name, unit, *known)


def _scaled(where: str, headings: Sequence[_Heading], cells: Sequence[str]) -> dict[str, str | float]:
    values: dict[str, str | float] = {}
    for heading, cell in zip(headings, cells, strict=True):
        text = cell.strip()
        scaled = heading.factor != 1 and text
        values[heading.name] = _finite(where, heading.name, text) * heading.factor if scaled else text
    slides = _prismatic(where, values.get("joint") or "revolute")
    for heading in headings:
        if heading.name in _LIMITS and heading.factor != 1 and values[heading.name] != "" and heading.turning == slides:
            kind = "prismatic" if slides else "revolute"
            raise ModelError(
                f"{where}: {heading.name} is in {heading.unit}, and the joint is {kind}; give the column in "
                "rad, m, N m, N, as its joints have it, and no unit in the heading"
            )
    return values
