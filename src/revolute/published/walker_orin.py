"""Walker and Orin's inertia matrix by composite rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import along_z, serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import point_inertia
from revolute.spatial.vectors import ZERO, Matrix, cross

__all__ = ["walker_orin"]


def walker_orin(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Mass matrix by composite rigid bodies, method 3 of Walker & Orin 1982. BP Alg. 6.1, 6.2.8-6.2.9.

    Links i ... n move as one body under a unit acceleration of joint i: the composite mass, its centre R and the
    inertia E about it determine force and moment at joint i, which are transformed to the base. (BP 6.2.7 and 6.2.8c
    print R_{i+1} without the A_{i+1} of 6.2.8b; 6.2.9b has f of frame j+1 next to s in frame j; 6.2.9c has sigma_i
    and z_i for sigma_j and z_j.)
    """
    arm = serial(model, "walker_orin")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    D: list[list[Scalar]] = [[0] * n for _ in range(n)]
    m: Scalar = 0
    R, E = ZERO, Matrix((ZERO,) * 3)
    for i in range(n, 0, -1):
        link, beyond, m = links[i], m, links[i].m + m
        tip = s[i + 1] + A[i + 1] @ R
        R = link.r if i == n else (link.r * link.m + tip * beyond) * (1 / m)
        shift = point_inertia(link.m, link.r - R)
        E = link.I_c + shift + point_inertia(beyond, tip - R) + A[i + 1].conjugate(E)
        f = cross(along_z(1), R * m) if link.sigma else along_z(m)
        eta = cross(R, f)
        if link.sigma:
            eta = E @ along_z(1) + eta
        D[i - 1][i - 1] = eta[2] if link.sigma else f[2]
        for j in range(i - 1, 0, -1):
            f = A[j + 1] @ f
            eta = A[j + 1] @ eta + cross(s[j + 1], f)
            D[j - 1][i - 1] = D[i - 1][j - 1] = eta[2] if links[j].sigma else f[2]
    return D
