"""Balafoutis and Patel's algorithm with augmented and generalised links."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import along_z, serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import angular_acceleration, euler_moment, euler_of_inertia, point_inertia
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, tilde

__all__ = ["augmented_links"]


def augmented_links(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Inverse dynamics with augmented links. BP Alg. 5.7, 5.3.44-5.3.46.

    See also BP Def. 5.1-5.2, Lemma 5.1-5.2, 5.3.9-5.3.13, 5.3.39-5.3.42, Table 5.1-5.2.

    An augmented link is a link with the mass of all links beyond it at the origin of the
    next frame; between revolute joints its moments are constants of the arm. (BP 5.3.46b
    prints Udd and zeta of frame i+1 without the A_{i+1} of its derivation 5.3.43; 5.3.44b
    prints tilde(u) for u; 5.3.45e has the factor 1 - sigma of zeta twice.)

    Args:
        model: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    arm = serial(model, "augmented_links")
    n, links = arm.n, (*arm.links, arm.links[0])
    A, s = arm.poses(q)

    # step 1: moments of the augmented links
    m: list[Scalar] = [0] * (n + 2)
    u, K_hat = [ZERO] * (n + 1), [tilde(ZERO)] * (n + 1)
    for i in range(n, 0, -1):
        m[i] = links[i].m + m[i + 1]
        u[i] = links[i].n + s[i + 1] * m[i + 1]
        K = links[i].I_o + point_inertia(m[i + 1], s[i + 1])
        K_hat[i] = euler_of_inertia(K)

    # step 2: outwards
    w, wd, sdd, zeta, mu = ([ZERO] * (n + 2) for _ in range(5))
    Omega: list[Matrix] = [tilde(ZERO)] * (n + 1)
    sdd[0] = -arm.gravity
    for i in range(n):
        AT = A[i + 1].T
        w_before = AT @ w[i]
        w[i + 1], wd[i + 1] = w_before, AT @ wd[i]
        sdd[i + 1] = AT @ (sdd[i] + Omega[i] @ s[i + 1])
        if links[i + 1].sigma:
            w[i + 1] += along_z(qd[i])
            wd[i + 1] += cross(w_before, along_z(qd[i])) + along_z(qdd[i])
        else:
            zeta[i + 1] = cross(w_before, along_z(qd[i])) * 2 + along_z(qdd[i])
            sdd[i + 1] += zeta[i + 1]
        Omega[i + 1] = angular_acceleration(w[i + 1], wd[i + 1])
        mu[i + 1] = euler_moment(Omega[i + 1], K_hat[i + 1])

    # step 3: inwards
    Udd, eta = [ZERO] * (n + 2), [ZERO] * (n + 2)
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        beyond: Vector = A[i + 1] @ (Udd[i + 1] + zeta[i + 1] * m[i + 1])
        Udd[i] = Omega[i] @ u[i] + beyond
        eta[i] = mu[i] + cross(u[i], sdd[i]) + cross(s[i + 1], beyond) + A[i + 1] @ eta[i + 1]
        tau[i - 1] = eta[i][2] if links[i].sigma else m[i] * sdd[i][2] + Udd[i][2]
    return tau
