"""Solutions of equations that are nearly symmetric and positive, for any scalar type."""

from __future__ import annotations

from revolute.dynamics.mobility import dot
from revolute.spatial.loop import repeated
from revolute.spatial.scalar import Rows, Scalar, Scalars

STAGES = 4  # loops of an elimination


def solved(M: Rows, b: Scalars) -> list[Scalar]:
    """M^-1 b, by elimination without pivoting: M is a positive matrix and a small asymmetric part.

    In loops of a quarter of the rows each, for short code. A step eliminates the first column by the first row. Zeros
    at the end of rows and columns keep the size of the matrix within a loop.
    """

    def eliminated(rows: Rows) -> tuple[Rows, list[Scalar]]:
        first, *others = rows
        share = 1 / first[0]
        pivot = [x * share for x in first[1:]]
        left = [[x - row[0] * y for x, y in zip(row[1:], pivot, strict=True)] for row in others]
        return [*([*row[:-1], 0.0, row[-1]] for row in left), [0.0] * len(first)], pivot

    rows, pivots = [[*row, x] for row, x in zip(M, b, strict=True)], []
    while rows:
        times = max(len(b) // STAGES, 1)
        rows, some = repeated(eliminated, rows, times=min(times, len(rows)))
        pivots += some
        rows = [[*row[: len(rows) - times], row[-1]] for row in rows[:-times]]
    x: list[Scalar] = []
    for *row, value in reversed(pivots):
        x = [value - dot(x, row[: len(x)]), *x]
    return x
