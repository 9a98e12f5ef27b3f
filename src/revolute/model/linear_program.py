"""Linear programs with few unknowns, by the simplex method with Bland's rule. Dantzig 1951; Bland 1977.

    max c.x  with  G x <= h        has the dual        min h.y  with  G^T y = c, y >= 0

The dual is solved: it has one row per unknown, and joint couplings have few unknowns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Contradiction", "corner"]

Array = NDArray[Any]

SMALL = 1e-10
"""Numbers below this are rounding: rows have unit length."""


class Contradiction(Exception):
    """No x lies in all half-spaces. This exception never reaches users.

    Attributes:
        rows: rows of half-spaces that have no common point.
    """

    def __init__(self, rows: list[int]) -> None:
        super().__init__()
        self.rows = rows


def corner(c: Array, G: Array, h: Array) -> Array | None:
    """(n,) a point that maximizes c.x subject to G x <= h; None if c.x is unbounded.

    Args:
        c: (n,)
        G, h: (m, n) and (m,) half-spaces; no row of G is zero.

    Raises:
        Contradiction: there is no feasible point. For c other than 0, the result may be None instead.
    """
    lengths = np.linalg.norm(G, axis=1)
    _, s, V = np.linalg.svd(G / lengths[:, None], full_matrices=False)
    V = V[s > SMALL].T  # half-spaces bound x only along these columns
    A, cost, own = (G / lengths[:, None] @ V).T, h / lengths, V.T @ c
    basis = _begin(A, own) if np.abs(c - V @ own).max() <= SMALL * np.abs(c).max(initial=1) else None
    if basis is None:
        return None
    basis = _best(A, cost, own, basis)
    return np.asarray(V @ np.linalg.solve(A[:, basis].T, cost[basis]))


def _begin(A: Array, b: Array) -> list[int] | None:
    """A basis of A y = b with y >= 0; None if there is none."""
    r, m = A.shape
    signs = np.where(b < 0, -1.0, 1.0)
    whole = np.hstack([A, np.diag(signs)])
    basis = _best(whole, np.repeat([0.0, 1.0], [m, r]), b, list(range(m, m + r)))
    values = np.linalg.solve(whole[:, basis], b)
    if any(k >= m and x > SMALL * np.abs(b).max() for k, x in zip(basis, values, strict=True)):
        return None
    for place, k in enumerate(basis):  # remaining columns of the identity are swapped out at value zero
        if k >= m:
            entries = np.abs(np.linalg.solve(whole[:, basis], A)[place])
            basis[place] = int(entries.argmax())
    return basis


def _best(A: Array, cost: Array, b: Array, basis: list[int] | None) -> list[int]:
    """The basis of A y = b, y >= 0 that minimizes cost.y, starting from a given basis.

    Raises:
        Contradiction: the cost is unbounded.
    """
    assert basis is not None
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
