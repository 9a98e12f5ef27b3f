"""Checks of inertias: symmetric matrices, and a centre of mass given in place of the first moment.

A body's inertia matrix about its centre of mass is

    I_c = I - (h^T h 1 - h h^T) / m

Its eigenvalues are not negative, and none exceeds the sum of the other two. With c in place of h = m c and the matrix
about the centre of mass in place of I, these conditions fail if c^2 / m is larger than the moments.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import Matrix

MARGIN = 1e-2
"""Minimum violation of the given parameters, relative to the largest moment. Four digits of m, h and I leave errors of
5e-4 each, so up to 4 x 5e-4 in a moment of I_c, and three times that in the triangle inequality."""

LARGEST = 1e100  # maximum magnitude of numbers whose squares can be compared without overflow

ROUNDING = 1e-9
"""Maximum difference between symmetric entries of an inertia matrix, relative to the largest entry.

Products with a rotation have rounding errors of 1e-15. A shift of the origin can cancel most of the matrix, which makes
the error a million times larger relative to the rest.
"""


def symmetric(what: str, I: Matrix) -> Matrix:
    """The matrix, made exactly symmetric; raise `InputError` if symmetric entries differ by more than rounding."""
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
        return False  # graph nodes and arrays cannot be compared as numbers
    symbols = {x for entry in entries for x in getattr(entry, "free_symbols", ())}
    values = {x: 0.5 + k / 7 for k, x in enumerate(sorted(symbols, key=str))}
    try:
        first, second, *numbers = (_value(x, values) for x in (a, b, *entries))
    except (TypeError, ValueError, RecursionError):  # SymPy functions may have no numerical value
        return False
    return abs(first - second) > ROUNDING * max(map(abs, numbers))


def _value(x: Any, values: Mapping[Any, float]) -> complex:
    """The value of a number or expression; infinity if it is larger than any float."""
    try:
        return complex(x.subs(values)) if hasattr(x, "free_symbols") else float(x)
    except OverflowError:
        return math.inf


def is_mistaken(m: Scalar, h: Sequence[Scalar], I: Sequence[Sequence[Scalar]]) -> bool:
    """Whether h seems to be the centre of mass and I to be about it: only then are the parameters consistent.

    The result is False for consistent parameters, also if rounded to four digits or more, and for symbols.
    """
    if not all(isinstance(x, (int, float)) and abs(x) < LARGEST for x in (m, *h, *(x for row in I for x in row))):
        return False
    if m <= 0 or not any(h):
        return False
    about, first = np.array(I, dtype=float), np.array(h, dtype=float)
    size = float(np.abs(about).max())
    with np.errstate(over="ignore", invalid="ignore"):
        shift = (first @ first * np.eye(3) - np.outer(first, first)) / m
    if not np.isfinite(shift).all():
        return False
    slack = MARGIN * max(size, float(np.abs(shift).max()))
    return _exists(about, 0.0) and not _exists(about - shift, slack)


def _exists(about_com: NDArray[Any], slack: float) -> bool:
    """Whether this inertia matrix about the centre of mass is physically consistent, within a tolerance of moments."""
    low, middle, high = np.linalg.eigvalsh(about_com)
    slack = max(slack, 1e-6 * abs(high))
    return bool(low >= -slack and high <= low + middle + slack)
