"""Equations of motion with constraints, solved without a rank, for any scalar type. RBDA 8; Carpentier et al. 2021."""

from __future__ import annotations

from functools import cached_property
from operator import mul

from revolute.dynamics.linear_models import product, total
from revolute.dynamics.mobility import dot
from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.dynamics.sparse_factorization import LARGE, Factors, is_zero
from revolute.records import dataclass
from revolute.spatial.loop import mapped
from revolute.spatial.scalar import Rows, Scalar, Scalars, mirrored, transposed

DAMPING = 1e-7
"""Damping mu of J M^-1 J^T, relative to the mean of its diagonal."""

ROUNDS = 6
"""Number of proximal rounds. After k rounds, an eigenvalue s of J M^-1 J^T leaves (mu / (s + mu))^k of its row open."""

TINY = 1e-30
"""Damping of rows that vanish all at once."""


@dataclass(frozen=True)
class Constraints:
    """Rows J of constraints on a tree with M = L^T D L: the solution x and f of

        M x = load + J^T f,    J x = required

    by proximal rounds f <- f + (A + mu)^-1 (required - J x), A = J M^-1 J^T. x is the acceleration under forces f, or
    the change of velocity by impulses f. No row is selected or dropped: a row whose singular value, in the metric of M,
    is below about 1e-4 of the largest acts as redundant, and redundant rows get forces f of least norm. Measured on
    random linkages, rows of condition up to 1e3 are exact to 1e-9, up to 2e3 to 1e-6, up to 5e3 to 1e-2. More rounds do
    not help: repeated without end, they enforce rows that a loop has only because it is not quite closed.

    Attributes:
        J: rows of the constraints.
        factors: L and D of the mass matrix.
    """

    J: Rows
    factors: Factors

    def solve(self, load: Scalars, required: Scalars) -> tuple[list[Scalar], list[Scalar]]:
        """x and f."""
        half = self.factors.halfway(load)
        missing = [b - dot(row, half) for b, row in zip(required, self.swept, strict=True)]
        forces = self._forces([missing[i] for i in self._kept])
        given = dict(zip(self._kept, forces, strict=True))
        pushed = [sum(f * self.swept[i][k] for i, f in given.items()) for k in range(len(half))]
        half = [x + share * y for x, share, y in zip(half, self.factors.inverse_D, pushed, strict=True)]
        return self.factors.finished(half), [given.get(i, 0) for i in range(len(self.J))]

    def inverse(self) -> tuple[Rows, Rows]:
        """P (n, n) and N (n, m) with x = P load + N required: N = G K, P = M^-1 - G K G^T with G = M^-1 J^T."""
        G, P = self.factors.solve_columns(self.J), self.factors.inverse()
        pulls = self.responses(G)
        for i in range(len(P)):
            for j in range(i + 1):
                P[i][j] = P[j][i] = P[i][j] - sum(x[i] * g[j] for x, g in zip(pulls, G, strict=True))
        return P, transposed(pulls)

    def responses(self, missing: Rows) -> Rows:
        """K missing, with f = K (required - J M^-1 load), for many columns.

        K = (1 + E + E^2 + ...) (A + mu)^-1, with E = mu (A + mu)^-1. In products with K itself, redundant rows would
        cost all digits beyond eps / mu.
        """
        factors, mu = self._damped
        one = [[int(i == j) for j in range(len(self._kept))] for i in range(len(self._kept))]
        E = [[mu * x for x in row] for row in factors.inverse()]
        square, powers = symmetric_product(E, E), one
        for _ in range(ROUNDS // 2 - 1):
            powers = total(one, symmetric_product(square, powers))
        first = [factors.solve([missing[i][k] for i in self._kept]) for k in range(len(missing[0]))]
        f = product(symmetric_product(total(one, E), powers), transposed(first))
        places = dict(zip(self._kept, f, strict=True))
        return [places.get(i, [0] * len(first)) for i in range(len(self.J))]

    @cached_property
    def swept(self) -> Rows:
        """L^-T J^T, one list per row."""
        return [self.factors.swept(row) for row in self.J]

    @cached_property
    def _kept(self) -> list[int]:
        """Rows that are not structurally zero."""
        return [i for i, row in enumerate(self.J) if not all(map(is_zero, row))]

    @cached_property
    def mobility(self) -> Rows:
        """A = J M^-1 J^T: its lower triangle, row by row."""
        white = [[x * share for x, share in zip(row, self.factors.inverse_D, strict=True)] for row in self.swept]
        return [[dot(a, b) for b in white[: i + 1]] for i, a in enumerate(self.swept)]

    @cached_property
    def _damped(self) -> tuple[Triangular, Scalar]:
        """Factors of A + mu without rows that are structurally zero, and mu."""
        A = [[self.mobility[i][j] for j in self._kept if j <= i] for i in self._kept]
        mu = sum(row[-1] for row in A) * (DAMPING / max(len(A), 1)) + TINY
        return triangular([[*row[:-1], row[-1] + mu] for row in A], mu), mu

    def _forces(self, missing: Scalars) -> list[Scalar]:
        """f after all rounds: with the residual mu f of the first, round k adds (mu (A + mu)^-1)^k (A + mu)^-1 b."""
        factors, mu = self._damped
        total = change = factors.solve(missing)
        for _ in range(ROUNDS - 1):
            change = factors.solve([mu * x for x in change])
            total = [x + y for x, y in zip(total, change, strict=True)]
        return total


def moved(P: Rows, N: Rows, loads: Rows, required: Rows) -> Rows:
    """P loads + N required; for large systems in a loop over the rows."""
    columns = [*zip(transposed(loads), transposed(required), strict=True)]
    terms = sum(not is_zero(x) for row in (*loads, *required) for x in row)

    def row(x: Scalars, y: Scalars) -> list[Scalar]:
        return [dot(a, x) + dot(b, y) for a, b in columns]

    return mapped(row, P, N) if terms * len(P) > LARGE else [*map(row, P, N)]


def symmetric_product(A: Rows, B: Rows) -> Rows:
    """A B of symmetric matrices that commute."""
    return mirrored([[sum(map(mul, A[i], B[j])) for j in range(i + 1)] for i in range(len(A))])
