"""Recursions shared by several formulations: motions of links outwards, forces and moments inwards.

All quantities are expressed in link frames. Entry i belongs to link i, as in BP; entry 0 is the base, which accelerates
against gravity.
"""

from __future__ import annotations

from collections.abc import Sequence

from revolute.published.serial import Arm, along_z
from revolute.spatial import Rotation
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import angular_acceleration
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, tilde

__all__ = ["inwards", "motions_by_tensors", "motions_by_vectors"]

Vectors = list[Vector]


def motions_by_vectors(
    arm: Arm, A: Sequence[Rotation], s: Vectors, qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Vectors, Vectors, Vectors]:
    """Angular velocities w, their time derivatives wd, and accelerations sdd of the frame origins. BP 5.2.23a-c."""
    w, wd, sdd = ([ZERO] * (arm.n + 1) for _ in range(3))
    sdd[0] = -arm.gravity
    for i in range(arm.n):
        sdd[i + 1] = sdd[i] + cross(wd[i], s[i + 1]) + cross(w[i], cross(w[i], s[i + 1]))
        _next_link(arm, A, qd, qdd, i, w, wd, sdd)
    return w, wd, sdd


def motions_by_tensors(
    arm: Arm, A: Sequence[Rotation], s: Vectors, qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Vectors, Vectors, Vectors, list[Matrix]]:
    """The same, computed with and returned with the angular-acceleration tensors Omega. BP 5.3.7a-d."""
    w, wd, sdd = ([ZERO] * (arm.n + 1) for _ in range(3))
    Omega: list[Matrix] = [tilde(ZERO)] * (arm.n + 1)
    sdd[0] = -arm.gravity
    for i in range(arm.n):
        sdd[i + 1] = sdd[i] + Omega[i] @ s[i + 1]
        _next_link(arm, A, qd, qdd, i, w, wd, sdd)
        Omega[i + 1] = angular_acceleration(w[i + 1], wd[i + 1])
    return w, wd, sdd, Omega


def _next_link(
    arm: Arm, A: Sequence[Rotation], qd: Sequence[Scalar], qdd: Sequence[Scalar], i: int, w: Vectors, wd: Vectors,
    sdd: Vectors,
) -> None:
    """Rotate the motion of link i into frame i + 1, and add that of joint i + 1; sdd[i + 1] is given in frame i."""
    AT, rate, change = A[i + 1].T, along_z(qd[i]), along_z(qdd[i])
    w_before = AT @ w[i]
    w[i + 1], wd[i + 1], sdd[i + 1] = w_before, AT @ wd[i], AT @ sdd[i + 1]
    if arm.links[i + 1].sigma:
        w[i + 1] += rate
        wd[i + 1] += cross(w_before, rate) + change
    else:
        sdd[i + 1] += cross(w_before, rate) * 2 + change


def inwards(arm: Arm, A: Sequence[Rotation], s: Vectors, F: Vectors, M: Vectors) -> list[Scalar]:
    """Joint forces, from each link's force F and moment M at its centre of mass. BP 5.2.24, 5.3.8."""
    f, eta = ZERO, ZERO
    tau: list[Scalar] = [0] * arm.n
    for i in range(arm.n, 0, -1):
        beyond: Vector = A[i + 1] @ f
        f = beyond + F[i]
        eta = M[i] + cross(s[i + 1], beyond) + cross(arm.links[i].r, F[i]) + A[i + 1] @ eta
        tau[i - 1] = eta[2] if arm.links[i].sigma else f[2]
    return tau
