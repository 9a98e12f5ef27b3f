"""Balafoutis and Patel's inertia matrix with generalised and augmented links."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import along_z, serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import point_inertia, twice_symmetric
from revolute.spatial.vectors import ZERO, Matrix, cross

__all__ = ["generalized_links"]


def generalized_links(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Inertia matrix with generalised and augmented links. BP Alg. 6.2, 6.3.28-6.3.30.

    See also BP Def. 5.1-5.2, Lemma 5.1-5.2, 5.3.9-5.3.13, 5.3.39-5.3.42, Lemma 6.1, 6.3.1-6.3.8, Table 6.1.

    A generalised link consists of all links that joint i carries, as one body. Its moments U and E about o_i are
    computed from those of the augmented link, u and K, which are constants between revolute joints. (BP 6.3.29e omits
    (1 - sigma_i) tilde(U_i) z_i, the moment about o_i of a prismatic joint's force; coupling with earlier revolute
    joints needs it.)
    """
    arm = serial(model, "generalized_links")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    ahead = [A[i].T @ s[i] for i in range(n + 2)]  # 6.3.29b: s_{i-1,i} along frame i
    D: list[list[Scalar]] = [[0] * n for _ in range(n)]
    m: Scalar = 0
    U, E = ZERO, Matrix((ZERO,) * 3)
    for i in range(n, 0, -1):
        # step 1: moments of the augmented link
        u = links[i].n + s[i + 1] * m
        K = links[i].I_o + point_inertia(m, s[i + 1])
        m = links[i].m + m

        # step 2: moments of the generalised link, and its wrench for a unit acceleration of joint i
        E = K + A[i + 1].conjugate(E - twice_symmetric(ahead[i + 1], U))  # 6.3.29c
        U = u + A[i + 1] @ U  # 6.3.29a
        f = cross(along_z(1), U) if links[i].sigma else along_z(m)
        eta = E @ along_z(1) if links[i].sigma else cross(U, along_z(1))
        D[i - 1][i - 1] = eta[2] if links[i].sigma else f[2]

        # step 3: the forces of the joints before it
        for j in range(i - 1, 0, -1):
            eta = A[j + 1] @ (cross(ahead[j + 1], f) + eta)  # 6.3.30b
            f = A[j + 1] @ f  # 6.3.30a
            D[j - 1][i - 1] = D[i - 1][j - 1] = eta[2] if links[j].sigma else f[2]
    return D
