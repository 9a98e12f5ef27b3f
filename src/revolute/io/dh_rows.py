"""Rows of Denavit-Hartenberg tables by the names of their columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from revolute.errors import InputError
from revolute.io.dh import DHRow
from revolute.model.body import Drive, Limits
from revolute.spatial import Inertia
from revolute.spatial.scalar import Scalar

__all__ = ["BY_JOINT", "COLUMNS", "QUANTITIES", "finite", "named_row", "prismatic", "value"]

_ANGLES, _LENGTHS = ("alpha", "theta"), ("a", "d")
_COM, _MOMENTS = ("x", "y", "z"), ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_LIMITS = ("lower", "upper", "velocity", "effort")
_DRIVES = tuple(Drive().columns())
_KINDS = {"r": False, "revolute": False, "p": True, "prismatic": True}
COLUMNS = ("joint", *_LENGTHS, *_ANGLES, "mass", *_COM, *_MOMENTS, *_LIMITS, *_DRIVES)
QUANTITIES = {
    **dict.fromkeys((*_LENGTHS, *_COM), ("length", "m, cm, mm, in")),
    **dict.fromkeys(_ANGLES, ("angle", "rad, deg")),
    "mass": ("mass", "kg, g, lb"),
    **dict.fromkeys((*_MOMENTS, "rotor_inertia"), ("inertia", "kg m^2, kg cm^2, g mm^2, lb in^2")),
    **dict.fromkeys(("lower", "upper", "rest"), ("position", "rad, deg, m, mm")),
    **dict.fromkeys(("velocity", "stribeck_speed"), ("speed", "rad/s, deg/s, rpm, m/s, mm/s")),
    **dict.fromkeys(("effort", "friction", "friction_backward", "stribeck"), ("force", "N m, N mm, N, kN")),
    "damping": ("damping", "N m s/rad, N m s/deg, N s/m"),
    "stiffness": ("stiffness", "N m/rad, N m/deg, N/m, N/mm"),
    "armature": ("armature", "kg m^2, kg cm^2, kg"),
}
"""Kind of quantity of each column that may have a unit, and examples of units."""
BY_JOINT = frozenset((*_LIMITS, *_DRIVES)) - {"gear_ratio", "rotor_inertia"}
"""Columns whose units differ between revolute and prismatic joints."""


def named_row(where: str, cells: Mapping[Any, Any]) -> DHRow:
    """A row from the values of its columns, in SI units. An empty value counts as missing.

    Raises:
        InputError: an unknown column, one that is missing, or a value that it cannot have.
    """
    unknown = [name for name in cells if name not in COLUMNS]
    if unknown:
        raise InputError(f"{where}: there is no column {unknown[0]!r}; columns are {', '.join(COLUMNS)}")
    missing = [name for name in ("a", "alpha", "d", "theta") if cells.get(name, "") in ("", None)]
    if missing:
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
        raise InputError(f"{where}: lower {values['lower']:g} is above upper {values['upper']:g}; exchange them")
    limits = Limits(*((values[name],) if name in values else () for name in _LIMITS))
    columns: dict[str, Any] = {name: values[name] for name in _DRIVES if name in values}
    slides = prismatic(where, cells.get("joint") or "revolute")
    a, alpha, d, theta = (values[name] for name in ("a", "alpha", "d", "theta"))
    return DHRow(a, alpha, d, theta, inertia, limits, slides, Drive(**columns))


def finite(where: str, name: str, x: Any) -> Scalar:
    """The number in a column."""
    try:
        return float(value(x)) if name in _LIMITS else value(x)
    except (TypeError, ValueError):
        raise InputError(f"{where}: {name} must be a finite number, not {x!r}") from None


def value(x: Any) -> Scalar:
    """A finite float; an expression with symbols is left alone."""
    if getattr(x, "free_symbols", None):
        return x
    number = float(x)
    if not math.isfinite(number) or isinstance(x, bool):
        raise ValueError
    return number


def prismatic(where: str, kind: Any) -> bool:
    """Whether the word for a joint means that it slides."""
    slides = _KINDS.get(str(kind).strip().lower())
    if slides is None:
        raise InputError(f"{where}: a joint is 'R' (revolute) or 'P' (prismatic), not {kind!r}")
    return slides
