"""The triangular factor of any number of rows, in bounded memory: least squares as the rows come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import ShapeError

__all__ = ["Triangle"]

Array = NDArray[Any]


class Triangle:
    """R with R^T R = A^T A for all rows A that were added. Golub & Van Loan 5.2, 6.5.

    The last column is usually the right side of least squares: R = [[S, c], [0, r]], and r^2 is the sum of squares
    that no parameters explain.

    Example:
        >>> import numpy as np
        >>> from revolute.identification import Triangle
        >>> triangle = Triangle(2)
        >>> for rows in ([[1.0, 2.0], [1.0, 3.0]], [[1.0, 4.0]]):
        ...     triangle.add(rows)
        >>> S, c = triangle.R[0]
        >>> round(float(c / S), 12), triangle.rows  # the mean of 2, 3, 4
        (3.0, 3)
    """

    def __init__(self, width: int) -> None:
        self.R: Array = np.zeros((0, width))
        self.rows = 0

    def add(self, rows: Any) -> None:
        """Add rows (m, width)."""
        A = np.asarray(rows, dtype=float)
        if A.ndim != 2 or A.shape[1] != self.R.shape[1]:
            raise ShapeError(f"Triangle.add needs rows of {self.R.shape[1]} numbers, not shape {A.shape}")
        self.R = np.asarray(np.linalg.qr(np.concatenate([self.R, A]), mode="r"))
        self.rows += len(A)
