"""Minimum of a small convex quadratic function within bounds, by projected Newton steps and coordinate descent.

For any scalar type. Bertsekas 1982; Tassa, Mansard & Todorov, ICRA 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics.optimal.products import dot
from revolute.dynamics.sparse_factorization import Factors, factors_of, filled, is_zero
from revolute.records import dataclass
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Scalar, Scalars, between, select

SWEEPS = 6
"""Maximum number of rounds. Each minimizes on one face of the box; in a step of a plan, few controls reach or leave
bounds."""

ENOUGH = 1e-13  # norm of the gradient over the free entries, relative to its norm at x = 0, below which the rounds end


@dataclass(frozen=True)
class Box:
    """Bounds, entry by entry: lower <= upper."""

    lower: Scalars
    upper: Scalars


def bounded_minimum(
    H: Sequence[Scalars], g: Scalars, box: Box, start: Scalars | None = None, most: int = SWEEPS
) -> tuple[list[Scalar], list[Scalar], Factors]:
    """The x that minimizes g^T x + x^T H x / 2 in a box, for a positive definite H, in a bounded number of rounds.

    Each round has two parts. A Newton step minimizes over the free entries: all but those that the negative gradient
    pushes against a bound. The full step and the half step are projected onto the box; the better one is taken, or none
    if both are worse than x. Then coordinate descent minimizes over each entry in turn; it finds the right face where
    the Newton step finds no better point. So the value never rises, and x is feasible after every round.

    Rounds begin at `start`, a point of the box, by default at zero; there are at most `most` rounds.

    Return x; for each entry 1 if it is free at x, otherwise 0; and the factors of H with the rows and columns that are
    not free replaced by those of the identity.
    """
    n = len(g)
    shares = [1 / H[i][i] for i in range(n)]
    enough = ENOUGH * sum(abs(y) for y in g)

    def sweep(state: tuple[Scalars, Scalars], memory: tuple[()]) -> tuple[tuple[Scalars, Scalars], tuple[()], Any]:
        """One round: a Newton step of all free entries, then coordinate descent."""
        x, slope = state
        free = _free(x, slope, box)
        d = _masked(H, free).solve([-f * s for f, s in zip(free, slope, strict=True)])
        best = 0.5 * sum(a * (b + c) for a, b, c in zip(x, g, slope, strict=True))
        found = list(x)
        for share in (1, 0.5):
            y = clamped([a + share * b for a, b in zip(x, d, strict=True)], box)
            reached = sum(a * (b + 0.5 * dot(row, y)) for a, b, row in zip(y, g, H, strict=True))
            found = [select(reached < best, *pair) for pair in zip(y, found, strict=True)]
            best = select(reached < best, reached, best)
        for i in range(n):
            found[i] = between(found[i] - (g[i] + dot(H[i], found)) * shares[i], box.lower[i], box.upper[i])
        slope = [a + dot(row, found) for a, row in zip(g, H, strict=True)]
        left = sum(f * abs(s) for f, s in zip(_free(found, slope, box), slope, strict=True))
        return (found, slope), memory, left > enough

    first = list(g) if start is None else [a + dot(row, start) for a, row in zip(g, H, strict=True)]
    (x, slope), _ = converged(sweep, (list(start or [0.0] * n), first), most=most)
    free = _free(x, slope, box)
    return x, free, _masked(H, free)


def clamped(x: Scalars, box: Box) -> list[Scalar]:
    """The projection of x onto a box."""
    return [between(*entry) for entry in zip(x, box.lower, box.upper, strict=True)]


def _free(x: Scalars, slope: Scalars, box: Box) -> list[Scalar]:
    """1 for each entry that is inside its bounds, or that the negative gradient moves off its bound; otherwise 0."""
    free = []
    for value, rise, low, high in zip(x, slope, box.lower, box.upper, strict=True):
        away = select(value >= high, select(rise < 0, 0.0, 1.0), 1.0)
        free.append(select(value <= low, select(rise > 0, 0.0, away), away))
    return free


def _masked(H: Sequence[Scalars], free: Scalars) -> Factors:
    """The factors of H with rows and columns that are not free replaced by those of the identity matrix."""
    n = len(free)
    rows = [[0 if is_zero(H[i][j]) else H[i][j] * (free[i] * free[j]) for j in range(i)] for i in range(n)]
    diagonal = [select(f > 0, H[i][i], 1.0) for i, f in enumerate(free)]
    return factors_of(filled(rows), [[*row, d] for row, d in zip(rows, diagonal, strict=True)])
