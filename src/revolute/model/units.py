"""Units of joints, and number formats of tables."""

import math

from revolute.errors import printable
from revolute.model.model import Model


def force_units(model: Model) -> tuple[str, ...]:
    """Unit of each of the nv joint forces."""
    return tuple("N" if linear else "N m" for body in model.bodies for linear in body.joint.linear)


def short_names(model: Model) -> tuple[str, ...]:
    """Short printable names of the nv coordinates: `shoulder pan` for `shoulder_pan_joint`."""
    names = tuple(map(printable, model.coordinate_names))
    short = tuple(name.removesuffix("_joint").replace("_", " ") for name in names)
    return short if len(set(short)) == len(names) else names


def number(x: float, digits: int = 4) -> str:
    """Text of a number in a table: a dash if it is not finite, 0 if it is as small as a rounding error."""
    if not math.isfinite(x):
        return "–"
    if abs(x) < 1e-9:
        x = 0.0
    if x and not 1e-3 <= abs(x) < 1e5:
        return f"{x:.{digits - 1}g}"
    whole = len(str(int(abs(x)))) if abs(x) >= 1 else 1
    return f"{x:.{max(digits - whole, 0)}f}"
