"""Denavit-Hartenberg tables from arrays, named rows, and CSV and TOML files."""

import math
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from revolute.arguments import instance, instances
from revolute.errors import InputError, ModelError, warn_caller
from revolute.io import delimited
from revolute.io.dh import CONVENTIONS, DHRow, DHTable
from revolute.io.source import read_file
from revolute.io.units import factor
from revolute.model.body import DRIVE_FIELDS, Drive, Limits
from revolute.spatial import Inertia, Scalar

_ANGLES, _LENGTHS = ("alpha", "theta"), ("a", "d")
_COM, _MOMENTS = ("x", "y", "z"), ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_LIMITS = ("lower", "upper", "velocity", "effort")
_DRIVES = tuple(DRIVE_FIELDS)
_KINDS = {"r": False, "revolute": False, "p": True, "prismatic": True}
COLUMNS = ("joint", *_LENGTHS, *_ANGLES, "mass", *_COM, *_MOMENTS, *_LIMITS, *_DRIVES)
_SI = {
    **dict.fromkeys((*_LENGTHS, *_COM), "m"),
    **dict.fromkeys(_ANGLES, "rad"),
    "mass": "kg",
    **dict.fromkeys(_MOMENTS, "kg m^2"),
    **dict.fromkeys(("lower", "upper"), "rad, m"),
    "velocity": "rad/s, m/s",
    "effort": "N m, N",
    **{name: x.unit for name, x in DRIVE_FIELDS.items() if x.unit},
}
_EXAMPLES = {
    "m": "m, cm, mm, in",
    "rad": "rad, deg",
    "kg": "kg, g, lb",
    "kg m^2": "kg m^2, kg cm^2, g mm^2, lb in^2",
    "rad, m": "rad, deg, m, mm",
    "rad/s, m/s": "rad/s, deg/s, rpm, m/s, mm/s",
    "N m, N": "N m, N mm, N, kN",
    "N m s/rad, N s/m": "N m s/rad, N m s/deg, N s/m",
    "N m/rad, N/m": "N m/rad, N m/deg, N/m, N/mm",
    "kg m^2, kg": "kg m^2, kg cm^2, kg",
}
QUANTITIES = {name: (unit, _EXAMPLES.get(unit, unit)) for name, unit in _SI.items()}
"""For each column that may have a unit: the SI unit, for revolute and prismatic joints; examples of other units."""
BY_JOINT = frozenset(name for name, (unit, _) in QUANTITIES.items() if "," in unit)
"""Columns whose units differ between revolute and prismatic joints."""


def dh_table(
    table: object, convention: str, joints: str | Sequence[str] | None, inertias: Iterable[Inertia] | None,
    limits: Iterable[Limits] | None, drives: Iterable[Drive] | None, degrees: bool = False,
) -> DHTable:
    """A table from the arguments of `Robot.from_dh`."""
    if instance("degrees", degrees, bool) and isinstance(table, (str, os.PathLike, DHTable)):
        raise InputError("degrees=True is for rows of numbers; a CSV file has units in its headings: alpha [deg]")
    if isinstance(table, DHTable):
        return replace(table, rows=tuple(_with(table.rows, "drives", "drive", drives, Drive)))
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise InputError(f"convention must be one of {', '.join(map(repr, CONVENTIONS))}, not {convention!r}")
    where = "DH table"
    if isinstance(table, (str, os.PathLike)):
        where = os.fspath(table)
        rows = read_rows(where)
    else:
        rows = [_row(f"{where}: row {k}", figures) for k, figures in enumerate(_as_list(table), 1)]
    if not rows:
        raise ModelError(f"{where}: it has no rows; give one per joint")
    angles = [(f"{name} of row {k}", getattr(row, name)) for k, row in enumerate(rows, 1) for name in _ANGLES]
    if degrees:
        rows = [replace(row, **{name: getattr(row, name) * (math.pi / 180) for name in _ANGLES}) for row in rows]
    elif large := [name for name, x in angles if not getattr(x, "free_symbols", None) and abs(x) > 6.2832]:
        warn_caller(f"{where}: {large[0]} exceeds 2 pi rad: if in degrees, give degrees=True, or alpha [deg]")
    if joints is not None:
        kinds = joints if isinstance(joints, str) else instances("joints", joints, object)
        slides = [prismatic(f"joints: number {k}", kind) for k, kind in enumerate(kinds, 1)]
        rows = _with(rows, "joints", "prismatic", slides, bool)
    rows = _with(rows, "inertias", "inertia", inertias, Inertia)
    rows = _with(rows, "limits", "limits", limits, Limits)
    return DHTable(convention, tuple(_with(rows, "drives", "drive", drives, Drive)))


def _with(rows: Sequence[DHRow], argument: str, field: str, items: Iterable[Any] | None, kind: type) -> list[DHRow]:
    """Set a field of each row from an argument; None leaves the rows unchanged."""
    if items is None:
        return [*rows]
    values: tuple[Any, ...] = instances(argument, items, object)
    if len(values) != len(rows):
        raise InputError(f"{argument}: {len(values)} for a table of {len(rows)} rows; give one per row")
    for x in values:
        if not isinstance(x, kind):
            raise InputError(f"{argument}: each must be of the type {kind.__name__}, not {type(x).__name__}")
    return [replace(row, **{field: x}) for row, x in zip(rows, values, strict=True)]


def _as_list(table: object) -> list[Any]:
    try:
        return list(table)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(
            "a DH table must be the path of a CSV or TOML file, a DHTable, or rows of a [m], alpha [rad], d [m], "
            f"theta [rad], not {type(table).__name__}"
        ) from None


def _row(where: str, figures: Any) -> DHRow:
    """A row from four numbers, or from a mapping of column names to values."""
    if isinstance(figures, DHRow):
        return figures
    if isinstance(figures, Mapping):
        return named_row(where, figures)
    try:
        numbers = [value(x) for x in figures]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4:
        raise InputError(
            f"{where}: it must be four finite numbers a, alpha, d, theta, or a mapping of column names to values, not "
            f"{figures!r}"
        )
    return DHRow(*numbers)


# --- rows by the names of their columns ------------------------------------------------------


def named_row(where: str, cells: Mapping[Any, Any]) -> DHRow:
    """A row from the values of its columns, in SI units; `InputError` if they do not fit. Empty values are ignored."""
    if unknown := [name for name in cells if name not in COLUMNS]:
        raise InputError(f"{where}: unknown column {unknown[0]!r}; available: {', '.join(COLUMNS)}")
    if missing := [name for name in ("a", "alpha", "d", "theta") if cells.get(name, "") in ("", None)]:
        raise InputError(f"{where}: {missing[0]} is missing; give a [m], alpha [rad], d [m] and theta [rad]")
    values = {name: finite(where, name, x) for name, x in cells.items() if name != "joint" and x not in ("", None)}
    mass = values.get("mass", 0.0)
    if isinstance(mass, float) and mass < 0:
        raise InputError(f"{where}: mass {mass:g} kg is negative")
    xx, yy, zz, xy, xz, yz = (values.get(name, 0) for name in _MOMENTS)
    com = [values.get(name, 0) for name in _COM]
    inertia = Inertia.from_com(mass, com, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    if ("lower" in values) != ("upper" in values):
        raise InputError(f"{where}: it has only one of lower and upper; give both, or none")
    if values.get("lower", 0) > values.get("upper", math.inf):
        raise InputError(f"{where}: lower {values['lower']:g} is above upper {values['upper']:g}; swap them")
    limits = Limits(*((values[name],) if name in values else () for name in _LIMITS))
    drive = Drive(**{name: values[name] for name in _DRIVES if name in values})
    slides = prismatic(where, cells.get("joint") or "revolute")
    a, alpha, d, theta = (values[name] for name in ("a", "alpha", "d", "theta"))
    return DHRow(a, alpha, d, theta, inertia, limits, slides, drive)


def finite(where: str, name: str, x: Scalar) -> Scalar:
    """The finite number, or expression, in a column; `InputError` for any other value."""
    try:
        return float(value(x)) if name in _LIMITS else value(x)
    except (TypeError, ValueError):
        raise InputError(f"{where}: {name} must be a finite number, not {x!r}") from None


def value(x: Scalar) -> Scalar:
    """Convert x to a finite float; return a symbolic expression unchanged."""
    if getattr(x, "free_symbols", None):
        return x
    number = float(x)
    if not math.isfinite(number) or isinstance(x, bool):
        raise ValueError
    return number


def prismatic(where: str, kind: object) -> bool:
    """Whether a joint type, such as "R" or "P", is prismatic."""
    if (slides := _KINDS.get(str(kind).strip().lower())) is None:
        raise InputError(f"{where}: a joint must be 'R' (revolute) or 'P' (prismatic), not {kind!r}")
    return slides


# --- files -----------------------------------------------------------------------------------


def read_rows(where: str) -> list[DHRow]:
    """The rows of a `.toml` file, or otherwise of a CSV file; `ModelError` if the file or a row is invalid."""
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
        raise ModelError(f"{where}: not valid TOML: {error}") from None
    if "bodies" in data:
        raise ModelError(f"{where}: it is a robot written by revolute.save; read it with revolute.load")
    rows = data.pop("rows", [])
    if data:
        words = "a DH table has only [[rows]], with a, alpha, d, theta"
        raise ModelError(f"{where}: '{next(iter(data))}' is unknown; {words}")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ModelError(f"{where}: rows must be tables; start each with a line [[rows]]")
    try:
        return [named_row(f"{where}: row {k}", row) for k, row in enumerate(rows, 1)]
    except InputError as error:
        raise ModelError(str(error)) from None


def _read_csv(where: str, text: str) -> list[DHRow]:
    """The rows of a CSV file whose first line names the columns, with units in brackets: `alpha [deg]`."""
    header, *lines = text.splitlines() or [""]
    if not header.strip():
        raise ModelError(f"{where}: the first line is empty; it must name the columns: a, alpha, d, theta, ...")
    separator = delimited.separator(header)
    try:
        names, *table = [delimited.cells(line, separator) for line in (header, *lines)]
    except ValueError as error:
        raise ModelError(f"{where}: not valid CSV: {error}") from None
    headings = [_heading(where, cell) for cell in names]
    columns = [heading.name for heading in headings]
    if repeated := [name for name in columns if columns.count(name) > 1]:
        raise ModelError(f"{where}: line 1: duplicate column '{repeated[0]}'")
    rows = []
    for number, cells in enumerate(table, 2):
        if not any(cell.strip() for cell in cells):
            continue
        place = f"{where}: line {number}"
        if len(cells) != len(columns):
            counts = f"{len(cells)} cells for {len(columns)} columns"
            raise ModelError(f"{place}: it has {counts}; if its numbers have decimal commas, write points")
        try:
            rows.append(named_row(place, _scaled(place, headings, cells)))
        except InputError as error:
            raise ModelError(str(error)) from None
    return rows


@dataclass(frozen=True)
class _Heading:
    """The heading of a column: name, unit, factor to SI units; `turning`: whether the unit is an angular one."""

    name: str
    unit: str = ""
    factor: float = 1.0
    turning: bool = True


def _heading(where: str, cell: str) -> _Heading:
    name, bracket, unit = (part.strip(" ])") for part in cell.replace("(", "[").partition("["))
    if name not in COLUMNS:
        raise ModelError(f"{where}: line 1: unknown column '{name}'; available: {', '.join(COLUMNS)}")
    if not bracket or name == "joint" or (name not in QUANTITIES and unit in ("1", "-")):
        return _Heading(name)
    if name not in QUANTITIES:
        raise ModelError(f"{where}: line 1: column '{name}' has no unit; remove '[{unit}]'")
    si, examples = QUANTITIES[name]
    if (known := factor(unit, si)) is None:
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
                f"{where}: {heading.name} is in {heading.unit}, but the joint is {kind}; give the column in SI units "
                "of each row's joint (rad or m, N m or N), without a unit in the heading"
            )
    return values
