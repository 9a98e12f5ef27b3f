"""Luh, Walker and Paul's Newton-Euler recursion in link frames."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.newton_euler import inwards, motions_by_vectors
from revolute.published.serial import serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, cross

__all__ = ["luh_walker_paul"]


def luh_walker_paul(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by Newton's and Euler's equations in link frames. BP Alg. 5.3, 5.2.23-5.2.24."""
    arm = serial(model, "luh_walker_paul")
    A, s = arm.poses(q)
    w, wd, sdd = motions_by_vectors(arm, A, s, qd, qdd)
    F, M = [ZERO], [ZERO]
    for i in range(1, arm.n + 1):
        link = arm.links[i]
        F.append((cross(wd[i], link.r) + cross(w[i], cross(w[i], link.r)) + sdd[i]) * link.m)
        M.append(link.I_c @ wd[i] + cross(w[i], link.I_c @ w[i]))
    return inwards(arm, A, s, F, M)
