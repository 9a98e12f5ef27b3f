"""Impulses of contacts, bounds and limits by Newton's method on their active set, for any scalar type.

The laws of `revolute.dynamics.cones` are p = P(p - R u), with a projection P onto the cones and a diagonal R > 0. The
derivative of P makes an equation of each row: p = 0 of contacts that are open, u = 0 of those that stick, and of those
that slide u_n = 0 and p_t = mu p_n z / |z|, z = p_t - R_t u_t. Alart & Curnier 1991.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from revolute.dynamics.elimination import solved
from revolute.dynamics.mobility import dot
from revolute.spatial.dual import TINY
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Rows, Scalar, Scalars, between, select, sqrt

DAMPING = 1e-7
"""Added to the diagonal of A, relative to it: of many solutions, a step takes the nearest one."""

ENOUGH = 1e-12
"""Largest change in a round, relative to the largest impulse, with which rounds and steps end."""

ROUNDING = 0.03
"""Share of a change that ends rounds once it is lost in the sum with the largest impulse, as in float32."""

IMMOBILE = 1e-12
"""Mobility along a tangent, relative to that of both, up to which it counts as none."""

Bounds = Sequence[tuple[Scalar, Scalar]]


class RowLaw(ABC):
    """The law of some rows, from index `at` on; `scales` are 1 / R."""

    def __init__(self, A: Rows, b: Scalars, at: int, scales: Scalars) -> None:
        self.rows = slice(at, at + len(scales))
        self.A, self.b = A[self.rows], b[self.rows]
        self.moves = [select(x > TINY, 1.0, 0.0) for x in scales]
        self.scales = [select(x > TINY, x, 1.0) for x in scales]
        self.shares = [move / x for move, x in zip(self.moves, self.scales, strict=True)]

    def speeds(self, p: Scalars) -> list[Scalar]:
        """u, of all impulses."""
        return [x + dot(row, p) for x, row in zip(self.b, self.A, strict=True)]

    def aims(self, p: Scalars, u: Scalars) -> list[Scalar]:
        """z = p - R u. Rows that cannot move have none."""
        return [move * x - r * v for move, x, r, v in zip(self.moves, p, self.shares, u, strict=True)]

    @abstractmethod
    def projected(self, z: Scalars) -> list[Scalar]:
        """P z."""

    @abstractmethod
    def linear(self, p: Scalars, u: Scalars, z: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
        """K, D and c of Newton's equations K du + D dp = c."""


class _Contact(RowLaw):
    """Rows (n, t1, t2) of a contact."""

    def __init__(self, A: Rows, b: Scalars, at: int, friction: Scalar) -> None:
        both = A[at + 1][at + 1] + A[at + 2][at + 2]
        super().__init__(A, b, at, [A[at][at], both, both])
        self.friction = friction
        for i in (1, 2):
            self.moves[i] = select(A[at + i][at + i] > IMMOBILE * both, self.moves[i], 0.0)
            self.shares[i] = self.shares[i] * self.moves[i]

    def projected(self, z: Scalars) -> list[Scalar]:
        n, square = most(z[0], 0.0), dot(z[1:], z[1:])
        limit = self.friction * n
        scale = select(square < limit * limit, 1.0, limit / sqrt(select(square > TINY, square, 1.0)))
        return [n, *(x * scale for x in z[1:])]

    def linear(self, p: Scalars, u: Scalars, z: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
        square, limit, (normal, tangent, _) = dot(z[1:], z[1:]), self.friction * z[0], self.scales
        long = 1 / sqrt(select(square > TINY, square, 1.0))
        closed = select(z[0] > 0, 1.0, 0.0)
        sticks = select(square > limit * limit, 0.0, closed)
        slides = closed - sticks
        (x, y), turns = [long * part for part in z[1:]], slides * limit * long  # z / |z| turns with u_t
        K = [[closed, 0, 0], [0, sticks + turns * y * y, -turns * x * y], [0, -turns * x * y, sticks + turns * x * x]]
        D = [[normal * (1 - closed), 0, 0], *([0, *(tangent * ((i == j) - K[i][j]) for j in (1, 2))] for i in (1, 2))]
        c = [-dot(K[i], u) - dot(D[i], p) for i in range(3)]
        for i, part in ((1, x), (2, y)):
            D[i][0] = -slides * self.friction * tangent * part
            c[i] = c[i] - D[i][0] * p[0]
        return K, D, c


class _VelocityBounds(RowLaw):
    """A row with bounds of its velocity."""

    def __init__(self, A: Rows, b: Scalars, at: int, bounds: tuple[Scalar, Scalar]) -> None:
        super().__init__(A, b, at, [A[at][at]])
        self.lower, self.upper = bounds

    def projected(self, z: Scalars) -> list[Scalar]:
        (x,), (share,) = z, self.shares
        return [most(x + share * self.lower, 0.0) - most(-x - share * self.upper, 0.0)]

    def linear(self, p: Scalars, u: Scalars, z: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
        low, high = z[0] + self.shares[0] * self.lower > 0, z[0] + self.shares[0] * self.upper < 0
        holds, scale = select(low, 1.0, select(high, 1.0, 0.0)), self.scales[0]
        missing = select(low, self.lower - u[0], select(high, self.upper - u[0], -scale * p[0]))
        return [[holds]], [[scale * (1 - holds)]], [missing]


class _LargestImpulse(RowLaw):
    """A row with a largest impulse."""

    def __init__(self, A: Rows, b: Scalars, at: int, limit: Scalar) -> None:
        super().__init__(A, b, at, [A[at][at]])
        self.limit = limit

    def projected(self, z: Scalars) -> list[Scalar]:
        return [between(z[0], -self.limit, self.limit)]

    def linear(self, p: Scalars, u: Scalars, z: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
        holds, scale = select(abs(z[0]) < self.limit, 1.0, 0.0), self.scales[0]
        return [[holds]], [[scale * (1 - holds)]], [-holds * u[0] - (1 - holds) * scale * (p[0] - self.projected(z)[0])]


def laws_of(A: Rows, b: Scalars, friction: Scalars, bounds: Bounds, limits: Scalars) -> list[RowLaw]:
    """The laws of all rows: see `solve` of `revolute.dynamics.cones`."""
    laws: list[RowLaw] = [_Contact(A, b, 3 * k, mu) for k, mu in enumerate(friction)]
    laws += [_VelocityBounds(A, b, 3 * len(friction) + i, ends) for i, ends in enumerate(bounds)]
    return [*laws, *(_LargestImpulse(A, b, len(b) - len(limits) + i, limit) for i, limit in enumerate(limits))]


def round_of(laws: Sequence[RowLaw], p: Scalars) -> tuple[list[Scalar], Scalar]:
    """p after P(p - R u), one law after the other; and its change."""
    after = list(p)
    for law in laws:
        after[law.rows] = law.projected(law.aims(after[law.rows], law.speeds(after)))
    return after, _change(p, after)


def newton(laws: Sequence[RowLaw], p: Scalars, error: Scalar, steps: int) -> tuple[list[Scalar], Scalar]:
    """The best p of some steps, and its change p - P(p - R u); none if the change of p is small enough."""

    def step(state: Any, memory: Any) -> tuple[Any, Any, Any]:
        p, u, best, least = state
        p = [x + d for x, d in zip(p, _step(laws, p, u), strict=True)]
        u = _speeds(laws, p)
        after = [x for law in laws for x in law.projected(law.aims(p[law.rows], u[law.rows]))]
        error = _change(p, after)
        best = [select(error < least, x, y) for x, y in zip(p, best, strict=True)]
        return (p, u, best, select(error < least, error, least)), (), is_open(error)

    state = list(p), _speeds(laws, p), list(p), error
    (_, _, best, least), _ = converged(step, state, most=steps, first=is_open(error))
    return best, least


def is_open(error: Scalar) -> Any:
    """Whether a change is too large to end."""
    return select(1 + ROUNDING * error > 1, error - ENOUGH, 0.0) > 0


def _speeds(laws: Sequence[RowLaw], p: Scalars) -> list[Scalar]:
    return [u for law in laws for u in law.speeds(p)]


def _step(laws: Sequence[RowLaw], p: Scalars, u: Scalars) -> list[Scalar]:
    """The change of p by a step of Newton's method: K A dp + D dp = c."""
    matrix, right, order = [], [], []
    for law in laws:
        own, at = law.rows, law.rows.start
        K, D, c = law.linear(p[own], u[own], law.aims(p[own], u[own]))
        places = (1, 2, 0)[: len(c)] if len(c) > 1 else (0,)  # tangents first: they have positive pivots
        for i in places:
            row = [sum(k * x for k, x in zip(K[i], column, strict=True)) for column in zip(*law.A, strict=True)]
            for j, d in enumerate(D[i], at):
                row[j] = row[j] + d
            row[at + i] = row[at + i] + DAMPING * law.scales[i]
            matrix.append(row)
            right.append(law.moves[i] * c[i])
            order.append(at + i)
    found = dict(zip(order, solved([[row[j] for j in order] for row in matrix], right), strict=True))
    return [found[i] for i in range(len(p))]


def _change(p: Scalars, after: Scalars) -> Scalar:
    """The largest difference, relative to the largest impulse."""
    size = most(_largest(p), _largest(after))
    return _largest([x - y for x, y in zip(p, after, strict=True)]) / select(size > 0, size, 1.0)


def most(x: Scalar, y: Scalar) -> Scalar:
    """The larger one."""
    return select(x > y, x, y)


def _largest(x: Scalars) -> Scalar:
    """The largest absolute value."""
    result: Scalar = 0.0
    for y in x:
        result = most(abs(y), result)
    return result
