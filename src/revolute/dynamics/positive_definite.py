"""Small symmetric positive definite systems, without pivoting, for any scalar type."""

from collections.abc import Sequence

from revolute.dynamics.articulated_body import inverse
from revolute.records import dataclass
from revolute.spatial.scalar import Rows, Scalar, Scalars, mirrored, select


@dataclass(frozen=True)
class Triangular:
    """Factors of A = L D L^T, where L has a unit diagonal."""

    L: Rows  # rows of the entries to the left of the diagonal
    # D, inverse_D: pivots and their reciprocals. For A = J J^T, pivot k is the squared distance of row k of J from the
    # span of the rows before it.
    D: list[Scalar]
    inverse_D: list[Scalar]

    def inverse(self) -> Rows:
        """A^-1 = W^T D^-1 W with W = L^-1."""
        n = len(self.L)
        W: Rows = []
        for row in self.L:
            above = [-sum(a * W[k][j] for k, a in enumerate(row) if k >= j) for j in range(len(row))]
            W.append([*above, 1])
        scaled = [[x * share for x in row] for row, share in zip(W, self.inverse_D, strict=True)]
        lower = [[sum(W[k][i] * scaled[k][j] for k in range(i, n)) for j in range(i + 1)] for i in range(n)]
        return mirrored(lower)

    def solve(self, b: Scalars) -> list[Scalar]:
        """A^-1 b."""
        y: list[Scalar] = []
        for row, value in zip(self.L, b, strict=True):
            y.append(value - sum(a * before for a, before in zip(row, y, strict=True)))
        x = [value * share for value, share in zip(y, self.inverse_D, strict=True)]
        for i in range(len(x) - 1, -1, -1):
            for j, a in enumerate(self.L[i]):
                x[j] -= a * x[i]
        return x


def triangular(A: Sequence[Scalars], least: Scalar | None = None) -> Triangular:
    """The factors of A; only its lower triangle is read. Golub & Van Loan, Alg. 4.1.2.

        L[i][j] = (A[i][j] - sum_k L[i][k] D[k] L[j][k]) / D[j],    k < j

    Pivots D below `least` are replaced by it: rounding errors may make them negative.
    """
    factors = Triangular([], [], [])
    for i, row in enumerate(A):
        scaled: list[Scalar] = []  # the products L[i][k] D[k]
        for j in range(i):
            scaled.append(row[j] - sum(x * a for x, a in zip(scaled, factors.L[j], strict=True)))
        L = [x * share for x, share in zip(scaled, factors.inverse_D, strict=True)]
        D = row[i] - sum(x * a for x, a in zip(scaled, L, strict=True))
        if least is not None:
            D = select(least > D, least, D)
        factors.L.append(L)
        factors.D.append(D)
        factors.inverse_D.append(inverse(D))
    return factors
