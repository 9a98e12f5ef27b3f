"""The triangular factor of any number of rows, in bounded memory."""

import numpy as np
from numpy.typing import ArrayLike

from revolute.errors import InputError, ShapeError
from revolute.identification.samples import Array, lapack

ROWS, PANEL = 1024, 8
"""Number of rows added to R at once, which fit in the cache with R; number of columns per block of reflections."""


class Triangle:
    """R with R^T R = A^T A for all rows A that were added. Golub & Van Loan 5.2, 6.5.

    If the last column is the right side of least squares, R = [[S, c], [0, r]], and r^2 is the minimum sum of squares.
    Householder reflections (LAPACK's tpqrt) preserve the digits that A^T A loses.
    """

    def __init__(self, width: int) -> None:
        self._R: Array = np.zeros((width, width), order="F")
        self.rows = 0

    @property
    def R(self) -> Array:
        """(min(rows, width), width) the factor so far."""
        return self._R[: min(self.rows, len(self._R))].copy()  # no step writes to the lower triangle

    def add(self, rows: ArrayLike) -> None:
        """Add rows (m, width) of finite numbers."""
        A = np.asarray(rows, dtype=float)
        if A.ndim != 2 or A.shape[1] != len(self._R):
            raise ShapeError(f"Triangle.add needs rows of {len(self._R)} numbers, not shape {A.shape}")
        if not np.isfinite(A).all():
            row = int(np.argmin(np.isfinite(A).all(axis=1)))
            raise InputError(f"Triangle.add: row {row} is not finite; omit rows whose force was not measured")
        reduced, panel = lapack().dtpqrt, min(PANEL, len(self._R))
        for k in range(0, len(A), ROWS):
            part = np.array(A[k : k + ROWS], order="F")
            self._R, *_ = reduced(0, panel, self._R, part, overwrite_a=True, overwrite_b=True)
        self.rows += len(A)
