"""M = L^T D L, where L has the sparsity of the tree, for any scalar type."""

import operator
from collections.abc import Mapping, Sequence
from functools import cached_property

from revolute.dynamics.articulated_body import inverse
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, mapped, sqrt

LARGE = 5_000
"""Number of multiplications from which many columns are computed in loops: straight code compiles too slowly."""

FEW_MORE = 1.25
"""A column joins a loop for columns with more nonzero entries if its multiplications grow at most by this factor."""


@dataclass(frozen=True)
class Factors:
    """Factors of M = L^T D L of a tree. Featherstone, IJRR 24 (2005) 487; RBDA 6.3, 6.5.

    Elimination runs from the tips to the base, so there is no fill-in: L[i][j] is zero unless coordinate j carries
    coordinate i. (L D L^T, eliminated from the base, would have a full factor.)
    """

    # for every coordinate i, {j: L[i][j]} over the coordinates j that carry i; the diagonal is one
    L: tuple[dict[int, Scalar], ...]
    # D, inverse_D: the pivots D and 1 / D, one per coordinate
    D: tuple[Scalar, ...]
    inverse_D: tuple[Scalar, ...]

    def solve(self, b: Scalars) -> list[Scalar]:
        """M^-1 b."""
        return self.finished(self.halfway(b))

    def solve_columns(self, columns: Sequence[Scalars], *, negative: bool = False) -> Rows:
        """M^-1 b, or -M^-1 b if `negative`, for many b: by the explicit L^-1, without terms of structural zeros in b.

        For large systems, columns with nonzero entries in the same rows are solved in a loop.
        """
        n, sign = len(self.L), operator.neg if negative else operator.pos

        def solve(b: Scalars) -> list[Scalar]:
            y = self.halfway([*map(sign, b)])
            return [sum(w * y[k] for k, w in row.items()) for row in self.inverse_L]

        nonzero = [tuple(i for i, x in enumerate(b) if not is_zero(x)) for b in columns]
        products = {rows: self._reach(rows)[1] for rows in {*nonzero}}
        if sum(products[rows] for rows in nonzero) < LARGE:
            return [*map(solve, columns)]
        solved: Rows = [[0] * n for _ in columns]
        for rows, group in groups(nonzero, products):
            reached = self._reach(rows)[0]

            def short(b: Scalars, rows: Sequence[int] = rows, reached: Sequence[int] = reached) -> list[Scalar]:
                given = dict(zip(rows, b, strict=True))
                x = solve([given.get(i, 0) for i in range(n)])
                return [x[i] for i in reached]

            inputs = [[columns[k][i] for i in rows] for k in group]
            for k, x in zip(group, mapped(short, inputs) if len(group) > 1 else map(short, inputs), strict=True):
                for i, value in zip(reached, x, strict=True):
                    solved[k][i] = value
        return solved

    def _reach(self, rows: Sequence[int]) -> tuple[list[int], int]:
        """The nonzero rows of M^-1 b for a b with these nonzero rows, and the multiplications of its solution."""
        swept = {*rows, *(j for i in rows for j in self.L[i])}
        terms = [len(swept.intersection((*row, i))) for i, row in enumerate(self.L)]
        return [i for i, several in enumerate(terms) if several], sum(terms) + sum(len(self.L[i]) for i in swept)

    def swept(self, b: Scalars) -> list[Scalar]:
        """L^-T b: the right-hand side after elimination from the tips to the base."""
        x = list(b)
        for i, row in reversed([*enumerate(self.L)]):
            for j, a in row.items():
                x[j] -= a * x[i]
        return x

    def halfway(self, b: Scalars) -> list[Scalar]:
        """D^-1 L^-T b."""
        return [value * share for value, share in zip(self.swept(b), self.inverse_D, strict=True)]

    def finished(self, y: Scalars) -> list[Scalar]:
        """L^-1 y: M^-1 b from `halfway`."""
        x = list(y)
        for i, row in enumerate(self.L):
            for j, a in row.items():
                x[i] -= a * x[j]
        return x

    @cached_property
    def inverse_L(self) -> list[dict[int, Scalar]]:
        """W = L^-1, with the sparsity of L; it includes the unit diagonal."""
        W: list[dict[int, Scalar]] = []
        for i, row in enumerate(self.L):
            W.append({i: 1})
            for j, a in row.items():
                for k, w in W[j].items():
                    W[i][k] = W[i].get(k, 0) - a * w
        return W

    def inverse(self) -> Rows:
        """M^-1 = W D^-1 W^T, with sums over common carriers only. For large systems, its rows are computed in loops."""
        n, W = len(self.L), self.inverse_L
        Y: Rows = [[0] * n for _ in range(n)]
        nonzero = [tuple(row) for row in W]
        products = {rows: sum(len(row.keys() & rows) for row in W) for rows in nonzero}
        order, missing = [(nonzero[i], [i]) for i in reversed(range(n))], [*range(n)]
        if sum(products.values()) >= 2 * LARGE:  # straight code has half of them, by symmetry
            order = groups(nonzero, products)
        for rows, group in order:
            reached = [j for j in missing if W[j].keys() & rows]

            def row_of(w: Scalars, rows: Sequence[int] = rows, reached: Sequence[int] = reached) -> list[Scalar]:
                scaled = {k: x * self.inverse_D[k] for k, x in zip(rows, w, strict=True)}
                return [sum(x * scaled[k] for k, x in W[j].items() if k in scaled) for j in reached]

            inputs = [[W[i].get(k, 0) for k in rows] for i in group]
            for i, row in zip(group, mapped(row_of, inputs) if len(group) > 1 else map(row_of, inputs), strict=True):
                for j, x in zip(reached, row, strict=True):
                    Y[i][j] = Y[j][i] = x
            missing = [j for j in missing if j not in group]
        return Y

    def diagonal(self) -> list[Scalar]:
        """The diagonal of M = L^T D L."""
        M = list(self.D)
        for D, row in zip(self.D, self.L, strict=True):
            for k, a in row.items():
                M[k] += a * a * D
        return M

    def cholesky(self) -> Rows:
        """The lower triangular matrix sqrt(D) L, with M = (sqrt(D) L)^T (sqrt(D) L)."""
        rows: Rows = [[0] * len(self.L) for _ in self.L]
        for i, (row, D) in enumerate(zip(self.L, self.D, strict=True)):
            rows[i][i] = scale = sqrt(D)
            for j, a in row.items():
                rows[i][j] = a * scale
        return rows


def groups(
    nonzero: Sequence[tuple[int, ...]], products: Mapping[tuple[int, ...], int]
) -> list[tuple[tuple[int, ...], list[int]]]:
    """Pairs (rows, columns that are zero in other rows); columns of one branch share a pair if that costs little."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for k in sorted(range(len(nonzero)), key=lambda k: -len(nonzero[k])):
        most = FEW_MORE * products[nonzero[k]]
        suitable = (rows for rows in groups if {*nonzero[k]} <= {*rows} and products[rows] <= most)
        groups.setdefault(next(suitable, nonzero[k]), []).append(k)
    return [*groups.items()]


def factorized(model: Model, M: Sequence[Scalars]) -> Factors:
    """The factors of a robot's mass matrix; only its lower triangle is read. See `factors_of`."""
    return factors_of(carriers(model), M)


def factors_of(coupled: Sequence[Sequence[int]], M: Sequence[Scalars]) -> Factors:
    """The factors of a symmetric matrix; only its lower triangle is read.

        L[k][i] = M[k][i] / D[k],    M[i][j] <- M[i][j] - L[k][i] M[k][j]

    for every k from the last to the first, and all i, j coupled to k. A coordinate that moves no mass has D = 0: see
    `inverse`. For every k in order, `coupled` lists the earlier coordinates with a nonzero entry in row k at step k:
    `carriers` of a tree, `filled` of other matrices.
    """
    A = [{j: M[i][j] for j in (*before, i)} for i, before in enumerate(coupled)]
    L: list[dict[int, Scalar]] = [{} for _ in A]
    inverse_D: list[Scalar] = [0] * len(A)
    for k in range(len(A) - 1, -1, -1):
        inverse_D[k] = inverse(A[k][k])
        L[k] = {i: A[k][i] * inverse_D[k] for i in coupled[k]}
        for place, (i, a) in enumerate(L[k].items(), 1):
            for j in coupled[k][:place]:
                A[i][j] -= a * A[k][j]
    return Factors(tuple(L), tuple(A[k][k] for k in range(len(A))), tuple(inverse_D))


def filled(M: Sequence[Scalars]) -> list[tuple[int, ...]]:
    """The argument `coupled` of `factors_of`: structurally nonzero entries and fill-in."""
    rows = [{j for j in range(i) if not is_zero(M[i][j])} for i in range(len(M))]
    for row in reversed(rows):
        for i in row:
            rows[i] |= {j for j in row if j < i}
    return [tuple(sorted(row)) for row in rows]


def is_zero(x: Scalar) -> bool:
    """Whether x is structurally zero: the integer 0, not an array, symbol or graph node."""
    return isinstance(x, int) and x == 0


def carriers(model: Model) -> list[tuple[int, ...]]:
    """For every velocity coordinate, the earlier coordinates on the path from the base. RBDA 6.4."""
    before: list[tuple[int, ...]] = []
    for body, at in zip(model.bodies[1:], model.v_index[1:], strict=True):
        last = model.v_index[body.parent].stop - 1 if body.parent > 0 else -1
        for k in range(at.start, at.stop):
            before.append((*before[last], last) if last >= 0 else ())
            last = k
    return before


def elimination_count(model: Model) -> int:
    """Multiplications and subtractions of `factorized`, if M has only the structural zeros of the tree."""
    return sum(depth * (depth + 2) for depth in map(len, carriers(model)))
