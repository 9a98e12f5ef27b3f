"""Angeles, Ma and Rojas' form of Kane's equations, with recursive sums."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.newton_euler import inwards, motions_by_tensors
from revolute.published.serial import serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import cross

__all__ = ["kane_recursive"]


def kane_recursive(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by BP 5.2.36-5.2.37, from the tip to the base. Angeles, Ma & Rojas 1989.

    With f_i = sum_{j>=i} m_j rdd_0j and eta_i = sum_{j>=i} (M_Cj + m_j r_ij x rdd_0j), in link frames,

        f_i = F_i + A f_{i+1}
        eta_i = M_Ci + r_ii x F_i + A eta_{i+1} + s_{i,i+1} x A f_{i+1}

    and also recursive accelerations. BP prints the sums and the count. This order of evaluation has the printed 105
    multiplications per joint: accelerations by the tensor Omega of BP 5.3.7, Euler's equation in vectors.
    """
    arm = serial(model, "kane_recursive")
    A, s = arm.poses(q)
    w, wd, sdd, Omega = motions_by_tensors(arm, A, s, qd, qdd)
    F = [(x @ link.r + a) * link.m for x, link, a in zip(Omega, arm.links, sdd, strict=True)]
    M = [link.I_c @ b + cross(a, link.I_c @ a) for link, a, b in zip(arm.links, w, wd, strict=True)]
    return inwards(arm, A, s, F, M)
