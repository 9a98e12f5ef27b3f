"""Detect a centre of mass given in place of the first moment, which makes the inertia inconsistent.

A body's inertia matrix about its centre of mass is

    I_c = I - (h^T h 1 - h h^T) / m

Its eigenvalues are not negative, and none exceeds the sum of the other two. With c in place of h = m c and the matrix
about the centre of mass in place of I, this fails if c^2 / m is larger than the moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.spatial.scalar import Scalar

__all__ = ["is_mistaken"]

MARGIN = 1e-2
"""Minimum violation of the given parameters, relative to the largest moment. Four digits of m, h and I leave errors of
5e-4 each, so up to 4 x 5e-4 in a moment of I_c, and three times that in the triangle inequality."""
LARGEST = 1e100
"""Maximum magnitude of numbers whose squares are compared."""


def is_mistaken(m: Scalar, h: Sequence[Scalar], I: Sequence[Sequence[Scalar]]) -> bool:
    """Whether h seems to be the centre of mass and I to be about it: only then are the parameters consistent.

    False for consistent parameters, also if rounded to four digits or more, and for symbols.
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
