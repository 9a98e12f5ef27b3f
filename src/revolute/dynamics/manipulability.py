"""Yoshikawa's measure of manipulability, for any scalar type."""

from collections.abc import Sequence
from math import prod

from revolute.dynamics.mobility import dot
from revolute.spatial.scalar import Scalar, Scalars, sign


def squared_manipulability(J: Sequence[Scalars]) -> Scalar:
    """det(J J^T). Yoshikawa 1985, eq. 7.

    Rows are orthogonalized one after the other (modified Gram-Schmidt, Golub & Van Loan Alg.
    5.2.6). The determinant is the product of the squared lengths of the results: it is never negative, and near
    singular configurations it is as accurate as J. It is zero if J has fewer columns than rows.
    """
    rows = list(J)
    if len(rows) > len(rows[0]):
        return 0
    lengths = []
    for k, row in enumerate(rows):
        squared = dot(row, row)
        lengths.append(squared)
        share = guarded_inverse(squared)
        for below in range(k + 1, len(rows)):
            along = dot(rows[below], row) * share
            rows[below] = [x - along * y for x, y in zip(rows[below], row, strict=True)]
    return prod(lengths)


def guarded_inverse(x: Scalar) -> Scalar:
    """1 / x for x > 0; 0 for x = 0, with a finite derivative."""
    s = sign(x)
    return s / (x + (1 - s))
