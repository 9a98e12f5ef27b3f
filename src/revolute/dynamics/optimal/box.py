"""Minimum of a small convex quadratic within bounds, over any scalar: projected Newton and coordinate descent steps.

Bertsekas 1982; Tassa, Mansard & Todorov, ICRA 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar, select

__all__ = ["SWEEPS", "Box", "bounded_minimum", "clamped"]

Vec = Sequence[Scalar]

SWEEPS = 5
"""Number of rounds. Each finds the minimum on a face of the box; few controls change face in one step of a plan."""


@dataclass(frozen=True)
class Box:
    """Bounds of a step: lower <= 0 <= upper, entry by entry."""

    lower: Vec
    upper: Vec


def bounded_minimum(H: Vec, g: Vec, box: Box) -> tuple[list[Scalar], list[Scalar], Triangular]:
    """The x in a box that minimizes g^T x + x^T H x / 2, in a fixed number of steps.

    A step goes to the minimum over the free entries: those that the gradient does not press against a bound. Entries
    outside the box are projected to its face. The best of the full step, half a step and no step is used. Before each
    step, every entry is minimized in turn, which finds the face if Newton's step finds no better point. So the value
    never rises, and x is feasible after every step.

    Args:
        H: lower triangle of a positive definite matrix, row by row.
        g: gradient at zero.
        box: bounds.

    Returns:
        x; for each entry 1 if it is free at x, otherwise 0; the factors of H with the other rows and columns of the
        identity.
    """
    n = len(g)
    rows = [[H[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(n)] for i in range(n)]
    shares = [1 / rows[i][i] for i in range(n)]
    x: list[Scalar] = [0] * n
    slope = list(g)
    for sweep in range(SWEEPS):
        # each entry in turn to its own least
        for i in range(n) if sweep else ():
            x[i] = _between(x[i] - (g[i] + _dot(rows[i], x)) * shares[i], box.lower[i], box.upper[i])
        Hx = [_dot(row, x) for row in rows] if sweep else [0] * n
        slope = [a + b for a, b in zip(g, Hx, strict=True)]
        best = sum(a * (b + 0.5 * c) for a, b, c in zip(x, g, Hx, strict=True)) if sweep else 0
        # all free entries at once
        free = _free(x, slope, box)
        d = _masked(rows, free).solve([-f * s for f, s in zip(free, slope, strict=True)])
        start = list(x)
        for share in (1, 0.5):
            y = clamped([a + share * b for a, b in zip(start, d, strict=True)], box)
            Hy = [_dot(row, y) for row in rows]
            reached = sum(a * (b + 0.5 * c) for a, b, c in zip(y, g, Hy, strict=True))
            better = reached < best
            x = [select(better, a, b) for a, b in zip(y, x, strict=True)]
            slope = [select(better, a + b, c) for a, b, c in zip(g, Hy, slope, strict=True)]
            best = select(better, reached, best)
    free = _free(x, slope, box)
    return x, free, _masked(rows, free)


def clamped(x: Vec, box: Box) -> list[Scalar]:
    """The nearest point of a box."""
    return [_between(*entry) for entry in zip(x, box.lower, box.upper, strict=True)]


def _between(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    x = select(x < low, low, x)
    return select(x > high, high, x)


def _free(x: Vec, slope: Vec, box: Box) -> list[Scalar]:
    """1 for entries that are inside, or leave their bound along the negative gradient; otherwise 0."""
    free = []
    for value, rise, low, high in zip(x, slope, box.lower, box.upper, strict=True):
        away = select(value >= high, select(rise < 0, 0.0, 1.0), 1.0)
        free.append(select(value <= low, select(rise > 0, 0.0, away), away))
    return free


def _masked(H: Sequence[Vec], free: Vec) -> Triangular:
    """The factors of H with rows and columns that are not free replaced by those of the identity matrix."""
    rows = [[H[i][j] * (free[i] * free[j]) for j in range(i)] for i in range(len(free))]
    diagonal = [select(f > 0, H[i][i], 1.0) for i, f in enumerate(free)]
    return triangular([[*row, d] for row, d in zip(rows, diagonal, strict=True)])


def _dot(a: Vec, b: Vec) -> Scalar:
    return sum(x * y for x, y in zip(a, b, strict=True))
