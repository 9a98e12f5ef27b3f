"""Impulses of contacts, stops and dry friction, by projected Gauss-Seidel, for any scalar type. Jean & Moreau 1992.

    u = A p + b,    A = J M^-1 J^T

with one of these laws between the velocities u and the impulses p of a row, or of the three rows (n, t1, t2) of a
contact:

    contact    0 <= u_n,  0 <= p_n,  u_n p_n = 0,  |p_t| <= mu p_n,  u_t = 0 or p_t = -mu p_n u_t / |u_t|
    bounds     lower <= u <= upper; p >= 0 at the lower bound, p <= 0 at the upper bound, otherwise p = 0
    limit      |p| <= limit; u = 0 or p = -limit u / |u|

A round solves one row, or one contact, after the other: by the inverse of its block if it sticks, otherwise by two
projections. Every third round extrapolates along the last change (Aitken). Problems that these rounds do not solve go
to an interior point, and are finished by rounds without the inverse of blocks.

Rounds until p changes by less than 1e-10 of the largest impulse: a quadruped on four feet 6 to 11, a box on four
corners 12 to 14, a humanoid on eight corners 16 to 32; up to six more to 1e-12. Without extrapolation the humanoid
takes 28 to 80, without blocks 29 to 126, and over-relaxation by 1.3 helps some states and slows down others. Where
more points stick than a turning body allows, forces between them grow slowly to their cones, in hundreds of rounds, and
with much friction rounds do not end. Of random states of a humanoid on eight corners, a third needs the interior point;
then 1 of 100 has a residual above 1e-8 of the largest impulse, and 1 of 1000 above 1e-5, most of them at mu = 1.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics.interior_point import interior_point
from revolute.dynamics.mobility import dot
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Rows, Scalar, Scalars, between, select, sqrt

ROUNDS = 400
"""Maximum number of rounds."""

FEW = 100
"""Rounds before the interior point. Problems with limits do not have one."""

ENOUGH = 1e-12
"""Change of the impulses in a round, relative to the largest impulse, below which the rounds end."""

ROUNDING = 0.03
"""Share of the change that rounds end with once it is lost in the sum with the largest impulse, as in float32."""

DIVERGED = 1000.0
"""Ratio of a change to the least one with which rounds after the interior point end."""

SLOWEST = 20 / 21
"""Largest factor from one change to the next that an extrapolation assumes: it goes ahead by up to 20 changes."""

EAGER = 300
"""Rounds with extrapolation; later rounds go half of the way, which ends cycles."""

IMMOBILE = 1e-7
"""Tangential mobility, relative to that of the other tangent, below which a direction counts as immobile."""

TINY = 1e-30
"""Mobility of rows that do not move at all."""

Bounds = Sequence[tuple[Scalar, Scalar]]


def solve(
    A: Rows, b: Scalars, friction: Scalars, bounds: Bounds = (), limits: Scalars = ()
) -> tuple[list[Scalar], Scalar]:
    """p, and its change in the last round relative to the largest impulse.

    Args:
        A, b: symmetric matrix, and velocities without impulses.
        friction: mu of contact k, whose rows are 3 k, 3 k + 1 and 3 k + 2.
        bounds: lower and upper bound of the velocity, for each of the next rows.
        limits: largest impulses of the last rows.
    """
    contacts, first = [_Contact(A, b, k, mu) for k, mu in enumerate(friction)], 3 * len(friction)
    last = first + len(bounds)
    shares = [_inverse(A[i][i]) for i in range(first, len(b))]

    def sweep(x: Scalars, memory: tuple[Any, ...], slides: bool = False) -> tuple[Scalars, tuple[Any, ...], Any]:
        """One round from x; the memory is the last change, its size and that of p, and numbers of rounds.

        With `slides`, contacts stick by projections alone, since the inverse of a block would leave some solutions.
        """
        before, _, _, mark, turn, done = memory
        p = list(x)
        for contact in contacts:
            p[contact.rows] = contact.solved(p, slides)
        for i in range(first, len(b)):
            step = shares[i - first]
            u = b[i] + dot(A[i], p)
            if i < last:
                lower, upper = bounds[i - first]
                p[i] = most(p[i] - (u - lower) * step, 0.0) - most((u - upper) * step - p[i], 0.0)
            else:
                p[i] = between(p[i] - u * step, -limits[i - last], limits[i - last])
        change = [new - old for new, old in zip(p, x, strict=True)]
        size, largest = _largest(change), _largest(p)
        again = _is_open(size, largest)
        rate = most(dot(change, before) / (dot(before, before) + TINY), 0.0)
        rate = select(rate < SLOWEST, rate, SLOWEST)
        # every third round, and not again after an extrapolation that made p worse
        ahead = select(turn > 1.5, select(size < mark, rate / (1 - rate), 0.0), 0.0)
        ahead = select(again, select(done < EAGER, ahead, -0.5), 0.0)
        ahead = select(abs(done - (FEW - 1)) < 0.5, 0.0, ahead)  # the round before the interior point
        x = [new + ahead * d for new, d in zip(p, change, strict=True)]
        mark = select(turn > 1.5, size, mark)
        turn = select(turn > 1.5, 0.0, turn + 1.0)
        return x, (change, size, largest, mark, turn, done + 1.0), again

    def polish(x: Scalars, memory: tuple[Any, ...]) -> tuple[Scalars, tuple[Any, ...], Any]:
        """A round with `slides`. The memory has the best p so far, with which rounds end that diverge."""
        best, least, rounds = memory
        following, rounds, again = sweep(x, rounds, slides=True)
        change, size, largest, *_, done = rounds
        open_ = size / select(largest > 0, largest, 1.0)
        best = [select(open_ < least, a + d, y) for a, d, y in zip(x, change, best, strict=True)]
        least = select(open_ < least, open_, least)
        going = select(open_ < DIVERGED * least, select(again, ROUNDS - 1.5 - done, -1.0), -1.0) > 0
        ends = select(going, -1.0, select(again, 1.0, select(open_ <= least, -1.0, 1.0))) > 0  # also if NaN
        return [select(ends, y, z) for y, z in zip(best, following, strict=True)], (best, least, rounds), going

    if not b:
        return [], 0.0
    nothing = [0.0] * len(b)
    start = nothing, 0.0, 0.0, 1 / TINY, 0.0, 0.0
    p, (_, size, largest, *_) = converged(sweep, nothing, start, most=ROUNDS if limits else FEW)
    residual = size / select(largest > 0, largest, 1.0)
    if limits:
        return p, residual
    failed = _is_open(size, largest)
    inner = interior_point(A, b, friction, bounds, failed)
    q, (_, missing, _) = converged(polish, inner, (p, residual, start), most=ROUNDS, first=failed)
    return [select(failed, x, y) for x, y in zip(q, p, strict=True)], missing


def _is_open(size: Scalar, largest: Scalar) -> Any:
    """Whether a change of this size, of impulses up to the largest, is too large to end."""
    return select(largest + ROUNDING * size > largest, size - ENOUGH * largest, 0.0) > 0


class _Contact:
    """The rows of a contact in A and b, and the inverses of its block."""

    def __init__(self, A: Rows, b: Scalars, k: int, friction: Scalar) -> None:
        self.rows, self.friction = slice(3 * k, 3 * k + 3), friction
        self.A, self.b = A[self.rows], b[self.rows]
        self.block = B = [row[self.rows] for row in self.A]
        self.inverse = _block_inverse(B)
        half = (B[1][1] - B[2][2]) / 2
        self.share_n = _inverse(B[0][0])
        self.share_t = _inverse((B[1][1] + B[2][2]) / 2 + sqrt(half * half + B[1][2] * B[1][2] + TINY))

    def solved(self, p: Scalars, slides: bool) -> list[Scalar]:
        """The contact's impulses (n, t1, t2) for the others in p."""
        old = p[self.rows]
        u = [b + dot(row, p) for b, row in zip(self.b, self.A, strict=True)]
        slid = self._slid(old, u)
        slid = self._slid(slid, [v + dot(row, _minus(slid, old)) for v, row in zip(u, self.block, strict=True)])
        if slides:
            return slid
        # a row without mobility has no impulse: it would keep the old one, and have no derivative
        kept = [x * select(row[i] > 0, 1.0, 0.0) for i, (x, row) in enumerate(zip(old, self.inverse, strict=True))]
        held = [x - dot(row, u) for x, row in zip(kept, self.inverse, strict=True)]
        limit = self.friction * held[0]
        inside = select(held[0] > 0, limit * limit - held[1] * held[1] - held[2] * held[2], -1.0)
        return [select(inside > 0, x, y) for x, y in zip(held, slid, strict=True)]

    def _slid(self, p: Scalars, u: Scalars) -> list[Scalar]:
        """One projection of the friction onto its disc, and the normal impulse with friction that follows it."""
        (n, *tangent), (u_n, *u_t), (B_n, *B_nt), mu = p, u, self.block[0], self.friction
        t = [x - self.share_t * v for x, v in zip(tangent, u_t, strict=True)]
        square = dot(t, t)
        long = 1 / sqrt(select(square > TINY, square, 1.0))
        pull = mu * long * dot(B_nt, t)  # sliding along t: u_n = b_n + (B_n + pull) p_n
        felt = B_n + most(pull, 0.0)
        sliding = most(n - (u_n + n * pull - dot(B_nt, tangent)) * _inverse(felt), 0.0)
        n = select(square > (mu * sliding) * (mu * sliding), sliding, most(n - self.share_n * u_n, 0.0))
        limit = mu * n
        scale = select(limit > 0, select(square > limit * limit, limit * long, 1.0), 0.0)
        return [n, *(x * scale for x in t)]


def _block_inverse(B: Rows) -> Rows:
    """B^-1 of a contact, by its Schur complement S; a pseudo-inverse of S, of rank 0 or 1, if it is singular."""
    share = _inverse(B[0][0])
    K = [B[0][i] * share for i in (1, 2)]
    a, b, c = B[1][1] - B[1][0] * K[0], B[2][1] - B[2][0] * K[0], B[2][2] - B[2][0] * K[1]
    trace, det = a + c, a * c - b * b
    regular, mobile = det - IMMOBILE * trace * trace, trace - IMMOBILE * (B[1][1] + B[2][2])
    scale = select(mobile > 0, _inverse(select(regular > 0, det, trace * trace)), 0.0)
    x, y, z = (scale * select(regular > 0, *pair) for pair in ((c, a), (-b, b), (a, c)))
    n1, n2 = -(x * K[0] + y * K[1]), -(y * K[0] + z * K[1])
    return [[share - n1 * K[0] - n2 * K[1], n1, n2], [n1, x, y], [n2, y, z]]


def _inverse(x: Scalar) -> Scalar:
    """1 / x; 0 of rows that do not move."""
    return select(x > TINY, 1 / select(x > TINY, x, 1.0), 0.0)


def _minus(a: Scalars, b: Scalars) -> list[Scalar]:
    return [x - y for x, y in zip(a, b, strict=True)]


def most(x: Scalar, y: Scalar) -> Scalar:
    """The larger one."""
    return select(x > y, x, y)


def _largest(x: Scalars) -> Scalar:
    """The largest absolute value."""
    largest: Scalar = 0.0
    for y in x:
        largest = most(abs(y), largest)
    return largest
