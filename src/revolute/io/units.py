"""Units in headings of tables: their factors to SI units."""

import math
import re

Dimension = tuple[int, int, int, int]  # exponents of length, mass, time and angle
LENGTH, MASS, TIME, ANGLE = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
FORCE = (1, 1, -2, 0)
POUND, INCH, G = 0.45359237, 0.0254, 9.80665  # the international pound [kg] and inch [m], and standard gravity [m/s^2]

_UNITS: dict[Dimension, dict[str, float]] = {
    LENGTH: {"m metre metres meter meters": 1.0, "cm": 1e-2, "mm": 1e-3, "um µm μm": 1e-6}
    | {"in inch inches": INCH, "ft foot feet": 12 * INCH},
    MASS: {"kg": 1.0, "g": 1e-3, "t ton tonne": 1e3, "lb lbs lbm": POUND, "oz": POUND / 16},
    TIME: {"s sec": 1.0, "ms": 1e-3, "min": 60.0},
    ANGLE: {"rad radian radians": 1.0, "mrad": 1e-3, "deg degree degrees °": math.pi / 180}
    | {"rev turn turns": 2 * math.pi},
    (0, 0, -1, 1): {"rpm": 2 * math.pi / 60},
    FORCE: {"N": 1.0, "mN": 1e-3, "kN": 1e3, "lbf": POUND * G, "kgf": G},
}
UNITS: dict[str, tuple[float, Dimension]] = {
    name: (size, dimension)
    for dimension, sizes in _UNITS.items()
    for names, size in sizes.items()
    for name in names.split()
}
TOGETHER = ("kg", "g", "N", "mN", "kN", "lb", "lbf", "kgf")
"""Units that a length unit may follow without a space, as in Nm."""


def factor(unit: str, si: str) -> tuple[float, bool] | None:
    """The factor from a unit to SI units, and whether its dimension is the first of `si`, such as "N m, N".

    None if the unit is unknown, or has a different dimension. Several units, as in "rad, m", must be SI units; they
    count as having the first dimension.
    """
    found = [_of_product(part) for part in re.split(r",|\||\bor\b", unit)]
    dimensions = [x[1] for x in map(_of_product, si.split(",")) if x]
    if not all(each and each[1] in dimensions for each in found):
        return None
    factors = [each[0] for each in found if each]
    if len(found) > 1:
        return (1.0, True) if set(factors) == {1.0} else None
    assert found[0]
    return factors[0], found[0][1] == dimensions[0]


def _of_product(text: str) -> tuple[float, Dimension] | None:
    """Factor and dimension of a compound unit, a product or quotient of powers of units: "kg cm^2", "N m s/rad"."""
    text = text.replace("²", "^2").replace("·", " ").replace("*", " ").replace(".", " ").strip()
    size, powers, over = 1.0, [0, 0, 0, 0], 1
    if not text:
        return None
    while text:
        if not (match := re.match(r"\s*(/?)\s*([^\W\d_]+|°)(?:\^?([123])(?!\d))?", text)):
            return None
        over = -1 if match[1] else over
        if (names := _apart(match[2])) is None:
            return None
        for name in names:
            power = over * int(match[3] or 1) if name is names[-1] else over
            value, dimension = UNITS[name]
            size *= value**power
            powers = [a + power * b for a, b in zip(powers, dimension, strict=True)]
        text = text[match.end() :].rstrip()
    return size, (powers[0], powers[1], powers[2], powers[3])


def _apart(name: str) -> list[str] | None:
    """Split a word into its units: "N" is one, "Nm" are two. None if one of them is unknown."""
    if name in UNITS:
        return [name]
    pairs = [[first, name[len(first) :]] for first in TOGETHER if name.startswith(first)]
    return next((pair for pair in pairs if UNITS.get(pair[1], (0, MASS))[1] == LENGTH), None)
