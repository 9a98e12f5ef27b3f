"""The fraction of squared forces that least squares leave unexplained, for many right sides at once."""

import numpy as np
from numpy.typing import ArrayLike

from revolute.identification.samples import Array

EXACT = 1e-6  # residual as a fraction of the squared forces, below which it counts as rounding error

DEPENDENT = 1e-10
"""Eigenvalue of the normal equations, relative to the largest one, below which an eigenvalue counts as zero."""


class Explained:
    """Least squares for a regressor A of any rank, by normal equations: fast, but accurate to only half of the digits.

    Args:
        gram: (..., p, p) A^T A.

    Attributes:
        root: (..., p, p) F, where F F^T is the pseudoinverse of A^T A: the columns of A F are orthonormal, or zero.
        rank: (...) numerical rank of A.
    """

    def __init__(self, gram: Array) -> None:
        lengths = np.sqrt(np.diagonal(gram, axis1=-2, axis2=-1))
        scale = 1 / np.where(lengths > 0, lengths, 1.0)
        values, turns = np.linalg.eigh(gram * scale[..., :, None] * scale[..., None, :])
        keep = values > DEPENDENT * values[..., -1:]
        self.rank: Array = keep.sum(axis=-1)
        self.root: Array = scale[..., None] * turns * (keep / np.sqrt(np.where(keep, values, 1.0)))[..., None, :]

    def shares(self, product: Array, squares: ArrayLike) -> Array:
        """(..., n) unexplained fractions |b - A x|^2 / |b|^2, from A^T b (..., p, n) and |b|^2 (..., n)."""
        explained = np.sum((np.swapaxes(self.root, -1, -2) @ product) ** 2, axis=-2)
        return np.asarray(np.maximum(1 - explained / np.asarray(squares), 0.0))

    def values(self, product: Array) -> Array:
        """(p,) parameters for one right side, with the minimum norm if columns are scaled to unit length."""
        return np.asarray(self.root @ (self.root.T @ product))


def unexplained_share(A: Array, b: Array) -> float:
    """The minimum of |b - A x|^2 / |b|^2, for A (n, p) and b (n,)."""
    return float(Explained(A.T @ A).shares((A.T @ b)[:, None], b @ b)[0])
