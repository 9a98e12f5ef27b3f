"""Newton-Euler recursions in link frames, by Luh, Walker and Paul, by Khalil, and in tensors by Balafoutis and Patel.

All quantities are expressed in link frames. Entry i belongs to link i, as in BP; entry 0 is the base, which accelerates
against gravity. Several formulations share the outward recursion of motions, and the inward recursion of forces and
moments.
"""

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import Arm, along_z, serial
from revolute.spatial import ZERO, Matrix, Rotation, Scalar, Scalars, Vector, cross, tilde
from revolute.spatial.tensors import angular_acceleration, euler_moment

Vectors = list[Vector]


def luh_walker_paul(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
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


def tensor_newton_euler(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics with the angular-acceleration tensor. BP Alg. 5.6, 5.3.7-5.3.8."""
    arm = serial(model, "tensor_newton_euler")
    A, s = arm.poses(q)
    _, _, sdd, Omega = motions_by_tensors(arm, A, s, qd, qdd)
    F = [(x @ link.r + a) * link.m for x, link, a in zip(Omega, arm.links, sdd, strict=True)]
    M = [euler_moment(x, link.J_c) for x, link in zip(Omega, arm.links, strict=True)]  # BP 5.3.7g-h
    return inwards(arm, A, s, F, M)


def khalil(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
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


def motions_by_vectors(
    arm: Arm, A: Sequence[Rotation], s: Vectors, qd: Scalars, qdd: Scalars
) -> tuple[Vectors, Vectors, Vectors]:
    """Angular velocities w, their time derivatives wd, and accelerations sdd of the frame origins. BP 5.2.23a-c."""
    w, wd, sdd = ([ZERO] * (arm.n + 1) for _ in range(3))
    sdd[0] = -arm.gravity
    for i in range(arm.n):
        sdd[i + 1] = sdd[i] + cross(wd[i], s[i + 1]) + cross(w[i], cross(w[i], s[i + 1]))
        _next_link(arm, A, qd, qdd, i, w, wd, sdd)
    return w, wd, sdd


def motions_by_tensors(
    arm: Arm, A: Sequence[Rotation], s: Vectors, qd: Scalars, qdd: Scalars
) -> tuple[Vectors, Vectors, Vectors, list[Matrix]]:
    """w, wd and sdd as in BP 5.2.23, and the angular-acceleration tensors Omega that yield sdd. BP 5.3.7a-d."""
    w, wd, sdd = ([ZERO] * (arm.n + 1) for _ in range(3))
    Omega: list[Matrix] = [tilde(ZERO)] * (arm.n + 1)
    sdd[0] = -arm.gravity
    for i in range(arm.n):
        sdd[i + 1] = sdd[i] + Omega[i] @ s[i + 1]
        _next_link(arm, A, qd, qdd, i, w, wd, sdd)
        Omega[i + 1] = angular_acceleration(w[i + 1], wd[i + 1])
    return w, wd, sdd, Omega


def _next_link(
    arm: Arm, A: Sequence[Rotation], qd: Scalars, qdd: Scalars, i: int, w: Vectors, wd: Vectors, sdd: Vectors
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
