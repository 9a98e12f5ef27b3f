"""Khalil, Kleinfinger and Gautier's Newton-Euler recursion in first moments and inertias about the joints."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import along_z, serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import angular_acceleration
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, tilde

__all__ = ["khalil"]


def khalil(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics, linear in the inertial parameters. BP Table 5.3; Khalil, Kleinfinger & Gautier 1986.

        F_i = m_i sdd_i + Omega_i n_i,    M_i = I_i wd_i + w_i x (I_i w_i)
        f_i = F_i + A f_{i+1}
        eta_i = M_i + n_i x sdd_i + A eta_{i+1} + s_{i,i+1} x A f_{i+1}

    with n_i and I_i about the origin o_i of the link's frame, and accelerations as in BP 5.3.7. BP cites the count
    alone: the equations are the authors', from their paper.

    Args:
        model: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    arm = serial(model, "khalil")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    w, wd, sdd, F, M = ([ZERO] * (n + 1) for _ in range(5))
    Omega: list[Matrix] = [tilde(ZERO)] * (n + 1)
    sdd[0] = -arm.gravity
    for i in range(n):
        link, AT = links[i + 1], A[i + 1].T
        rate, change = along_z(qd[i]), along_z(qdd[i])
        w_before = AT @ w[i]
        w[i + 1], wd[i + 1] = w_before, AT @ wd[i]
        sdd[i + 1] = AT @ (sdd[i] + Omega[i] @ s[i + 1])
        if link.sigma:
            w[i + 1] += rate
            wd[i + 1] += cross(w_before, rate) + change
        else:
            sdd[i + 1] += cross(w_before, rate) * 2 + change
        Omega[i + 1] = angular_acceleration(w[i + 1], wd[i + 1])
        F[i + 1] = sdd[i + 1] * link.m + Omega[i + 1] @ link.n
        M[i + 1] = link.I_o @ wd[i + 1] + cross(w[i + 1], link.I_o @ w[i + 1])

    f, eta = ZERO, ZERO
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        beyond: Vector = A[i + 1] @ f
        f = F[i] + beyond
        eta = M[i] + cross(links[i].n, sdd[i]) + A[i + 1] @ eta + cross(s[i + 1], beyond)
        tau[i - 1] = eta[2] if links[i].sigma else f[2]
    return tau
