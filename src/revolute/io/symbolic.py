"""Arrays of numbers and SymPy expressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.errors import InputError
from revolute.spatial.scalar import Scalar

__all__ = ["array", "is_symbolic", "tidy"]

Array = NDArray[Any]


def array(what: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Numbers, or objects where there are symbols.

    Args:
        what: start of the message: "S must be".
        given: numbers or expressions.
        shape: required shape; -1 allows any size.

    Raises:
        InputError: the shape is wrong, or an entry is neither a finite number nor an expression.
    """
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        values = _of_objects(given)
    if values.ndim != len(shape) or any(n not in (-1, size) for n, size in zip(shape, values.shape, strict=True)):
        words = ", ".join("n" if n == -1 else str(n) for n in shape)
        raise InputError(f"{what} finite numbers, or expressions, of the shape ({words})")
    if values.dtype != object and not np.isfinite(values).all():
        raise InputError(f"{what} finite numbers")
    return values


def is_symbolic(scalars: Iterable[Scalar]) -> bool:
    """Whether any entry has a symbol."""
    return any(getattr(x, "free_symbols", ()) for x in scalars)


def tidy(x: Scalar) -> Scalar:
    """A simplified expression; an integer as an int."""
    x = x.simplify() if hasattr(x, "simplify") else x
    return int(x) if not is_symbolic([x]) and x == int(x) else x


def _of_objects(values: Any) -> Array:
    """Integers as int, other numbers as float, expressions unchanged; empty if an entry is neither."""
    try:
        objects = np.array(values, dtype=object)
        scalars = [x if is_symbolic([x]) and hasattr(x, "is_Add") else _number(x) for x in objects.ravel()]
    except (TypeError, ValueError):
        return np.empty(0)
    return np.array([*scalars, None], dtype=object)[:-1].reshape(objects.shape)


def _number(x: Any) -> Scalar:
    number = float(x)
    if not np.isfinite(number):
        raise ValueError(x)
    return int(number) if number == int(number) else number
