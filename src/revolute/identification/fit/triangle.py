"""The triangular factor of any number of rows, in bounded memory: least squares as the rows come."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.errors import InputError, MissingExtraError, ShapeError
from revolute.identification.samples import Array

__all__ = ["Triangle"]

ROWS = 1024
"""Rows that are taken in at once: they and R stay in the cache."""

PANEL = 8
"""Columns whose reflections are applied together; more of them cost more than they save with 100 columns."""


class Triangle:
    """R with R^T R = A^T A for all rows A that were added. Golub & Van Loan 5.2, 6.5.

    The last column is usually the right side of least squares: R = [[S, c], [0, r]], and r^2 is the sum of squares
    that no parameters explain.

    Householder reflections take new rows into R (LAPACK's tpqrt), so that no digits are lost, as they are in A^T A.

    Example:
        >>> import numpy as np
        >>> from revolute.identification.fit.triangle import Triangle
        >>> triangle = Triangle(2)
        >>> for rows in ([[1.0, 2.0], [1.0, 3.0]], [[1.0, 4.0]]):
        ...     triangle.add(rows)
        >>> S, c = triangle.R[0]
        >>> round(float(c / S), 12), triangle.rows  # the mean of 2, 3, 4
        (3.0, 3)
    """

    def __init__(self, width: int) -> None:
        self._R: Array = np.zeros((width, width), order="F")
        self.rows = 0

    @property
    def R(self) -> Array:
        """(min(rows, width), width) the factor so far."""
        return self._R[: min(self.rows, len(self._R))].copy()  # its lower part is never written

    def add(self, rows: Any) -> None:
        """Add rows (m, width).

        Raises:
            ShapeError: the rows have another width.
            InputError: a number is not finite. Rows without a measured force are to be left out.
        """
        A = np.asarray(rows, dtype=float)
        if A.ndim != 2 or A.shape[1] != len(self._R):
            raise ShapeError(f"Triangle.add needs rows of {len(self._R)} numbers, not shape {A.shape}")
        if not np.isfinite(A).all():
            row = int(np.argmin(np.isfinite(A).all(axis=1)))
            raise InputError(f"Triangle.add: row {row} is not finite; leave out rows whose force was not measured")
        for k in range(0, len(A), ROWS):
            self._take(np.array(A[k : k + ROWS], order="F"))
        self.rows += len(A)

    def _take(self, A: Array) -> None:
        try:
            from scipy.linalg.lapack import dtpqrt
        except ImportError:
            raise MissingExtraError("triangular factors need SciPy", "scipy") from None
        panel = min(PANEL, len(self._R))
        self._R, *_ = dtpqrt(0, panel, self._R, A, overwrite_a=True, overwrite_b=True)
