"""Denavit-Hartenberg tables from arrays, named rows and CSV files."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from revolute.arguments import instances
from revolute.errors import InputError, ModelError
from revolute.io.bounded import read_file
from revolute.io.dh import CONVENTIONS, DHTable, Row
from revolute.model.body import Limits
from revolute.spatial import Inertia
from revolute.spatial.scalar import Scalar

__all__ = ["dh_table"]

_ANGLES, _LENGTHS = ("alpha", "theta"), ("a", "d")
_COM, _MOMENTS = ("x", "y", "z"), ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_LIMITS = ("lower", "upper", "velocity", "effort")
_KINDS = {"r": False, "revolute": False, "p": True, "prismatic": True}
_COLUMNS = ("joint", *_LENGTHS, *_ANGLES, "mass", *_COM, *_MOMENTS, *_LIMITS)
_UNITS = {"deg": math.pi / 180, "mm": 1e-3, "g": 1e-3}
"""Factors of units in headings that are not SI. Any other text in brackets is ignored."""


def dh_table(
    table: object,
    convention: str,
    joints: str | Sequence[str] | None,
    inertias: Iterable[Inertia] | None,
    limits: Iterable[Limits] | None,
) -> DHTable:
    """A table from the arguments of `Robot.from_dh`."""
    if isinstance(table, DHTable):
        return table
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
    return DHTable(convention, tuple(rows))


def _as_list(table: object) -> list[Any]:
    try:
        return list(table)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(
            "a DH table is the path of a CSV file, a DHTable, or rows of a [m], alpha [rad], d [m], theta [rad], "
            f"not {type(table).__name__}"
        ) from None


def _paired(rows: list[Row], items: Iterable[Any], name: str) -> Iterable[tuple[Row, Any]]:
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
    columns, factors = zip(*(_heading(where, cell) for cell in lines[0]), strict=True)
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
            rows.append(_named_row(place, _scaled(place, columns, factors, cells)))
        except InputError as error:
            raise ModelError(str(error)) from None
    return rows


def _heading(where: str, cell: str) -> tuple[str, float]:
    """A column's name and the factor of its unit to SI units."""
    name, _, unit = (part.strip(" ])") for part in cell.replace("(", "[").partition("["))
    if name not in _COLUMNS:
        raise ModelError(f"{where}: line 1: there is no column '{name}'; columns are {', '.join(_COLUMNS)}")
    return name, _UNITS.get(unit, 1.0)


def _scaled(
    where: str, columns: Sequence[str], factors: Sequence[float], cells: Sequence[str]
) -> dict[str, str | float]:
    values: dict[str, str | float] = {}
    for name, factor, cell in zip(columns, factors, cells, strict=True):
        text = cell.strip()
        values[name] = text if factor == 1 or not text else _finite(where, name, text) * factor
    return values
