"""Sums and products of scalars, vectors and matrices, for any scalar type. Products of matrices are loops over rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from revolute.dynamics.sparse_factorization import is_zero
from revolute.spatial.loop import mapped, repeated
from revolute.spatial.scalar import Scalar, Scalars, transposed

Rows = Sequence[Scalars]

LARGE, BODY = 600, 400
"""Number of multiplications from which a row of a product is itself a loop, and the most in this loop's body."""

BLOCK = 40  # most rows of equal length in a lower triangle


def plus_product(C: Rows | None, A: Rows, B: Rows, columns: int | None = None) -> Rows:
    """C + A B, or A B if C is None; with `columns`, only the first columns of the result."""
    columns = len(B[0]) if columns is None else columns
    if is_large(len(B), columns):
        return _plus_large_product(C, A, B, columns)

    def row(_: Scalars, a: Scalars, *c: Scalars) -> tuple[tuple[()], list[Scalar]]:
        products = [total(x * b[j] for x, b in zip(a, B, strict=True)) for j in range(columns)]
        return (), [x + y for x, y in zip(c[0], products, strict=False)] if c else products

    rows: Rows = repeated(row, (), [A] if C is None else [A, C])[1]
    return rows


def plus_lower_product(C: Rows, A: Rows, B: Rows, before: int = 0) -> list[Scalars]:
    """Rows of C + A B up to the diagonal, which is in column `before` + i of row i.

    Rows are computed in blocks of equal length, so some entries follow the diagonal.
    """
    rows, parts = list[Scalars](), -(-len(A) // BLOCK)
    for start, end in pairwise(len(A) * k // parts for k in range(parts + 1)):
        rows += plus_product(C[start:end], A[start:end], B, before + end)
    return rows


def sparse_product(A: Rows, B: Rows) -> Rows:
    """The product A B, without the terms of structural zeros in B."""

    def row(a: Scalars) -> list[Scalar]:
        return [total(x * b for x, b in zip(a, column, strict=True) if not is_zero(b)) for column in columns]

    columns = transposed(B)
    return mapped(row, A)


def is_large(rows: int, columns: int) -> bool:
    """Whether a row of a product A B is computed in a loop, for a B of this size."""
    return rows * columns >= LARGE


def _plus_large_product(C: Rows | None, A: Rows, B: Rows, columns: int) -> Rows:
    """C + A B, or A B if C is None. A row of the result is the state of a loop over groups of rows of B."""
    size = max(1, BODY // columns)
    whole = len(B) // size * size
    starts = range(0, whole, size)

    def added(c: Scalars, a: Scalars, b: Rows) -> list[Scalar]:
        return [total((x, *(y * row[j] for y, row in zip(a, b, strict=True)))) for j, x in enumerate(c)]

    def row(_: Scalars, a: Scalars, *c: Scalars) -> tuple[tuple[()], list[Scalar]]:
        groups = [a[k : k + size] for k in starts], [B[k : k + size] for k in starts]
        first = list(c[0][:columns]) if c else [0.0] * columns
        most, _ = repeated(lambda x, *group: (added(x, *group), ()), first, groups)
        return (), added(most, a[whole:], B[whole:])

    rows: Rows = repeated(row, (), [A] if C is None else [A, C])[1]
    return rows


def rows_of(x: Scalars, count: int) -> list[Scalars]:
    """A matrix with `count` rows, from its scalars row by row."""
    columns = len(x) // count
    return [x[i * columns : (i + 1) * columns] for i in range(count)]


def symmetric(lower: Scalars) -> Rows:
    """The rows of a matrix from its lower triangle, row by row."""
    n = round((8 * len(lower) + 1) ** 0.5) // 2
    return [[lower[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(n)] for i in range(n)]


def padded(lower: Scalars) -> Rows:
    """The rows of a lower triangle, row by row, with zeros above the diagonal."""
    n = round((8 * len(lower) + 1) ** 0.5) // 2
    return [[*lower[i * (i + 1) // 2 :][: i + 1], *([0.0] * (n - i - 1))] for i in range(n)]


def dot(a: Scalars, b: Scalars) -> Scalar:
    """The scalar product of a and b."""
    return total(x * y for x, y in zip(a, b, strict=True))


def total(terms: Iterable[Scalar]) -> Scalar:
    """The sum of terms, without adding the first to zero."""
    result: Scalar = None
    for x in terms:
        result = x if result is None else result + x
    return 0 if result is None else result
