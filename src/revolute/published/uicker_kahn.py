"""Uicker and Kahn's closed form in 4x4 matrices."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.matrices import (
    Rows,
    derivatives,
    joint_derivative,
    product,
    pseudo_inertia,
    times,
    trace_product,
)
from revolute.published.serial import serial
from revolute.spatial.scalar import Scalar

__all__ = ["uicker_kahn"]


def uicker_kahn(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by Lagrange's equations with 4x4 matrices. BP 5.2.7; Uicker 1965, Kahn 1969.

        tau_i = sum_{j>=i} ( sum_{k<=j} tr(dW_j/dq_k J_j dW_j^T/dq_i) qdd_k
                + sum_{k,l<=j} tr(dW_j/dq_i J_j d2W_j^T/dq_k dq_l) qd_k qd_l
                - m_j g^T dW_j/dq_i r_jj )

    (BP prints q_i in both derivatives of the first trace; one should be q_k.)
    """
    arm = serial(model, "uicker_kahn")
    n, g = arm.n, (*arm.gravity, 0)
    _, D = derivatives(arm, q)
    H: dict[tuple[int, int], Rows] = {}
    tau: list[Scalar] = [0] * (n + 1)
    for j in range(1, n + 1):
        link = arm.links[j]
        A, J = link.pose(q[j - 1]).rows(), pseudo_inertia(link)
        H = {pair: product(before, A) for pair, before in H.items()}
        H.update({(k, j): joint_derivative(link, D[j][k]) for k in range(1, j + 1)})
        for i in range(1, j + 1):
            left = product(D[j][i], J)
            for k in range(1, j + 1):
                tau[i] += trace_product(left, D[j][k]) * qdd[k - 1]
                for l in range(1, j + 1):
                    tau[i] += trace_product(left, H[min(k, l), max(k, l)]) * qd[k - 1] * qd[l - 1]
            weight = times(D[j][i], (*link.n, link.m))
            tau[i] -= g[0] * weight[0] + g[1] * weight[1] + g[2] * weight[2]
    return tau[1:]
