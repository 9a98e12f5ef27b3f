"""Random points of a polytope, lower <= A x <= upper."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.model.linear_program import Contradiction, corner

__all__ = ["random_points"]

Array = NDArray[Any]

ROUNDS = 32
"""Maximum number of rounds of rejection, each with the required number of points and LEAST more."""

LEAST = 256

STEPS = 64
"""Hit-and-run steps per unknown, so that chains forget their common starting point."""


def random_points(
    A: Array, lower: Array, upper: Array, low: Array, high: Array, count: int, rng: np.random.Generator
) -> Array | None:
    """(count, n) uniform points, exactly so by rejection; those missing after many rounds are drawn by hit-and-run.

    Points are drawn from the parallelepiped between the narrowest n independent rows, and rejected outside the other
    rows. If there are as many rows as unknowns, none are rejected.

    Args:
        A: (m, n) rows, of rank n.
        lower, upper: (m,) limits, infinite without a limit.
        low, high: (m,) the same, with finite numbers instead of infinite ones.
        count: number of points.
        rng: random number generator.

    Returns:
        None if the polytope and the parallelepiped have no common point.
    """
    rows = _narrowest(A, high - low, np.isfinite(lower) | np.isfinite(upper))
    others = np.setdiff1d(np.arange(len(A)), rows)
    inverse, ends = np.linalg.inv(A[rows]), (low[rows], np.maximum(low[rows], high[rows]))
    points, accepted = np.empty((count, len(rows))), 0
    for _ in range(ROUNDS if len(others) else 1):
        x = rng.uniform(*ends, (count + LEAST * bool(len(others)), len(rows))) @ inverse.T
        y = x @ A[others].T
        x = x[((y >= lower[others]) & (y <= upper[others])).all(axis=1)][: count - accepted]
        points[accepted : accepted + len(x)] = x
        accepted += len(x)
        if accepted == count:
            return points
    lower, upper = lower.copy(), upper.copy()
    lower[rows], upper[rows] = ends
    try:
        points[accepted:] = _walked(A, lower, upper, inverse * (ends[1] - ends[0]), count - accepted, rng)
    except Contradiction:
        return None
    return points


def _narrowest(A: Array, widths: Array, limited: Array) -> list[int]:
    """n independent rows, those with narrow limits first and without limits last, by pivoted Gram-Schmidt."""
    scaled = A / np.maximum(widths, 1e-12 * widths.max(initial=1e-300))[:, None]
    rows: list[int] = []
    lengths = np.linalg.norm(A, axis=1)
    left = A / lengths[:, None]
    for _ in range(A.shape[1]):
        rest = np.linalg.norm(left, axis=1)
        measure = np.where(rest > 1e-9, rest * np.linalg.norm(scaled, axis=1), 0.0)
        first = measure * limited
        rows.append(int((first if first.any() else measure).argmax()))
        direction = left[rows[-1]] / rest[rows[-1]]
        left = left - np.outer(left @ direction, direction)
    return rows


def _walked(A: Array, lower: Array, upper: Array, edges: Array, count: int, rng: np.random.Generator) -> Array:
    """Points at the ends of random walks along chords of a bounded polytope: hit-and-run, Smith 1984.

    Args:
        A, lower, upper: the polytope.
        edges: (n, n) columns along the polytope; directions are random sums of them.
        count: number of points.
        rng: random number generator.

    Raises:
        Contradiction: the polytope is empty.
    """
    finite = np.isfinite(lower), np.isfinite(upper)
    G, h = np.concatenate([-A[finite[0]], A[finite[1]]]), np.concatenate([-lower[finite[0]], upper[finite[1]]])
    ends = [corner(sign * row, G, h) for row in A for sign in (0, -1, 1)]
    x = np.repeat(np.mean([end for end in ends if end is not None], axis=0)[None], count, axis=0)
    for _ in range(STEPS * len(edges)):
        d = rng.standard_normal(x.shape) @ edges.T
        y, rate = x @ G.T, d @ G.T
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.maximum(h - y, 0.0) / rate
        last = np.where(rate > 0, t, np.inf).min(axis=1)
        first = np.where(rate < 0, t, -np.inf).max(axis=1)
        share = rng.uniform(size=count)
        x += np.where(np.isfinite(last - first), first + share * (last - first), 0.0)[:, None] * d
    return x
