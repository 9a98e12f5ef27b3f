"""Sums as products."""

from __future__ import annotations

from typing import Any

import sympy

__all__ = ["factored"]

MOST = 12
"""Terms of a sum that SymPy factors. It draws numbers for that, and by bad luck takes hours for long sums."""


def factored(x: Any) -> Any:
    """A sum as a product; of a long one only common factors are taken out."""
    return sympy.factor(x) if len(sympy.Add.make_args(x)) <= MOST else sympy.factor_terms(x)
