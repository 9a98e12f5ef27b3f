"""Sums and products of scalars, vectors and matrices, for any scalar type. Products of matrices are loops over rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from revolute.spatial.loop import repeated
from revolute.spatial.scalar import Scalar, Scalars

Rows = Sequence[Scalars]


def plus_product(C: Rows | None, A: Rows, B: Rows) -> Rows:
    """C + A B, or A B."""

    def row(_: Scalars, a: Scalars, *c: Scalars) -> tuple[tuple[()], list[Scalar]]:
        products = [total(x * b[j] for x, b in zip(a, B, strict=True)) for j in range(len(B[0]))]
        return (), [x + y for x, y in zip(*c, products, strict=True)] if c else products

    rows: Rows = repeated(row, (), [A] if C is None else [A, C])[1]
    return rows


def rows_of(x: Scalars, count: int) -> list[Scalars]:
    """A matrix with `rows` rows, from its scalars row by row."""
    columns = len(x) // count
    return [x[i * columns : (i + 1) * columns] for i in range(count)]


def symmetric(lower: Scalars) -> Rows:
    """The rows of a matrix from its lower triangle, row by row."""
    n = round((8 * len(lower) + 1) ** 0.5) // 2
    return [[lower[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(n)] for i in range(n)]


def dot(a: Scalars, b: Scalars) -> Scalar:
    """The sum of products."""
    return total(x * y for x, y in zip(a, b, strict=True))


def total(terms: Iterable[Scalar]) -> Scalar:
    """The sum of terms, without adding the first to zero."""
    result: Scalar = None
    for x in terms:
        result = x if result is None else result + x
    return 0 if result is None else result
