"""Yoshikawa's measure of manipulability, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.task_space import Task
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, sign

__all__ = ["guarded_inverse", "squared_manipulability"]


def squared_manipulability(model: Model, q: Sequence[Scalar], task: Task) -> Scalar:
    """det(J J^T), for the task's rows of J. Yoshikawa 1985, eq. 7.

    Rows are made orthogonal one after the other (modified Gram-Schmidt, Golub & Van Loan Alg.
    5.2.6). The determinant is the product of their squared lengths: never negative, and as accurate as
    J near singular configurations. It is zero if J has fewer columns than rows.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        task: rows of a frame's twist.

    Returns:
        the determinant.
    """
    J = task.of(jacobian(model, q, task.frame, task.reference))
    if len(J) > model.nv:
        return 0
    lengths = []
    for k, row in enumerate(J):
        squared = _dot(row, row)
        lengths.append(squared)
        share = guarded_inverse(squared)
        for below in range(k + 1, len(J)):
            along = _dot(J[below], row) * share
            J[below] = [x - along * y for x, y in zip(J[below], row, strict=True)]
    return prod(lengths)


def guarded_inverse(x: Scalar) -> Scalar:
    """1 / x for x > 0; 0 for x = 0, with a finite derivative."""
    s = sign(x)
    return s / (x + (1 - s))


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum(x * y for x, y in zip(a, b, strict=True))
