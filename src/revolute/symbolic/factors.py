"""Factorization of sums."""

from __future__ import annotations

from typing import Any

import sympy

__all__ = ["factored"]

MOST = 12
"""Maximum number of terms of a sum that SymPy factors. Its randomized algorithm can take hours for long sums."""


def factored(x: Any) -> Any:
    """A sum as a product; for a long sum only common factors are extracted."""
    return sympy.factor(x) if len(sympy.Add.make_args(x)) <= MOST else sympy.factor_terms(x)
