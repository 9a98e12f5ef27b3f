"""Pseudo-inertias: the ten parameters of a body as a matrix, which is positive definite for real bodies.

    J = [[S, h], [h^T, m]],    S = integral x x^T dm = tr(I)/2 1 - I

Wensing, Kim & Slotine 2018. A symmetric matrix as a vector has its upper triangle by columns, times sqrt(2) off the
diagonal, so that products of vectors are those of matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy
from revolute.errors import ShapeError

__all__ = ["BASIS", "from_pseudo_inertia", "pseudo_inertia", "to_matrix", "to_vector", "vectors_to_parameters"]

Array = NDArray[Any]

ROWS, COLUMNS = (np.array(x) for x in zip(*((i, j) for j in range(4) for i in range(j + 1)), strict=True))

BASIS: Array = np.zeros((10, 4, 4))
"""Symmetric matrices of the ten entries of a vector: M = sum_k v_k BASIS[k]; orthonormal."""
for _k, (_i, _j) in enumerate(zip(ROWS, COLUMNS, strict=True)):
    BASIS[_k, _i, _j] = BASIS[_k, _j, _i] = 1 if _i == _j else np.sqrt(0.5)


def pseudo_inertia(parameters: ArrayLike) -> Array:
    """(..., 4, 4) pseudo-inertias J of (..., 10) parameters in the order of `Robot.inertial_parameters`.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification.bodies.pseudo_inertia import pseudo_inertia
        >>> J = pseudo_inertia(revolute.robots.ur5().inertial_parameters)
        >>> J.shape, bool((np.linalg.eigvalsh(J) > 0).all())
        ((6, 4, 4), True)
    """
    p = float_copy("pseudo_inertia: parameters", parameters)
    if p.shape[-1:] != (10,):
        raise ShapeError(f"pseudo_inertia: parameters have shape {p.shape}, and (..., 10) is needed")
    J: Array = np.zeros((*p.shape[:-1], 4, 4))
    half = p[..., 4:7].sum(axis=-1) / 2
    for k in range(3):
        J[..., k, k] = half - p[..., 4 + k]
        J[..., k, 3] = J[..., 3, k] = p[..., 1 + k]
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2)), 7):
        J[..., i, j] = J[..., j, i] = -p[..., k]
    J[..., 3, 3] = p[..., 0]
    return J


def from_pseudo_inertia(J: ArrayLike) -> Array:
    """(..., 10) parameters of (..., 4, 4) pseudo-inertias: the inverse of `pseudo_inertia`."""
    matrix = float_copy("from_pseudo_inertia: J", J)
    if matrix.shape[-2:] != (4, 4):
        raise ShapeError(f"from_pseudo_inertia: J has shape {matrix.shape}, and (..., 4, 4) is needed")
    S = matrix[..., :3, :3]
    trace = np.trace(S, axis1=-2, axis2=-1)[..., None]
    moments = trace - np.diagonal(S, axis1=-2, axis2=-1)
    products = -np.stack([S[..., 0, 1], S[..., 0, 2], S[..., 1, 2]], axis=-1)
    return np.concatenate([matrix[..., 3, 3, None], matrix[..., :3, 3], moments, products], axis=-1)


def to_vector(M: Array) -> Array:
    """(..., 10) vectors of (..., 4, 4) symmetric matrices."""
    return np.asarray(M[..., ROWS, COLUMNS] * np.where(ROWS == COLUMNS, 1, np.sqrt(2)))


def to_matrix(v: Array) -> Array:
    """(..., 4, 4) symmetric matrices of (..., 10) vectors."""
    return np.asarray(np.einsum("...k,kij->...ij", v, BASIS))


def vectors_to_parameters(L: Array) -> Array:
    """(10, 10) T with parameters = T v of the body with J = L V L^T, V the matrix of v."""
    return np.asarray(from_pseudo_inertia(L @ BASIS @ L.T).T)
