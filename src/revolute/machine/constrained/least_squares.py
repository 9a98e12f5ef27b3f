"""Linear equations of any rank, in batches."""

from __future__ import annotations

import numpy as np

from revolute.machine.machine import Array

__all__ = ["RANK", "singular_values", "solve", "solve_columns"]

RANK = 1e-9
"""Singular values below this fraction of the largest count as zero: joint positions are no more accurate."""


def solve(A: Array, b: Array) -> tuple[Array, Array]:
    """The minimum-norm least-squares solution x of A x = b, (..., m, n) and (..., m), and the rank of A."""
    U, s, V = singular_values(A)
    x: Array = np.einsum("...nk,...k->...n", V, np.einsum("...mk,...m->...k", U, b) / s)
    return x, np.isfinite(s).sum(axis=-1)


def solve_columns(A: Array, B: Array) -> Array:
    """The minimum-norm least-squares solution X of A X = B, (..., m, n) and (..., m, k)."""
    U, s, V = singular_values(A)
    X: Array = V @ (U.mT @ B / s[..., None])
    return X


def singular_values(A: Array, least: Array | float = RANK) -> tuple[Array, Array, Array]:
    """U, s, V of A = U diag(s) V^T, (..., m, n).

    Values below `least`, (..., 1), of the largest count as zero: they are infinite, and dividing by them yields zero.
    """
    finite = np.isfinite(A).all(axis=(-2, -1), keepdims=True)
    U, s, Vt = np.linalg.svd(np.where(finite, A, 0.0), full_matrices=False)
    U = np.where(finite, U, np.nan)  # a state of NaN affects only its own row
    kept = s > least * s.max(axis=-1, keepdims=True, initial=0)
    return U, np.where(kept, s, np.inf), Vt.mT
