"""Whether a matrix of numbers or expressions is symmetric."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from revolute.errors import InputError
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import Matrix

__all__ = ["symmetric"]

ROUNDING = 1e-9
"""Maximum difference between symmetric entries of an inertia matrix, relative to the largest entry.

Products with a rotation have rounding errors of 1e-15. A shift of the origin can cancel most of the matrix, which makes
the error a million times larger relative to the rest.
"""


def symmetric(what: str, I: Matrix) -> Matrix:
    """Return the matrix; numeric entries are made exactly symmetric.

    Raises:
        InputError: two symmetric entries differ by more than rounding.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = I
    pairs = ((xy, yx), (xz, zx), (yz, zy))
    if all([a is b or (isinstance(a, float) and a == b) for a, b in pairs]):
        return I
    for (i, j), (a, b) in zip(((0, 1), (0, 2), (1, 2)), pairs, strict=True):
        if _differ(a, b, I):
            raise InputError(
                f"{what} must be symmetric: its entry [{i}][{j}] is {a}, and [{j}][{i}] is {b}; correct one of them, "
                "or give (I + I.T) / 2 if both are measured"
            )
    if not all([isinstance(x, (float, Real)) for pair in pairs for x in pair]):
        return I
    return Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _differ(a: Scalar, b: Scalar, I: Matrix) -> bool:
    """Whether two numbers, or expressions at sample values of their symbols, differ by more than rounding."""
    entries = (*I[0], *I[1], *I[2])
    if {*map(type, entries)} == {float}:
        return bool(abs(a - b) > ROUNDING * max(map(abs, entries)))
    comparable = [isinstance(x, Real) or hasattr(x, "free_symbols") for x in (a, b)]
    if a is b or not all(comparable) or bool(a == b):
        return False  # graph nodes and arrays have no single value to compare
    symbols = {x for entry in entries for x in getattr(entry, "free_symbols", ())}
    values = {x: 0.5 + k / 7 for k, x in enumerate(sorted(symbols, key=str))}
    try:
        first, second, *numbers = (_value(x, values) for x in (a, b, *entries))
    except (TypeError, ValueError, RecursionError):  # SymPy functions without a numerical value
        return False
    return abs(first - second) > ROUNDING * max(map(abs, numbers))


def _value(x: Any, values: Mapping[Any, float]) -> complex:
    """The value of a number or expression; infinity if it is larger than any float."""
    try:
        return complex(x.subs(values)) if hasattr(x, "free_symbols") else float(x)
    except OverflowError:
        return math.inf
