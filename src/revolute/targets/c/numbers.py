"""Floating-point types of C: their constants and functions."""

import math
from typing import Any, NamedTuple

import numpy as np


class Numbers(NamedTuple):
    """A floating-point type of C, and the suffix of its constants and of its functions in <math.h>."""

    type: str
    suffix: str

    def constant(self, value: float) -> str:
        """A constant with enough digits to be exact.

        Example:
            >>> from revolute.targets.c.numbers import DOUBLE, FLOAT
            >>> DOUBLE.constant(0.1), FLOAT.constant(0.1), FLOAT.constant(-2.0)
            ('0.1', '0.1f', '-2.0f')
        """
        with np.errstate(over="ignore"):  # a number beyond the range of float32 becomes infinite
            exact = value if not self.suffix else float(np.float32(value))
        if math.isnan(exact):
            return f"({self.type})NAN"
        if math.isinf(exact):
            return f"{'-' if exact < 0 else ''}({self.type})INFINITY"
        # the shortest decimal number that is parsed to identical bits
        text = repr(exact) if not self.suffix else str(np.float32(value))
        if not set(text) & set(".e"):
            text += ".0"
        return text + self.suffix

    def call(self, function: str, *arguments: str) -> str:
        """A call of a function in <math.h>."""
        return f"{function}{self.suffix}({', '.join(arguments)})"


DOUBLE = Numbers("double", "")
FLOAT = Numbers("float", "f")


def numbers_of(dtype: np.dtype[Any]) -> Numbers:
    """The C type for a NumPy type."""
    return FLOAT if dtype == np.float32 else DOUBLE
