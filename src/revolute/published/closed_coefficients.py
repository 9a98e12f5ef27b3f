"""Renaud's and Vukobratovic's closed coefficients of generalised links."""

from revolute.model.model import Model
from revolute.published.serial import serial
from revolute.spatial import ZERO, Matrix, Scalar, Scalars, Vector, cross, dot, tilde
from revolute.spatial.tensors import euler_of_inertia, point_inertia, tensor_product


def closed_coefficients(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics from the coefficients d, c and G. BP 5.2.17-5.2.20; Renaud 1975, Vukobratovic et al. 1985.

        tau_i = sum_j d_ij qdd_j + sum_jk c_jk(i) qd_j qd_k + G_i

    The joints must be revolute. All tensors are expressed in the base frame. The printed d_ij holds for
    j <= i, and c_ik(j) for k <= i and j <= i. For j > i >= k, joint j carries the generalised link, and c_ik(j) =
    -c_jk(i), because d_ij does not depend on q_k then. (BP 5.2.19c prints G_i = z_i . (r_ii x mbar_i g), with the
    centre of mass of one link instead of the generalised link, and the opposite sign; G_i = -z_i . (U_i x g).)
    """
    arm = serial(model, "closed_coefficients", ("revolute",))
    n = arm.n
    W, s = arm.in_base(q)
    z = [R.T[2] for R in W]  # unit vectors along the joint axes

    E, U = [tilde(ZERO)] * (n + 2), [ZERO] * (n + 2)
    m: Scalar = 0
    for i in range(n, 0, -1):
        link = arm.links[i]
        E[i], U[i] = W[i] @ link.I_o @ W[i].T, W[i] @ link.n
        if i < n:
            step = s[i + 1] - s[i]
            E[i] = E[i] + E[i + 1] + _crossed(U[i + 1], step) + point_inertia(m, step)
            U[i] = U[i] + U[i + 1] + step * m
        m = m + link.m

    def d(i: int, j: int) -> Scalar:
        i, j = max(i, j), min(i, j)
        return dot(z[i], E[i] @ z[j]) + dot(z[i], cross(U[i], cross(z[j], s[i] - s[j])))

    def c(i: int, k: int, j: int) -> Scalar:
        i, k = max(i, k), min(i, k)
        if j > i:
            return -c(j, k, i)
        euler = cross(z[i], (euler_of_inertia(E[i]) @ z[k]) * -1)
        return dot(z[j], euler) + dot(z[j], cross(s[i] - s[j], cross(z[k], cross(z[i], U[i]))))

    tau: list[Scalar] = []
    for i in range(1, n + 1):
        tau_i = -dot(z[i], cross(U[i], arm.gravity))
        for j in range(1, n + 1):
            tau_i += d(i, j) * qdd[j - 1]
            for k in range(1, n + 1):
                tau_i += qd[j - 1] * c(j, k, i) * qd[k - 1]
        tau.append(tau_i)
    return tau


def _crossed(U: Vector, s: Vector) -> Matrix:
    """2 (U.s) 1 - s U^T - U s^T, the part of the shifted inertia that is linear in the shift. BP 5.2.20a."""
    twice = dot(U, s) * 2
    isotropic = Matrix(((twice, 0, 0), (0, twice, 0), (0, 0, twice)))
    return isotropic - tensor_product(s, U) - tensor_product(U, s)
