"""Symmetric matrices as vectors with the same products: upper triangles by columns, times sqrt(2) off the diagonal."""

from __future__ import annotations

import numpy as np

from revolute.identification.samples import Array
from revolute.model.pseudo_inertia import from_pseudo_inertia

__all__ = ["BASIS", "to_matrix", "to_vector", "vectors_to_parameters"]

ROWS, COLUMNS = (np.array(x) for x in zip(*((i, j) for j in range(4) for i in range(j + 1)), strict=True))

BASIS: Array = np.zeros((10, 4, 4))
"""Symmetric matrices of the ten entries of a vector: M = sum_k v_k BASIS[k]; orthonormal."""
for _k, (_i, _j) in enumerate(zip(ROWS, COLUMNS, strict=True)):
    BASIS[_k, _i, _j] = BASIS[_k, _j, _i] = 1 if _i == _j else np.sqrt(0.5)


def to_vector(M: Array) -> Array:
    """(..., 10) vectors of (..., 4, 4) symmetric matrices."""
    return np.asarray(M[..., ROWS, COLUMNS] * np.where(ROWS == COLUMNS, 1, np.sqrt(2)))


def to_matrix(v: Array) -> Array:
    """(..., 4, 4) symmetric matrices of (..., 10) vectors."""
    return np.asarray(np.einsum("...k,kij->...ij", v, BASIS))


def vectors_to_parameters(L: Array) -> Array:
    """(10, 10) T with parameters = T v of the body with J = L V L^T, V the matrix of v."""
    return np.asarray(from_pseudo_inertia(L @ BASIS @ L.T).T)
