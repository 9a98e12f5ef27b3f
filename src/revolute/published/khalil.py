"""Khalil, Kleinfinger and Gautier's Newton-Euler recursion, with first moments and inertias about the joints."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.newton_euler import motions_by_tensors
from revolute.published.serial import serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, cross

__all__ = ["khalil"]


def khalil(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics, linear in the inertial parameters. BP Table 5.3; Khalil, Kleinfinger & Gautier 1986.

        F_i = m_i sdd_i + Omega_i n_i,    M_i = I_i wd_i + w_i x (I_i w_i)
        f_i = F_i + A f_{i+1}
        eta_i = M_i + n_i x sdd_i + A eta_{i+1} + s_{i,i+1} x A f_{i+1}

    with n_i and I_i about the origin o_i of the link's frame, and accelerations as in BP 5.3.7. BP cites only the
    count: the equations are from the authors' paper.
    """
    arm = serial(model, "khalil")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    w, wd, sdd, Omega = motions_by_tensors(arm, A, s, qd, qdd)
    f, eta = ZERO, ZERO
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        link, beyond = links[i], A[i + 1] @ f
        F = sdd[i] * link.m + Omega[i] @ link.n
        M = link.I_o @ wd[i] + cross(w[i], link.I_o @ w[i])
        f = F + beyond
        eta = M + cross(link.n, sdd[i]) + A[i + 1] @ eta + cross(s[i + 1], beyond)
        tau[i - 1] = eta[2] if link.sigma else f[2]
    return tau
