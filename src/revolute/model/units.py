"""Units of joints, and numbers as tables show them."""

from __future__ import annotations

import math

from revolute.model.model import Model
from revolute.printable import printable

__all__ = ["force_units", "number", "rate_units", "short_names"]


def force_units(model: Model) -> tuple[str, ...]:
    """Unit of each of the nv joint forces."""
    return tuple("N" if linear else "N m" for linear in _linear(model))


def rate_units(model: Model) -> tuple[str, ...]:
    """Unit of each of the nv joint velocities."""
    return tuple("m/s" if linear else "rad/s" for linear in _linear(model))


def _linear(model: Model) -> list[bool]:
    return [linear for body in model.bodies for linear in body.joint.linear]


def short_names(model: Model) -> tuple[str, ...]:
    """Printable names of the nv coordinates as people say them: `shoulder_pan_joint` is `shoulder pan`."""
    names = tuple(map(printable, model.coordinate_names))
    short = tuple(name.removesuffix("_joint").replace("_", " ") for name in names)
    return short if len(set(short)) == len(names) else names


def number(x: float, digits: int = 4) -> str:
    """A number for a table; a dash for none (infinite); 0 for what rounding leaves of it."""
    if not math.isfinite(x):
        return "–"
    if abs(x) < 1e-9:
        x = 0.0
    if x and not 1e-3 <= abs(x) < 1e5:
        return f"{x:.{digits - 1}g}"
    whole = len(str(int(abs(x)))) if abs(x) >= 1 else 1
    return f"{x:.{max(digits - whole, 0)}f}"
