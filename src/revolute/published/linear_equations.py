"""Systems of linear equations with a symmetric positive definite matrix, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.published.matrices import dot
from revolute.spatial.scalar import Scalar

__all__ = ["solve"]


def solve(M: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """M^-1 b by M = L D L^T, as in LINPACK."""
    n = len(M)
    L: list[list[Scalar]] = [[0] * n for _ in range(n)]  # below the diagonal
    share: list[Scalar] = []  # 1 / D
    x: list[Scalar] = list(b)
    for i in range(n):
        row: list[Scalar] = []  # of L D
        for j in range(i):
            row.append(M[i][j] - dot(row, L[j][:j]))
            L[i][j] = row[j] * share[j]
        share.append(1 / (M[i][i] - dot(row, L[i][:i])))
        x[i] = x[i] - dot(L[i][:i], x[:i])
    x = [a * s for a, s in zip(x, share, strict=True)]
    for i in reversed(range(n)):
        x[i] = x[i] - dot([L[k][i] for k in range(i + 1, n)], x[i + 1 :])
    return x
