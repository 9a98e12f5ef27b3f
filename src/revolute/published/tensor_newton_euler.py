"""Balafoutis and Patel's tensor form of the Newton-Euler recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from revolute.model.model import Model
from revolute.published.serial import SerialLink, along_z, serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import angular_acceleration, euler_moment
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, tilde

__all__ = ["by_accelerations", "tensor_newton_euler"]


def tensor_newton_euler(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Inverse dynamics with the angular-acceleration tensor. BP Alg. 5.6, 5.3.7-5.3.8.

    Args:
        model: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    return by_accelerations("tensor_newton_euler", _euler, model, q, qd, qdd)


def _euler(link: SerialLink, w: Vector, wd: Vector, Omega: Matrix) -> Vector:
    """Euler's equation with the Euler tensor. BP 5.3.7g-h."""
    return euler_moment(Omega, link.J_c)


def by_accelerations(
    name: str, euler: Callable[[SerialLink, Vector, Vector, Matrix], Vector], model: Model, q: Sequence[Scalar],
    qd: Sequence[Scalar], qdd: Sequence[Scalar],
) -> list[Scalar]:
    """BP 5.3.7-5.3.8 with M_C = euler(link, w, wd, Omega), the moment about a link's centre of mass.

    Args:
        name: of the formulation, for messages.
        euler: Euler's equation.
        model, q, qd, qdd: as for `tensor_newton_euler`.
    """
    arm = serial(model, name)
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    w, wd, sdd, F, M = ([ZERO] * (n + 1) for _ in range(5))
    Omega: list[Matrix] = [tilde(ZERO)] * (n + 1)
    sdd[0] = -arm.gravity
    for i in range(n):
        link, AT = links[i + 1], A[i + 1].T
        w_before = AT @ w[i]
        w[i + 1], wd[i + 1] = w_before, AT @ wd[i]
        sdd[i + 1] = AT @ (sdd[i] + Omega[i] @ s[i + 1])
        if link.sigma:
            w[i + 1] += along_z(qd[i])
            wd[i + 1] += cross(w_before, along_z(qd[i])) + along_z(qdd[i])
        else:
            sdd[i + 1] += cross(w_before, along_z(qd[i])) * 2 + along_z(qdd[i])
        Omega[i + 1] = angular_acceleration(w[i + 1], wd[i + 1])
        F[i + 1] = (Omega[i + 1] @ link.r + sdd[i + 1]) * link.m
        M[i + 1] = euler(link, w[i + 1], wd[i + 1], Omega[i + 1])

    f, eta = [ZERO] * (n + 2), [ZERO] * (n + 2)
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        beyond: Vector = A[i + 1] @ f[i + 1]
        f[i] = beyond + F[i]
        eta[i] = M[i] + cross(s[i + 1], beyond) + cross(links[i].r, F[i]) + A[i + 1] @ eta[i + 1]
        tau[i - 1] = eta[i][2] if links[i].sigma else f[i][2]
    return tau
