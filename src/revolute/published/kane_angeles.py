"""Angeles, Ma and Rojas' form of Kane's equations."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.newton_euler import motions_by_vectors
from revolute.published.serial import serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, cross, dot

__all__ = ["kane_angeles"]


def kane_angeles(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by projection on partial velocities. BP 5.2.36-5.2.37; Angeles, Ma & Rojas 1989.

        tau_i = z_i . sum_{j>=i} (M_Cj + m_j r_ij x rdd_0j)        revolute
        tau_i = z_i . sum_{j>=i} m_j rdd_0j                        prismatic

    with the accelerations of Luh, Walker and Paul (BP 5.2.23), and the sums expressed in the base frame.
    """
    arm = serial(model, "kane_angeles")
    n, links = arm.n, arm.links
    W, origin = arm.in_base(q)
    z = [R.T[2] for R in W]  # the joint axes
    A, s = arm.poses(q)
    w, wd, sdd = motions_by_vectors(arm, A, s, qd, qdd)
    centre, M_C, ma = [ZERO], [ZERO], [ZERO]
    for j in range(1, n + 1):
        link = links[j]
        rdd = cross(wd[j], link.r) + cross(w[j], cross(w[j], link.r)) + sdd[j]
        centre.append(origin[j] + W[j] @ link.r)
        M_C.append(W[j] @ (link.I_c @ wd[j] + cross(w[j], link.I_c @ w[j])))
        ma.append(W[j] @ (rdd * link.m))

    tau: list[Scalar] = []
    for i in range(1, n + 1):
        total = ZERO
        for j in range(i, n + 1):
            total += M_C[j] + cross(centre[j] - origin[i], ma[j]) if links[i].sigma else ma[j]
        tau.append(dot(z[i], total))
    return tau
