"""Velocities u = A p by impulses p of rows, and equations with A, for any scalar type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from revolute.dynamics.mobility import dot, plus
from revolute.dynamics.sparse_factorization import is_zero
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, mapped, repeated, transposed

STAGES, FEW = 4, 12  # loops of an elimination, and rows up to which it has none: straight code compiles slowly
Block = tuple[Rows, Rows]  # K and T of the equations of some rows


class Coupling(ABC):
    """A symmetric matrix A."""

    @abstractmethod
    def loads(self, p: Scalars) -> list[Scalar]:
        """Sums of impulses, from which `speeds` computes velocities."""

    @abstractmethod
    def changed(self, loads: Scalars, at: int, change: Scalars) -> list[Scalar]:
        """The sums after a change of p from row `at` on."""

    @abstractmethod
    def speeds(self, rows: slice, p: Scalars, loads: Scalars) -> list[Scalar]:
        """The velocities A p of the given rows."""

    @abstractmethod
    def entry(self, i: int, j: int) -> Scalar:
        """A_ij."""

    @abstractmethod
    def solver(self, blocks: Sequence[Block]) -> Callable[[Scalars], list[Scalar]]:
        """Function c -> x that solves (K A + T) x = c, for K and T with these blocks along their diagonals.

        It uses elimination without pivoting. Within a block, the first row is eliminated last.
        """

    def product(self, p: Scalars) -> list[Scalar]:
        """The velocities A p of all rows."""
        return self.speeds(slice(None), p, self.loads(p))

    @property
    def refines(self) -> bool:
        """Whether a solution for another c takes few operations."""
        return True


@dataclass(frozen=True)
class Dense(Coupling):
    """A matrix A stored by its entries."""

    A: Rows

    @property
    def refines(self) -> bool:
        return len(self.A) <= FEW

    def loads(self, p: Scalars) -> list[Scalar]:
        return list(p)

    def changed(self, loads: Scalars, at: int, change: Scalars) -> list[Scalar]:
        return [*loads[:at], *plus(loads[at : at + len(change)], change), *loads[at + len(change) :]]

    def speeds(self, rows: slice, p: Scalars, loads: Scalars) -> list[Scalar]:
        return [dot(loads, row) for row in self.A[rows]]

    def entry(self, i: int, j: int) -> Scalar:
        return self.A[i][j]

    def solver(self, blocks: Sequence[Block]) -> Callable[[Scalars], list[Scalar]]:
        matrix, order, at = list[list[Scalar]](), list[int](), 0
        for K, T in blocks:
            own = range(at, at + len(K))
            for i in (*own[1:], at):
                row = [dot(K[i - at], column) for column in zip(*self.A[at : own.stop], strict=True)]
                matrix.append([x + T[i - at][j - at] if j in own else x for j, x in enumerate(row)])
                order.append(i)
            at = own.stop
        matrix = [[row[j] for j in order] for row in matrix]
        solve = eliminated(matrix) if self.refines else lambda c: solved(matrix, c)

        def ordered(c: Scalars) -> list[Scalar]:
            x = dict(zip(order, solve([c[i] for i in order]), strict=True))
            return [x[i] for i in range(len(order))]

        return ordered


@dataclass(frozen=True)
class Factored(Coupling):
    """A = R R^T + diag(E), where R R^T has a low rank, as for many points of few links."""

    R: Rows
    E: Scalars

    def loads(self, p: Scalars) -> list[Scalar]:
        return [dot(column, p) for column in transposed(self.R)]

    def changed(self, loads: Scalars, at: int, change: Scalars) -> list[Scalar]:
        part = transposed(self.R[at : at + len(change)])
        return [x if all(map(is_zero, row)) else x + dot(row, change) for x, row in zip(loads, part, strict=True)]

    def speeds(self, rows: slice, p: Scalars, loads: Scalars) -> list[Scalar]:
        own = zip(self.R[rows], self.E[rows], p[rows], strict=True)
        return [dot(row, loads) + (0 if is_zero(e) else e * x) for row, e, x in own]

    def entry(self, i: int, j: int) -> Scalar:
        return dot(self.R[i], self.R[j]) + (self.E[i] if i == j else 0)

    def solver(self, blocks: Sequence[Block]) -> Callable[[Scalars], list[Scalar]]:
        """By solving for y = R^T x first: (1 + R^T T^-1 K R) y = R^T T^-1 c, x = T^-1 (c - K R y)."""
        width, at = len(self.R[0]), 0
        inverse: list[tuple[slice, Callable[[Scalars], list[Scalar]]]] = []
        Z: Rows = []
        for K, T in blocks:
            own = slice(at, at + len(K))
            E = self.E[own]
            KE = [[0 if is_zero(e) else x * e for x, e in zip(k, E, strict=True)] for k in K]
            solve = eliminated([plus(*rows) for rows in zip(T, KE, strict=True)])
            Y = transposed([solve(column) for column in transposed(K)])
            Z += [[dot(y, column) for column in transposed(self.R[own])] for y in Y]
            inverse.append((own, solve))
            at = own.stop
        columns = [[*one, *column] for one, column in zip(diagonal([1] * width), transposed(self.R), strict=True)]

        def row_of(one: Scalars) -> list[Scalar]:
            return [x + dot(one[width:], column) for x, column in zip(one, transposed(Z), strict=False)]

        inner = eliminated(mapped(row_of, columns))

        def solution(c: Scalars) -> list[Scalar]:
            first = [x for own, solve in inverse for x in solve(c[own])]
            y = inner(self.loads(first))
            return [x - dot(row, y) for x, row in zip(first, Z, strict=True)]

        return solution


def diagonal(x: Scalars) -> Rows:
    """The diagonal matrix with the entries of x."""
    return [[a if i == j else 0 for j in range(len(x))] for i, a in enumerate(x)]


def eliminated(M: Rows) -> Callable[[Scalars], list[Scalar]]:
    """Function b -> M^-1 b, by elimination without pivoting."""
    rows, inverse = [list(row) for row in M], list[Scalar]()
    for k, pivot in enumerate(rows):
        inverse.append(1 / pivot[k])
        for row in rows[k + 1 :]:
            if is_zero(row[k]):
                continue
            row[k] = row[k] * inverse[k]
            for j in range(k + 1, len(rows)):
                if not is_zero(pivot[j]):
                    row[j] = row[j] - row[k] * pivot[j]

    def solve(b: Scalars) -> list[Scalar]:
        x = list(b)
        for i, row in enumerate(rows):
            x[i] = x[i] - dot(row[:i], x[:i])
        for i in reversed(range(len(x))):
            x[i] = (x[i] - dot(rows[i][i + 1 :], x[i + 1 :])) * inverse[i]
        return x

    return solve


def solved(M: Rows, b: Scalars) -> list[Scalar]:
    """M^-1 b, by elimination without pivoting, in loops of a quarter of the rows each.

    A step eliminates the first column by the first row. Zeros at the end of rows and columns keep the size of the
    matrix within a loop.
    """

    def step(rows: Rows) -> tuple[Rows, list[Scalar]]:
        first, *others = rows
        share = 1 / first[0]
        pivot = [x * share for x in first[1:]]
        left = [[x - row[0] * y for x, y in zip(row[1:], pivot, strict=True)] for row in others]
        return [*([*row[:-1], 0.0, row[-1]] for row in left), [0.0] * len(first)], pivot

    rows, pivots = [[*row, x] for row, x in zip(M, b, strict=True)], []
    while rows:
        times = min(len(b) // STAGES, len(rows))
        rows, some = repeated(step, rows, times=times)
        pivots += some
        rows = [[*row[: len(rows) - times], row[-1]] for row in rows[:-times]]
    x: list[Scalar] = []
    for *row, value in reversed(pivots):
        x = [value - dot(x, row[: len(x)]), *x]
    return x
