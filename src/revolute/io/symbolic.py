"""Arrays of tables that may have SymPy expressions in them."""

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
        what: how a message begins: "S must be".
        given: what was given.
        shape: that it must have; -1 is any size.

    Raises:
        InputError: another shape, or entries that are neither finite numbers nor expressions.
    """
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        found = _of_objects(given)
    if found.ndim != len(shape) or any(n not in (-1, size) for n, size in zip(shape, found.shape, strict=True)):
        words = ", ".join("n" if n == -1 else str(n) for n in shape)
        raise InputError(f"{what} finite numbers, or expressions, of the shape ({words})")
    if found.dtype != object and not np.isfinite(found).all():
        raise InputError(f"{what} finite numbers")
    return found


def is_symbolic(scalars: Iterable[Scalar]) -> bool:
    """Whether there is a symbol in any of them."""
    return any(getattr(x, "free_symbols", ()) for x in scalars)


def tidy(x: Scalar) -> Scalar:
    """An expression simplified, a whole number as such."""
    x = x.simplify() if hasattr(x, "simplify") else x
    return int(x) if not is_symbolic([x]) and x == int(x) else x


def _of_objects(given: Any) -> Array:
    """Whole numbers as int, others as float, expressions as they are; nothing where something else is."""
    try:
        found = np.array(given, dtype=object)
        scalars = [x if is_symbolic([x]) and hasattr(x, "is_Add") else _number(x) for x in found.ravel()]
    except (TypeError, ValueError):
        return np.empty(0)
    return np.array([*scalars, None], dtype=object)[:-1].reshape(found.shape)


def _number(x: Any) -> Scalar:
    number = float(x)
    if not np.isfinite(number):
        raise ValueError(x)
    return int(number) if number == int(number) else number
