"""Walker and Orin's inertia matrix by unit accelerations of each joint in turn."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import Arm, along_z, serial
from revolute.spatial.scalar import Scalar, transposed
from revolute.spatial.vectors import ZERO, cross

__all__ = ["accelerated", "unit_accelerations", "unit_accelerations_by_symmetry"]


def unit_accelerations(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Inverse dynamics at rest and without gravity, once for each joint. BP 6.2.4; method 1 of Walker & Orin 1982.

    Column i is tau for qdd_i = 1 and zero for the other joints.
    """
    arm = serial(model, "unit_accelerations")
    n = arm.n
    columns = [accelerated(arm, q, [int(k == i) for k in range(n)]) for i in range(n)]
    return transposed(columns)


def unit_accelerations_by_symmetry(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The same, but only on and below the diagonal. BP 6.2.4; method 2 of Walker & Orin 1982.

    Links before joint i do not move, and their forces are known from earlier columns.
    """
    arm = serial(model, "unit_accelerations_by_symmetry")
    n = arm.n
    D: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for i in range(n):
        for k, force in enumerate(accelerated(arm, q, [int(k == i) for k in range(n)], i), i):
            D[k][i] = D[i][k] = force
    return D


def accelerated(arm: Arm, q: Sequence[Scalar], qdd: Sequence[Scalar], first: int = 0) -> list[Scalar]:
    """D qdd: BP Alg. 5.3 at rest and without gravity; forces from joint `first` (of 0 ... n-1) on."""
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    wd, a = [ZERO] * (n + 1), [ZERO] * (n + 1)
    for i in range(1, n + 1):
        wd[i], a[i] = A[i].T @ wd[i - 1], A[i].T @ (a[i - 1] + cross(wd[i - 1], s[i]))
        if links[i].sigma:
            wd[i] += along_z(qdd[i - 1])
        else:
            a[i] += along_z(qdd[i - 1])
    f, eta = ZERO, ZERO
    tau: list[Scalar] = []
    for i in range(n, first, -1):
        F = (a[i] + cross(wd[i], links[i].r)) * links[i].m
        f = A[i + 1] @ f
        eta = links[i].I_c @ wd[i] + cross(links[i].r, F) + A[i + 1] @ eta + cross(s[i + 1], f)
        f = F + f
        tau.append(eta[2] if links[i].sigma else f[2])
    return tau[::-1]
