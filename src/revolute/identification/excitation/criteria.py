"""Criteria to minimise for well-determined parameters, with their gradients. Swevers et al. 1997.

For W = U S V^T with singular values s_1 >= ... >= s_b, and W = Q R,

    "d"          -log det(W^T W)/b = -2 (sum_i log s_i)/b,    by W: -2 Q R^-T/b
    "condition"  log(s_1/s_b),                                by W: u_1 v_1^T/s_1 - u_b v_b^T/s_b

    "unscaled_condition"    the same for parameters in SI units, not scaled

The first is twice the logarithm of the geometric mean of the axes of the confidence ellipsoid, and independent of units
of parameters. The second has no gradient where the largest or smallest singular value is double.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from revolute.identification.samples import Array

__all__ = ["CRITERIA", "UNSCALED", "Criterion", "condition", "log_det"]

Criterion = Callable[[Array], tuple[float, Array]]

TINY = 1e-150
"""Replaces singular values of zero, so that the criterion is large but finite."""


def log_det(W: Array) -> tuple[float, Array]:
    """-log det(W^T W)/b of (n, b) rows, and its (n, b) derivatives."""
    Q, R = np.linalg.qr(W)
    diagonal = np.abs(R.diagonal())
    if diagonal.min() < TINY:
        return -2 * float(np.log(np.maximum(diagonal, TINY)).mean()), np.zeros_like(W)
    return -2 * float(np.log(diagonal).mean()), Q @ (np.linalg.inv(R).T * (-2 / len(R)))


def condition(W: Array) -> tuple[float, Array]:
    """log(s_1/s_b) of (n, b) rows, and its (n, b) derivatives."""
    Q, R = np.linalg.qr(W)
    U, s, Vt = np.linalg.svd(R)
    first, last = np.maximum(s[[0, -1]], TINY)
    by_R = np.outer(U[:, 0], Vt[0]) / first - np.outer(U[:, -1], Vt[-1]) / last
    return float(np.log(first / last)), Q @ by_R


UNSCALED = "unscaled_condition"

CRITERIA: dict[str, Criterion] = {"d": log_det, "condition": condition, UNSCALED: condition}
