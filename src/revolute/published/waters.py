"""Waters' form of the 4x4 matrices: backward recursion for the accelerations."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.matrices import (
    Rows,
    derivatives,
    joint_derivative,
    plus,
    product,
    pseudo_inertia,
    scaled,
    times,
    trace_product,
    transpose,
)
from revolute.published.serial import Arm, serial
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import dot

__all__ = ["accelerations", "waters"]


def waters(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics with recursions for W and its time derivatives. BP 5.2.9-5.2.10; Waters 1979.

        tau_i = sum_{j>=i} ( tr(dW_j/dq_i J_j Wdd_j^T) - m_j g^T dW_j/dq_i r_jj )
    """
    arm = serial(model, "waters")
    _, D = derivatives(arm, q)
    _, Wdd = accelerations(arm, q, qd, qdd)
    tau: list[Scalar] = [0] * (arm.n + 1)
    for j in range(1, arm.n + 1):
        link = arm.links[j]
        JW = transpose(product(pseudo_inertia(link), transpose(Wdd[j])))
        for i in range(1, j + 1):
            weight = times(D[j][i], (*link.n, link.m))
            tau[i] += trace_product(D[j][i], JW) - dot(arm.gravity, weight[:3])
    return tau[1:]


def accelerations(
    arm: Arm, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[list[Rows], list[Rows]]:
    """W_i and Wdd_i by the recursion of BP 5.2.10; entry 0 is the base."""
    still = tuple((0,) * 4 for _ in range(4))
    W, Wd, Wdd = [Transform().rows()], [still], [still]
    for i in range(1, arm.n + 1):
        link, v, a = arm.links[i], qd[i - 1], qdd[i - 1]
        A = link.pose(q[i - 1]).rows()
        dA = joint_derivative(link, A)
        ddA = joint_derivative(link, dA)
        WdA = product(W[-1], dA)
        Wdd.append(
            plus(
                product(Wdd[-1], A),
                scaled(product(Wd[-1], dA), 2 * v),
                scaled(product(W[-1], ddA), v * v),
                scaled(WdA, a),
            )
        )
        Wd.append(plus(product(Wd[-1], A), scaled(WdA, v)))
        W.append(product(W[-1], A))
    return W, Wdd
