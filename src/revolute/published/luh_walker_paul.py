"""Luh, Walker and Paul's Newton-Euler recursion in link frames."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import along_z, serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Vector, cross

__all__ = ["luh_walker_paul"]


def luh_walker_paul(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by Newton's and Euler's equations along the links' axes. BP Alg. 5.3, 5.2.23-5.2.24.

    Args:
        model: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    arm = serial(model, "luh_walker_paul")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    w, wd, sdd, F, M = ([ZERO] * (n + 1) for _ in range(5))
    sdd[0] = -arm.gravity
    for i in range(n):
        link, AT = links[i + 1], A[i + 1].T
        w_before = AT @ w[i]
        w[i + 1], wd[i + 1] = w_before, AT @ wd[i]
        sdd[i + 1] = AT @ (sdd[i] + cross(wd[i], s[i + 1]) + cross(w[i], cross(w[i], s[i + 1])))
        if link.sigma:
            w[i + 1] += along_z(qd[i])
            wd[i + 1] += cross(w_before, along_z(qd[i])) + along_z(qdd[i])
        else:
            sdd[i + 1] += cross(w_before * 2, along_z(qd[i])) + along_z(qdd[i])
        w_, wd_ = w[i + 1], wd[i + 1]
        rdd = cross(wd_, link.r) + cross(w_, cross(w_, link.r)) + sdd[i + 1]
        F[i + 1] = rdd * link.m
        M[i + 1] = link.I_c @ wd_ + cross(w_, link.I_c @ w_)

    f, eta = [ZERO] * (n + 2), [ZERO] * (n + 2)
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        beyond: Vector = A[i + 1] @ f[i + 1]
        f[i] = beyond + F[i]
        eta[i] = M[i] + cross(s[i + 1], beyond) + cross(links[i].r, F[i]) + A[i + 1] @ eta[i + 1]
        tau[i - 1] = eta[i][2] if links[i].sigma else f[i][2]
    return tau
