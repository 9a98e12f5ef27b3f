"""Corners of polytopes, by linear programs with few unknowns, and random points x with lower <= A x <= upper.

    max c.x  with  G x <= h        has the dual        min h.y  with  G^T y = c, y >= 0

The dual is solved, by the simplex method with Bland's rule (Dantzig 1951; Bland 1977): it has one row per unknown, and
joint couplings have few unknowns.
"""

from __future__ import annotations

import numpy as np

from revolute.arguments import Array

ROUNDS = 32  # maximum number of rounds of rejection sampling; each round draws LEAST points more than required
LEAST = 256
STEPS = 64  # number of hit-and-run steps per unknown, so that samples do not depend on their common starting point


def random_points(
    A: Array, lower: Array, upper: Array, low: Array, high: Array, count: int, rng: np.random.Generator
) -> Array | None:
    """(count, n) uniform random points by rejection; points missing after `ROUNDS` rounds are drawn by hit-and-run.

    Points are drawn from the parallelepiped between the narrowest n independent rows, and rejected outside the other
    rows. If there are as many rows as unknowns, no point is rejected. None if no point satisfies all rows.
    A (m, n) has rank n; `low` and `high` are `lower` and `upper` with finite numbers instead of infinite ones.
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
    """Select n independent rows, narrow limits first and rows without limits last, by pivoted Gram-Schmidt."""
    scaled = A / np.maximum(widths, 1e-12 * widths.max(initial=1e-300))[:, None]
    rows: list[int] = []
    left = A / np.linalg.norm(A, axis=1)[:, None]
    for _ in range(A.shape[1]):
        rest = np.linalg.norm(left, axis=1)
        measure = np.where(rest > 1e-9, rest * np.linalg.norm(scaled, axis=1), 0.0)
        first = measure * limited
        rows.append(int((first if first.any() else measure).argmax()))
        direction = left[rows[-1]] / rest[rows[-1]]
        left = left - np.outer(left @ direction, direction)
    return rows


def _walked(A: Array, lower: Array, upper: Array, edges: Array, count: int, rng: np.random.Generator) -> Array:
    """Points at the ends of random walks along chords of a bounded polytope: hit-and-run, Smith 1984."""
    # Directions are random sums of the (n, n) columns `edges`. `Contradiction` if the polytope is empty.
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


# --- linear programs -------------------------------------------------------------------------

SMALL = 1e-10  # bound below which numbers count as rounding errors; rows have unit length


class Contradiction(Exception):
    """No x lies in all half-spaces. This exception never reaches users.

    Attributes:
        rows: indices of half-spaces that have no common point.
    """

    def __init__(self, rows: list[int]) -> None:
        super().__init__()
        self.rows = rows


def corner(c: Array, G: Array, h: Array) -> Array | None:
    """(n,) point that maximizes c.x subject to G x <= h; None if c.x is unbounded. (m, n) G has no zero row.

    If no point is feasible, raise `Contradiction`, or, if c is not zero, possibly return None.
"""
    lengths = np.linalg.norm(G, axis=1)
    _, s, V = np.linalg.svd(G / lengths[:, None], full_matrices=False)
    V = V[s > SMALL].T  # half-spaces bound x only in the span of these columns
    A, cost, own = (G / lengths[:, None] @ V).T, h / lengths, V.T @ c
    basis = _begin(A, own) if np.abs(c - V @ own).max() <= SMALL * np.abs(c).max(initial=1) else None
    if basis is None:
        return None
    basis = _best(A, cost, own, basis)
    return np.asarray(V @ np.linalg.solve(A[:, basis].T, cost[basis]))


def _begin(A: Array, b: Array) -> list[int] | None:
    """The column indices of a basis of A y = b with y >= 0; None if there is none."""
    r, m = A.shape
    signs = np.where(b < 0, -1.0, 1.0)
    whole = np.hstack([A, np.diag(signs)])
    basis = _best(whole, np.repeat([0.0, 1.0], [m, r]), b, list(range(m, m + r)))
    values = np.linalg.solve(whole[:, basis], b)
    if any(k >= m and x > SMALL * np.abs(b).max() for k, x in zip(basis, values, strict=True)):
        return None
    for place, k in enumerate(basis):  # pivot the remaining columns of the identity out of the basis
        if k >= m:
            entries = np.abs(np.linalg.solve(whole[:, basis], A)[place])
            basis[place] = int(entries.argmax())
    return basis


def _best(A: Array, cost: Array, b: Array, basis: list[int]) -> list[int]:
    """The basis of A y = b, y >= 0 with minimum cost.y, from a feasible one; `Contradiction` if cost.y is unbounded."""
    basis = list(basis)
    while True:
        B = A[:, basis]
        gain = cost - np.linalg.solve(B.T, cost[basis]) @ A
        gain[basis] = 0.0
        entering = np.flatnonzero(gain < -SMALL * np.abs(cost).max(initial=1))
        if not len(entering):
            return basis
        k = int(entering[0])
        change, values = np.linalg.solve(B, A[:, k]), np.linalg.solve(B, b)
        falls = np.flatnonzero(change > SMALL)
        if not len(falls):
            raise Contradiction([k, *(basis[i] for i in np.flatnonzero(change < -SMALL))])
        shares = np.maximum(values[falls], 0.0) / change[falls]
        ties = falls[shares <= shares.min() + SMALL]
        basis[min(ties, key=lambda i: basis[i])] = k
