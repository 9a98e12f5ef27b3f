"""Hollerbach's recursive Lagrangian algorithm with 4x4 matrices."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.matrices import (
    Rows,
    joint_derivative,
    plus,
    product,
    pseudo_inertia,
    times,
    trace_product,
    transpose,
)
from revolute.published.serial import serial
from revolute.published.waters import accelerations
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import dot

__all__ = ["hollerbach_4x4"]


def hollerbach_4x4(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by two recursions of 4x4 matrices. BP Alg. 5.1, 5.2.12-5.2.13; Hollerbach 1980.

    (BP 5.2.13b prints r_ij for r_ii.)
    """
    arm = serial(model, "hollerbach_4x4")
    n = arm.n
    W, Wdd = accelerations(arm, q, qd, qdd)
    D: Rows = ()
    c: tuple[Scalar, ...] = ()
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        link = arm.links[i]
        D_i: Rows = product(pseudo_inertia(link), transpose(Wdd[i]))
        c_i: tuple[Scalar, ...] = (*link.n, link.m)
        if i < n:
            A = arm.links[i + 1].pose(q[i]).rows()
            D_i = plus(D_i, product(A, D))
            c_i = tuple(x + y for x, y in zip(c_i, times(A, c), strict=True))
        D, c = D_i, c_i
        dW = joint_derivative(link, W[i])
        tau[i - 1] = trace_product(dW, transpose(D)) - dot(arm.gravity, times(dW, c)[:3])
    return tau
