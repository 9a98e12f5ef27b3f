"""Pseudo-inertias: the ten parameters of a body as a matrix, positive definite if physically consistent.

    J = [[S, h], [h^T, m]],    S = integral x x^T dm = tr(I)/2 1 - I

See Wensing, Kim & Slotine 2018. The log-Cholesky parameters of J may be any ten numbers: see Rucker & Wensing 2022.
"""

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy
from revolute.errors import ShapeError

ABOVE = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))  # indices of the parameters s12, s23, s13, t1, t2 and t3


def pseudo_inertia(parameters: ArrayLike) -> Array:
    """(..., 4, 4) pseudo-inertias J of (..., 10) parameters in the order of `Robot.inertial_parameters`.

    Example:
        >>> from revolute.model.pseudo_inertia import pseudo_inertia
        >>> J = pseudo_inertia(revolute.robots.ur5().inertial_parameters)
        >>> J.shape, bool((np.linalg.eigvalsh(J) > 0).all())
        ((6, 4, 4), True)
    """
    p = float_copy("pseudo_inertia: parameters", parameters)
    if p.shape[-1:] != (10,):
        raise ShapeError(f"pseudo_inertia: parameters must have shape (..., 10), not {p.shape}")
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
        raise ShapeError(f"from_pseudo_inertia: J must have shape (..., 4, 4), not {matrix.shape}")
    S = matrix[..., :3, :3]
    trace = np.trace(S, axis1=-2, axis2=-1)[..., None]
    moments = trace - np.diagonal(S, axis1=-2, axis2=-1)
    products = -np.stack([S[..., 0, 1], S[..., 0, 2], S[..., 1, 2]], axis=-1)
    return np.concatenate([matrix[..., 3, 3, None], matrix[..., :3, 3], moments, products], axis=-1)


def to_log_cholesky(J: Array) -> Array:
    """(..., 10) theta = (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3) of (..., 4, 4) positive definite J = U U^T.

        U = e^alpha [[e^d1, s12, s13, t1],
                     [0, e^d2, s23, t2],
                     [0, 0, e^d3, t3],
                     [0, 0, 0, 1]]

    Any ten real numbers give physically consistent parameters. `LinAlgError` if J is not positive definite.
    """
    flipped = np.linalg.cholesky(J[..., ::-1, ::-1])[..., ::-1, ::-1]  # upper triangular U with J = U U^T
    scale = flipped[..., 3, 3]
    logs = [np.log(scale), *(np.log(flipped[..., k, k] / scale) for k in range(3))]
    return np.stack([*logs, *(flipped[..., i, j] / scale for i, j in ABOVE)], axis=-1)
