"""Constrained equations of motion without rank decisions, for any scalar type. RBDA 8; Carpentier et al. 2021."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from revolute.dynamics.linear_models import total
from revolute.dynamics.mobility import dot
from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.dynamics.sparse_factorization import Factors, is_zero
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, repeated, transposed

DAMPING = 1e-7  # damping mu of J M^-1 J^T, relative to the mean of its diagonal

ROUNDS = 6
"""Number of proximal rounds. At an eigenvalue s of J M^-1 J^T, k rounds leave (mu / (s + mu))^k of the error."""

MANY = 200  # number of scalars from which they are computed in loops over rows: straight code compiles too slowly
TINY = 1e-30  # damping of rows that vanish all at once


@dataclass(frozen=True)
class Constraints:
    """Rows J of constraints on a tree with M = L^T D L: the solution x and f of

        M x = load + J^T f,    J x = required

    by proximal rounds f <- f + (A + mu)^-1 (required - J x), A = J M^-1 J^T. x is the acceleration under forces f, or
    the change of velocity by impulses f. No row is selected or dropped: a row whose singular value, in the metric of M,
    is below about 1e-4 of the largest acts as redundant, and redundant rows get forces f of least norm. In tests with
    random linkages, rows with condition numbers up to 1e3 hold to 1e-9, up to 2e3 to 1e-6, up to 5e3 to 1e-2. More
    rounds do not help: in the limit they enforce rows that are independent only because a loop is not exactly closed.
    """

    J: Rows  # rows of the constraints
    factors: Factors  # L and D of the mass matrix

    def solve(self, load: Scalars, required: Scalars) -> tuple[list[Scalar], list[Scalar]]:
        """The solution x and f."""
        half = self.factors.halfway(load)
        missing = [b - dot(row, half) for b, row in zip(required, self.swept, strict=True)]
        forces = self._forces([missing[i] for i in self._kept])
        given = dict(zip(self._kept, forces, strict=True))
        pushed = [sum(f * self.swept[i][k] for i, f in given.items()) for k in range(len(half))]
        half = [x + share * y for x, share, y in zip(half, self.factors.inverse_D, pushed, strict=True)]
        return self.factors.finished(half), [given.get(i, 0) for i in range(len(self.J))]

    def changes(self, loads: Rows, required: Rows, free: Mapping[int, Scalars]) -> tuple[Rows, Rows]:
        """x = P load + N required for all columns, and P; N = G K and P = M^-1 - G K G^T with G = M^-1 J^T.

        `free` is {index of a column: M^-1 load}, where that is known: there x = M^-1 load + N (required - J M^-1 load).
        """
        columns = [*zip(transposed(loads), transposed(required), strict=True)]
        for k, y in free.items():
            columns[k] = [0] * len(y), [b - dot(row, y) for row, b in zip(self.J, columns[k][1], strict=True)]
        G, size = self.factors.solve_columns(self.J), len(columns) * len(loads)

        def pulled(g: Scalars, row: Scalars) -> tuple[list[Scalar], list[Scalar]]:
            n = self._response(g)
            return n, [x - dot(n, column) for x, column in zip(row, transposed(G), strict=True)]

        N, P = by_rows(pulled, size, transposed(G), self.factors.inverse())
        moving = [k for k, (load, b) in enumerate(columns) if not all(map(is_zero, (*load, *b)))]
        found = by_rows(lambda p, n: [dot(columns[k][0], p) + dot(columns[k][1], n) for k in moving], size, P, N)
        x = transposed(free.get(k, (0,) * len(loads)) for k in range(len(columns)))
        for row, values in zip(x, found, strict=True):
            for k, value in zip(moving, values, strict=True):
                row[k] = row[k] + value
        return x, P

    def responses(self, missing: Rows) -> Rows:
        """K missing, for all columns of `missing`; K is defined by f = K (required - J M^-1 load)."""
        columns = transposed(missing)
        return transposed(by_rows(self._response, len(columns) * len(missing), columns))

    @cached_property
    def _response(self) -> Callable[[Scalars], list[Scalar]]:
        """K as a function: K = (1 + E + E^2 + ...) (A + mu)^-1, with E = mu (A + mu)^-1."""
        # In products with K itself, redundant rows would cost all digits beyond eps / mu.
        factors, mu = self._damped
        one = [[int(i == j) for j in range(len(self._kept))] for i in range(len(self._kept))]
        E = [[mu * x for x in row] for row in factors.inverse()]
        square, powers = symmetric_product(E, E), one
        for _ in range(ROUNDS // 2 - 1):
            powers = total(one, symmetric_product(square, powers))
        powers = symmetric_product(total(one, E), powers)

        def response(missing: Scalars) -> list[Scalar]:
            first = factors.solve([missing[i] for i in self._kept])
            f = dict(zip(self._kept, (dot(row, first) for row in powers), strict=True))
            return [f.get(i, 0) for i in range(len(self.J))]

        return response

    @cached_property
    def swept(self) -> Rows:
        """L^-T J^T, as one list per row of J."""
        return [self.factors.swept(row) for row in self.J]

    @cached_property
    def _kept(self) -> list[int]:
        """Indices of the rows of J that are not structurally zero."""
        return [i for i, row in enumerate(self.J) if not all(map(is_zero, row))]

    @cached_property
    def mobility(self) -> Rows:
        """A = J M^-1 J^T: its lower triangle, row by row."""
        white = [[x * share for x, share in zip(row, self.factors.inverse_D, strict=True)] for row in self.swept]
        return [[dot(a, b) for b in white[: i + 1]] for i, a in enumerate(self.swept)]

    @cached_property
    def _damped(self) -> tuple[Triangular, Scalar]:
        """Factors of A + mu, without the rows of J that are structurally zero; and mu."""
        A = [[self.mobility[i][j] for j in self._kept if j <= i] for i in self._kept]
        mu = sum(row[-1] for row in A) * (DAMPING / max(len(A), 1)) + TINY
        return triangular([[*row[:-1], row[-1] + mu] for row in A], mu), mu

    def _forces(self, missing: Scalars) -> list[Scalar]:
        """f after all rounds, with b = `missing`: round k = 0, 1, ... adds (mu (A + mu)^-1)^k (A + mu)^-1 b."""
        factors, mu = self._damped
        total = change = factors.solve(missing)
        for _ in range(ROUNDS - 1):
            change = factors.solve([mu * x for x in change])
            total = [x + y for x, y in zip(total, change, strict=True)]
        return total


def by_rows(function: Callable[..., Any], size: int, *each: Rows) -> Any:
    """Results of `function` for row k of all matrices `each`; in a traced loop if they have many scalars (`size`)."""
    if size > MANY:
        return repeated(lambda _, *rows: ((), function(*rows)), (), each)[1]
    found = [*map(function, *each)]
    return tuple(map(list, zip(*found, strict=True))) if found and isinstance(found[0], tuple) else found


def symmetric_product(A: Rows, B: Rows) -> Rows:
    """The product A B of symmetric matrices that commute."""
    rows: Rows = by_rows(lambda row: [dot(row, other) for other in B], 2 * len(A) ** 2, A)
    return rows
