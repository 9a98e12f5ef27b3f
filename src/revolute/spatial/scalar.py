"""Elementary functions over any scalar type: float, NumPy array, SymPy expression, graph node.

The recursions of the theory call these instead of `math`, so they are independent of the scalar type. Numbers, arrays,
SymPy expressions and every type with a method of the function's name (such as graph nodes) are supported.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

Scalar = Any  # any type with addition, subtraction and multiplication, as described in the module docstring
Expression = Any  # a SymPy expression, or a matrix of them; SymPy has no types for mypy
Scalars = Sequence[Scalar]
Rows = list[list[Scalar]]
Cube = list[list[list[Scalar]]]

Wrenches = Mapping[str, Scalars] | None
"""Wrenches of the environment on links, in the link frames: {link name: (moment m [N m], force f [N])}."""


def transposed(A: Iterable[Scalars]) -> Rows:
    """The rows of A^T."""
    return [list(column) for column in zip(*A, strict=True)]


def mirrored(A: Sequence[Scalars]) -> Rows:
    """The symmetric matrix with this lower triangle; entries above the diagonal are ignored."""
    return [[*row[: i + 1], *(x[i] for x in A[i + 1 :])] for i, row in enumerate(A)]


def _apply(name: str, x: Scalar) -> Scalar:
    if isinstance(x, (int, float)):
        return getattr(math, name)(x)
    if (method := getattr(x, name, None)) is not None:
        return method()
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(x, sympy.Basic):
        return getattr(sympy, name)(x)
    return getattr(np, name)(x)


sin, cos = partial(_apply, "sin"), partial(_apply, "cos")
"""Functions that return the sine and the cosine of an angle [rad]."""

sqrt, exp, tanh = partial(_apply, "sqrt"), partial(_apply, "exp"), partial(_apply, "tanh")
"""Functions that return the square root, the exponential and the hyperbolic tangent."""


def sign(x: Scalar) -> Scalar:
    """The sign of x: 1, 0 or -1."""
    return int(x > 0) - int(x < 0) if isinstance(x, (int, float)) else _apply("sign", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y) [rad], in -pi ... pi."""
    if isinstance(y, (int, float)) and isinstance(x, (int, float)):
        return math.atan2(y, x)
    for part in (y, x):
        if hasattr(part, "atan2"):  # the part is a graph node; the other may be a number
            return part.atan2(x) if part is y else (part * 0 + y).atan2(part)
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(y + x, sympy.Basic):
        return sympy.atan2(y, x)
    return np.arctan2(y, x)


def nearest_turn(angle: Scalar, near: Scalar) -> Scalar:
    """Add the multiple of 2 pi that brings an angle within pi of another [rad]; none if it already is."""
    apart = angle - near
    return select(abs(apart) <= math.pi, angle, near + atan2(sin(apart), cos(apart)))


def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` if a comparison holds, otherwise `no`; for arrays, entry by entry."""
    if isinstance(condition, (bool, np.bool_)):
        return yes if condition else no
    for x in (yes, no):
        if getattr(x, "over_scalars", False):
            return x.selected(condition, yes, no)
    if hasattr(condition, "select"):
        return condition.select(yes, no)
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(condition, sympy.Basic):
        return sympy.Piecewise((yes, condition), (no, True))
    return np.where(condition, yes, no)


def between(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x limited to low ... high."""
    x = select(x < low, low, x)
    return select(x > high, high, x)
