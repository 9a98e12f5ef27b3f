"""Numbers of a model as plain Python numbers, which do not change and have one exact text each.

NumPy's arrays without axes can be written to; subclasses of float can print and compute as they like. So a model takes
the value of what it is given when it is made. Symbols, graph nodes and arrays with axes stay as they are.
"""

from __future__ import annotations

import math
import sys
from numbers import Real
from typing import Any

import numpy as np

__all__ = ["LARGEST", "is_moderate", "plain_all", "plain_number", "plain_text"]

LARGEST = 1e50
"""Largest mass [kg], length [m] or other number of a model.

An inertia is a mass times two lengths, and solving with a mass matrix multiplies two inertias. That is the sixth power
of this, 1e300, to which sums of many bodies may be added before floats end at 1.8e308.
"""

_PLAIN = (float, int)


def plain_number(x: Any) -> Any:
    """A float or an int for a real number, one that is infinite where no float is as large; all else as it is."""
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
    except ValueError:  # of a decimal that is not a number, and says so
        return math.nan
    return x


def _is_decimal(x: Any) -> bool:
    """Whether it is a decimal; nobody has one who did not load their module, which takes a millisecond."""
    decimal = sys.modules.get("decimal")
    return decimal is not None and isinstance(x, decimal.Decimal)


def plain_all(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tuple with plain numbers; the same one where it has no others."""
    if all([type(x) in _PLAIN for x in values]):
        return values
    return tuple([plain_number(x) for x in values])


def is_moderate(x: Any) -> bool:
    """Whether it is a real number, finite and no larger than `LARGEST`."""
    return isinstance(x, _PLAIN) and -LARGEST <= x <= LARGEST


def plain_text(x: Any) -> Any:
    """A string, of a subclass such as NumPy's too, as the plain one that all equal strings share; all else as it is.

    Calls with names as options are known by the very strings: see `revolute.compiler.bound`.
    """
    return sys.intern(str.__str__(x)) if isinstance(x, str) else x
