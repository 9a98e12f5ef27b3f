"""Convert numbers of a model to plain Python numbers, which are immutable and have a unique exact text.

Zero-dimensional NumPy arrays are mutable, and subclasses of float may override arithmetic and printing. So a model
stores their values as int or float. Symbols, graph nodes and other arrays stay unchanged.
"""

import math
import sys
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

LARGEST = 1e50
"""Largest mass [kg], length [m] or other number of a model.

An inertia is a mass times two lengths, and solving with a mass matrix multiplies two inertias: the sixth power, 1e300,
which leaves room for sums of many bodies below the largest float, 1.8e308.
"""

_PLAIN = frozenset((float, int))


def plain_number(x: Any) -> Any:
    """Convert a real number to int or float (infinity if it overflows); return other objects unchanged."""
    if type(x) in _PLAIN or hasattr(x, "free_symbols"):
        return x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    try:
        if isinstance(x, (int, np.integer, np.bool_)):
            return int(x)
        if isinstance(x, Real) or _is_decimal(x):
            return float(x)
    except OverflowError:  # a fraction may exceed the range of floats
        return math.inf if x > 0 else -math.inf
    except ValueError:  # a signalling NaN raises this error
        return math.nan
    return x


def _is_decimal(x: Any) -> bool:
    """Whether x is a `Decimal`, without importing `decimal`, which would take a millisecond."""
    decimal = sys.modules.get("decimal")
    return decimal is not None and isinstance(x, decimal.Decimal)


def are_plain(values: Iterable[Any]) -> bool:
    """Whether the type of every object is exactly float or int."""
    return _PLAIN.issuperset(map(type, values))


def plain_all(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Convert the numbers of a tuple to plain numbers; return the tuple itself if all are plain already."""
    return values if are_plain(values) else tuple(map(plain_number, values))


def is_moderate(x: object) -> bool:
    """Whether x is a float or int between -`LARGEST` and `LARGEST`."""
    return isinstance(x, (float, int)) and -LARGEST <= x <= LARGEST


def plain_text(x: Any) -> Any:
    """Convert a string, also of a subclass such as `numpy.str_`, to an interned str; return other objects unchanged.

    Calls whose options are names are distinguished by the identity of the strings: see `revolute.compiler.bound`.
    """
    return sys.intern(x if type(x) is str else str.__str__(x)) if isinstance(x, str) else x
