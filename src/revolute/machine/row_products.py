"""Products of batches in NumPy whose result for a row is the same, to the last bit, in any batch and with any strides.

`x @ A.T` and `einsum` do not ensure this: they sum a batch in a different order than a single row, and the order in
`matmul` depends on the strides, too.
"""

from __future__ import annotations

import numpy as np

from revolute.arguments import Array


def times(A: Array, x: Array) -> Array:
    """(..., m) products A x of (..., m, n) and (..., n)."""
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(np.ascontiguousarray(A), np.ascontiguousarray(x)[..., None])[..., 0])


def inner(x: Array, y: Array) -> Array:
    """(...) products x^T y of (..., n) and (..., n)."""
    return times(x[..., None, :], y)[..., 0]
