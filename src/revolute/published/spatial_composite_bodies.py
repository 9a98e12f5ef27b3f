"""Featherstone's inertia matrix by composite rigid bodies, in spatial notation."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.matrices import adjoint, plus, product, spatial_inertia, times, transpose
from revolute.published.serial import serial
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar

__all__ = ["spatial_composite_bodies"]


def spatial_composite_bodies(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Mass matrix by composite rigid bodies, in spatial notation. BP 6.2; Featherstone 1987; RBDA 6.2.

        Ic_i = I_i + X_{i+1}^T Ic_{i+1} X_{i+1}
        F = Ic_i S_i,    D_ji = S_j . X^T ... X^T F
    """
    arm = serial(model, "spatial_composite_bodies")
    n, (A, s) = arm.n, arm.poses(q)
    down = [transpose(adjoint(Transform(A[i], s[i]).inverse())) for i in range(n + 1)]
    axis = [2 if link.sigma else 5 for link in arm.links]
    D: list[list[Scalar]] = [[0] * n for _ in range(n)]
    Ic = [spatial_inertia(link.inertia) for link in arm.links]
    for i in range(n, 0, -1):
        F: Sequence[Scalar] = [row[axis[i]] for row in Ic[i]]
        D[i - 1][i - 1] = F[axis[i]]
        for j in range(i - 1, 0, -1):
            F = times(down[j + 1], F)
            D[j - 1][i - 1] = D[i - 1][j - 1] = F[axis[j]]
        Ic[i - 1] = plus(Ic[i - 1], product(product(down[i], Ic[i]), transpose(down[i])))
    return D
