"""Checks of rotation and pose matrices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError

SLOPPY = 1e-6  # maximum error of the entries of a rotation matrix or of a unit vector
_ROUNDING = 1e-11  # error up to which a rotation matrix is not corrected; equal to the tolerance of `Rotation.from_rpy`


def rigid(what: str, R: NDArray[np.float64], last: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation of a homogeneous matrix, from its (3, 3) part and last row; errors of rounding are corrected."""
    if not np.abs(last - [0, 0, 0, 1]).max() <= SLOPPY:  # NaN is rejected too
        raise InputError(f"{what}: its last row must be 0, 0, 0, 1, not {last.tolist()}")
    if fault := rotation_fault(R):
        raise InputError(f"{what}: {fault}")
    if np.abs(R @ R.T - np.eye(3)).max() > _ROUNDING:
        U, _, Vt = np.linalg.svd(R)
        R = U @ Vt
    return R


def one_matrix(what: str, x: Any, size: int) -> list[list[Any]]:
    """The rows of one (size, size) matrix of any scalar type, or of a SciPy object with a method `as_matrix`."""
    array = np.array(x.as_matrix() if hasattr(x, "as_matrix") else x, dtype=object)
    if array.shape != (size, size):
        advice = "give them one at a time" if array.shape[1:] == (size, size) else "give its rows"
        raise InputError(f"{what} must be one ({size}, {size}) matrix, not an array of shape {array.shape}; {advice}")
    rows: list[list[Any]] = array.tolist()
    return rows


def rotation_fault(R: NDArray[Any]) -> str | None:
    """The reason why a (3, 3) matrix is not a rotation; None if it is one."""
    product = R @ R.T
    if not np.abs(product - np.eye(3)).max() <= SLOPPY:  # NaN is rejected too
        return f"its rotation is not orthogonal: R R^T = {product.round(4).tolist()}"
    if np.linalg.det(R) < 0:
        return "its axes are left-handed (determinant -1); reverse one of them"
    return None
