"""Numbers of a model as plain Python numbers, which are immutable and have one exact text each.

NumPy's arrays without axes are mutable, and subclasses of float may override arithmetic and printing. So a model copies
their values. Symbols, graph nodes and arrays with axes stay unchanged.
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
    """A real number as a float or an int, infinite if it is too large for a float; anything else unchanged."""
    if type(x) in _PLAIN or hasattr(x, "free_symbols"):
        return x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    try:
        if isinstance(x, (int, np.integer, np.bool_)):
            return int(x)
        if isinstance(x, Real) or _is_decimal(x):
            return float(x)
    except OverflowError:  # of a fraction
        return math.inf if x > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan
    return x


def _is_decimal(x: Any) -> bool:
    """Whether x is a `Decimal`, without loading their module, which would take a millisecond."""
    decimal = sys.modules.get("decimal")
    return decimal is not None and isinstance(x, decimal.Decimal)


def are_plain(values: Iterable[Any]) -> bool:
    """Whether all are Python's own floats and ints."""
    return _PLAIN.issuperset(map(type, values))


def plain_all(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tuple with plain numbers; the same object if all of them are plain already."""
    return values if are_plain(values) else tuple(map(plain_number, values))


def is_moderate(x: Any) -> bool:
    """Whether x is a real number, no larger than `LARGEST`."""
    return isinstance(x, (float, int)) and -LARGEST <= x <= LARGEST


def plain_text(x: Any) -> Any:
    """A string, also of a subclass such as NumPy's, as an interned plain string; anything else unchanged.

    Calls with names as options are distinguished by the identity of the strings: see `revolute.compiler.bound`.
    """
    return sys.intern(x if type(x) is str else str.__str__(x)) if isinstance(x, str) else x
