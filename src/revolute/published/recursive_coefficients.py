"""Vukobratovic, Li and Kircanski's coefficients, by recursion along the links."""

from revolute.model.model import Model
from revolute.published.serial import Arm, along_z, serial
from revolute.spatial import ZERO, Matrix, Rotation, Scalar, Scalars, Vector, cross, dot, tilde
from revolute.spatial.tensors import euler_of_inertia, point_inertia, twice_symmetric


def recursive_coefficients(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics from coefficients d, c and G, each computed once. BP 5.2.17-5.2.20; Vukobratovic et al. 1985.

    Joints are revolute. All vectors of joint i are expressed in the frame of link i, where z_i = (0, 0, 1). The axes
    z_k and offsets s_ki of earlier joints are passed from link to link, the moments E_i and U_i from the tip. With
    lever_j = z_j x s_ji, turning_k = -z_i x (J_i z_k), J_i = tr(E_i)/2 1 - E_i, and pushing_k = z_k x (z_i x U_i),

        d_ij = z_i . E_i z_j + (z_i x U_i) . lever_j                     j <= i
        c_ik(j) = z_j . turning_k + lever_j . pushing_k,                 j < i, k <= i
        c_jk(i) = -c_ik(j),    c_ik(i) = 0                               k <= j < i

    BP prints the coefficients and the count, but not this order of evaluation.
    """
    arm = serial(model, "recursive_coefficients", ("revolute",))
    n, (A, s) = arm.n, arm.poses(q)
    E, U = _moments(arm, A, s)
    z: list[Vector] = []
    offset: list[Vector] = []  # offsets s_ki from earlier joints
    g = arm.gravity
    tau: list[Scalar] = [0] * n
    for i in range(n):
        AT = A[i + 1].T
        z = [*(AT @ x for x in z), along_z(1)]
        offset = [*(AT @ (x + s[i + 1]) for x in offset), ZERO]
        g = AT @ g
        J, arm_i = euler_of_inertia(E[i]), cross(z[i], U[i])
        lever = [cross(x, y) for x, y in zip(z, offset, strict=True)]
        turning = [cross(J @ x, z[i]) for x in z]
        pushing = [cross(x, arm_i) for x in z]

        tau[i] -= dot(z[i], cross(U[i], g))
        for j in range(i + 1):
            d = dot(E[i][2], z[j]) + dot(arm_i, lever[j])
            tau[i] += d * qdd[j]
            if j < i:
                tau[j] += d * qdd[i]
        for j in range(i):
            c = [(dot(z[j], turning[k]) + dot(lever[j], pushing[k])) * qd[k] for k in range(i + 1)]
            before = sum(c[:j])
            tau[i] -= (before * 2 + c[j]) * qd[j]
            tau[j] += ((before + sum(c[j + 1 : i], c[j])) * 2 + c[i]) * qd[i]
    return tau


def _moments(arm: Arm, A: list[Rotation], s: list[Vector]) -> tuple[list[Matrix], list[Vector]]:
    """Inertia E and first moment U of the generalised links about o_i, in link frames. BP 5.2.20."""
    E, U = [tilde(ZERO)] * (arm.n + 1), [ZERO] * (arm.n + 1)
    m: Scalar = 0
    for i in range(arm.n, 0, -1):
        link, beyond = arm.links[i], A[i + 1] @ U[i]
        K = link.I_o + point_inertia(m, s[i + 1])
        E[i - 1] = K + A[i + 1].conjugate(E[i]) - twice_symmetric(s[i + 1], beyond)
        U[i - 1] = link.n + s[i + 1] * m + beyond
        m = m + link.m
    return E, U
