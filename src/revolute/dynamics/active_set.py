"""Impulses of contacts, bounds and limits by Newton's method on their active set, for any scalar type.

The laws of `revolute.dynamics.cones` are p = P(p - R u), with a projection P onto the cones and a diagonal R > 0. The
active set selects the equations of each contact: p = 0 if it is open, u = 0 if it sticks, and, if it slides, u_n = 0
and p_t = mu p_n z / |z|, with z = p_t - R_t u_t. Alart & Curnier 1991.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from revolute.dynamics.coupling import Coupling, diagonal
from revolute.dynamics.mobility import dot, plus
from revolute.spatial.dual import TINY
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Rows, Scalar, Scalars, between, select, sqrt

DAMPING = 1e-7
"""Relative increase of the diagonal of A: if there are many solutions, a step leads to the nearest one."""

ENOUGH = 1e-12
"""Change of p in a round, relative to the largest impulse, at which rounds and steps end."""

ROUNDING = 0.03
"""Rounds and steps also end if 1 + `ROUNDING` times the change rounds to 1, as in float32."""

IMMOBILE = 1e-12
"""Mobility along a tangent, relative to the sum along both, up to which it counts as zero."""

Bounds = Sequence[tuple[Scalar, Scalar]]


class RowLaw(ABC):
    """The law of some rows, from index `at` on; `scales` are 1 / R."""

    def __init__(self, A: Coupling, b: Scalars, at: int, scales: Scalars) -> None:
        self.rows = slice(at, at + len(scales))
        self.A, self.b = A, b[self.rows]
        self.moves = [select(x > TINY, 1.0, 0.0) for x in scales]
        self.scales = [select(x > TINY, x, 1.0) for x in scales]
        self.shares = [move / x for move, x in zip(self.moves, self.scales, strict=True)]

    def speeds(self, p: Scalars, loads: Scalars) -> list[Scalar]:
        """The velocities u of these rows, from all impulses and their `Coupling.loads`."""
        return plus(self.b, self.A.speeds(self.rows, p, loads))

    def aims(self, p: Scalars, u: Scalars) -> list[Scalar]:
        """z = p - R u; zero for rows that cannot move."""
        return [move * x - r * v for move, x, r, v in zip(self.moves, p, self.shares, u, strict=True)]

    @abstractmethod
    def projected(self, z: Scalars) -> list[Scalar]:
        """The projection P z."""

    @abstractmethod
    def linear(self, p: Scalars, u: Scalars, z: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
        """K, D and c of Newton's equations K du + D dp = c."""


class _Contact(RowLaw):
    """Rows (n, t1, t2) of a contact."""

    def __init__(self, A: Coupling, b: Scalars, at: int, friction: Scalar) -> None:
        own = [A.entry(i, i) for i in range(at, at + 3)]
        both = own[1] + own[2]
        super().__init__(A, b, at, [own[0], both, both])
        self.friction = friction
        for i in (1, 2):
            self.moves[i] = select(own[i] > IMMOBILE * both, self.moves[i], 0.0)
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
    """A row with bounds on its velocity."""

    def __init__(self, A: Coupling, b: Scalars, at: int, bounds: tuple[Scalar, Scalar]) -> None:
        super().__init__(A, b, at, [A.entry(at, at)])
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
    """A row with a maximum impulse."""

    def __init__(self, A: Coupling, b: Scalars, at: int, limit: Scalar) -> None:
        super().__init__(A, b, at, [A.entry(at, at)])
        self.limit = limit

    def projected(self, z: Scalars) -> list[Scalar]:
        return [between(z[0], -self.limit, self.limit)]

    def linear(self, p: Scalars, u: Scalars, z: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
        holds, scale = select(abs(z[0]) < self.limit, 1.0, 0.0), self.scales[0]
        return [[holds]], [[scale * (1 - holds)]], [-holds * u[0] - (1 - holds) * scale * (p[0] - self.projected(z)[0])]


def laws_of(A: Coupling, b: Scalars, friction: Scalars, bounds: Bounds, limits: Scalars) -> list[RowLaw]:
    """The laws of all rows: see `solve` of `revolute.dynamics.cones`."""
    laws: list[RowLaw] = [_Contact(A, b, 3 * k, mu) for k, mu in enumerate(friction)]
    laws += [_VelocityBounds(A, b, 3 * len(friction) + i, ends) for i, ends in enumerate(bounds)]
    return [*laws, *(_LargestImpulse(A, b, len(b) - len(limits) + i, limit) for i, limit in enumerate(limits))]


def round_of(laws: Sequence[RowLaw], p: Scalars) -> tuple[list[Scalar], Scalar]:
    """p after one round of p <- P(p - R u), one law after the other; and the change of p."""
    after, A = list(p), laws[0].A
    loads = A.loads(p)
    for law in laws:
        old = after[law.rows]
        after[law.rows] = law.projected(law.aims(old, law.speeds(after, loads)))
        change = [x - y for x, y in zip(after[law.rows], old, strict=True)]
        loads = A.changed(loads, law.rows.start, change)
    return after, _change(p, after)


def newton(laws: Sequence[RowLaw], p: Scalars, error: Scalar, steps: int) -> tuple[list[Scalar], Scalar]:
    """The best p of up to `steps` steps, and its change p - P(p - R u). If `error` is small, no step is taken.

    A step after which the change is larger than before is halved: otherwise two active sets may alternate.
    """

    def step(state: Any, last: Scalar) -> tuple[Any, Scalar, Any]:
        p, u, best, least = state
        dp, du = _step(laws, p, u)
        full, v = plus(p, dp), plus(u, du)
        after = [x for law in laws for x in law.projected(law.aims(full[law.rows], v[law.rows]))]
        error = _change(full, after)
        best = [select(error < least, x, y) for x, y in zip(full, best, strict=True)]
        share = select(error > last, 0.5, 1.0)
        p, u = ([x + share * d for x, d in zip(*pair, strict=True)] for pair in ((p, dp), (u, du)))
        return (p, u, best, select(error < least, error, least)), error, is_open(error)

    state = list(p), _speeds(laws, p), list(p), error
    (_, _, best, least), _ = converged(step, state, error, most=steps, first=is_open(error))
    return best, least


def is_open(error: Scalar) -> Any:
    """Whether a change of p is still too large, so that the iteration continues."""
    return select(1 + ROUNDING * error > 1, error - ENOUGH, 0.0) > 0


def _speeds(laws: Sequence[RowLaw], p: Scalars) -> list[Scalar]:
    loads = laws[0].A.loads(p)
    return [u for law in laws for u in law.speeds(p, loads)]


def _step(laws: Sequence[RowLaw], p: Scalars, u: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """The changes of p and u by a step of Newton's method: K A dp + D dp = c."""
    # The residual due to the damping is solved for once more where that takes few operations.
    A, own = laws[0].A, [(p[law.rows], u[law.rows]) for law in laws]
    parts = [law.linear(*x, law.aims(*x)) for law, x in zip(laws, own, strict=True)]
    moves = [move for law in laws for move in law.moves]
    c = [move * x for move, x in zip(moves, (x for _, _, right in parts for x in right), strict=True)]
    damped = []
    for law, (K, D, _) in zip(laws, parts, strict=True):
        more = diagonal([DAMPING * x for x in law.scales])
        damped.append((K, [plus(*rows) for rows in zip(D, more, strict=True)]))
    solve = A.solver(damped)
    dp = solve(c)
    du = A.product(dp)
    if A.refines:
        made = [
            dot(k, du[law.rows]) + dot(d, dp[law.rows])
            for law, (K, D, _) in zip(laws, parts, strict=True)
            for k, d in zip(K, D, strict=True)
        ]
        rest = solve([x - move * y for x, move, y in zip(c, moves, made, strict=True)])
        dp, du = plus(dp, rest), plus(du, A.product(rest))
    return dp, du


def _change(p: Scalars, after: Scalars) -> Scalar:
    """The largest difference, relative to the largest impulse."""
    size = most(_largest(p), _largest(after))
    return _largest([x - y for x, y in zip(p, after, strict=True)]) / select(size > 0, size, 1.0)


def most(x: Scalar, y: Scalar) -> Scalar:
    """The larger of two numbers."""
    return select(x > y, x, y)


def _largest(x: Scalars) -> Scalar:
    """The largest absolute value."""
    result: Scalar = 0.0
    for y in x:
        result = most(abs(y), result)
    return result
