"""The screw from a pose to a link frame, over any scalar, differentiable at zero."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.pose_error import pose_error
from revolute.model.model import Model
from revolute.spatial import Vector, cross, dot
from revolute.spatial.scalar import Scalar, cos, select, sin, sqrt

__all__ = ["screw_error"]

TINY = 1e-36
"""Added to squares whose root is a divisor, to avoid division by zero; not zero in float32."""

SMALL = 1e-4
"""Angle below which the coefficient of the second bracket equals its limit, 1/12, to ten digits [rad]."""


def screw_error(model: Model, q: Sequence[Scalar], pose: Sequence[Scalar], frame: str) -> list[Scalar]:
    """log(T_d^-1 T) = -log(T^-1 T_d), expressed in the link frame. LP 3.92.

        w = log(R^T R_d),    p = R^T (p_d - p),    v = p - w x p / 2 + c w x (w x p)

        c = (1 - x cot x) / (4 x^2),    x = |w| / 2

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        pose: the 16 scalars of the pose's matrix, row by row.
        frame: name of a link.

    Returns:
        six scalars [rad, m].
    """
    error = pose_error(model, q, pose, frame)
    w, p = Vector(error[:3]), Vector(error[3:])
    half = sqrt(dot(w, w) + TINY) * 0.5
    small = half <= SMALL
    x = select(small, 1.0, half)
    c = select(small, 1 / 12, (1 - x * cos(x) / sin(x)) / (4 * (x * x)))
    turned = cross(w, p)
    v = p - turned * 0.5 + cross(w, turned) * c
    return [-e for e in (*w, *v)]
