"""Balafoutis and Patel's sensitivity matrices of the linearised joint-space model."""

from collections.abc import Iterator

from revolute.model.model import Model
from revolute.published.augmented_links import Nominal, nominal
from revolute.published.serial import along_z
from revolute.spatial import ZERO, Matrix, Rows, Scalar, Scalars, Vector, cross, dot, tilde
from revolute.spatial.tensors import twice_symmetric

Z = along_z(1)  # the joint axis in its link frame


def sensitivity(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> tuple[Rows, Rows, Rows]:
    """D, V, P = dtau/dqdd, dtau/dqd, dtau/dq. BP Alg. 7.1, 7.3.18-7.3.19, on Alg. 5.7.

    See also BP section 7.3, Table 7.1-7.2.
    """
    return sensitivity_of_nominal(nominal(model, q, qd, qdd, "sensitivity"))


def sensitivity_of_nominal(it: Nominal) -> tuple[Rows, Rows, Rows]:
    """D, V and P from the quantities `it`. BP Alg. 7.1, as counted in Tables 7.1-7.2.

    With x from o_i to the mass points that joint i carries, U = sum m x,
    E = -sum m tilde(x) tilde(x) and L = sum m tilde(x) tilde(xd). B, C, H and G are moments at joint j for unit changes
    at joints j and i; f are the corresponding forces. (Many derivative dots are missing in print: those here follow
    from 7.3.3-7.3.4 and the definitions.)

    BP prints and counts only revolute joints. If joint i is prismatic, all these points move along z instead of z x x;
    if joint j is prismatic, its force is the component of f along z.
    """
    A, s, sd, n = it.A, it.s, it.sd, len(it.A) - 2
    D, V, P = ([[0] * n for _ in range(n)] for _ in range(3))
    for i, (U, Ud, E, L) in generalized_moments(it):
        zd, zdd = cross(it.w[i], Z), it.Omega[i] @ Z
        if it.sigma[i]:
            f = cross(Z, U)
            f_first = cross(U, zd) + cross(Ud, Z)  # 7.3.18f
            f_second = cross(U, zdd) + cross(Ud, zd) * 2 + cross(it.Udd[i], Z)  # 7.3.18g
            B, C = E @ Z, L.T @ Z
            H = E @ zd - L @ Z  # 7.3.18j
            G = E @ zdd - (L @ zd) * 2 + cross(U, cross(it.sdd[i], Z)) - cross(it.eta[i], Z)  # 7.3.18k
        else:
            f, f_first, f_second = Z * it.m[i], -zd * it.m[i], -zdd * it.m[i]
            B, C, H = cross(U, Z), cross(Z, Ud), cross(U, zd)
            G = cross(U, zdd) + cross(Z, it.sdd[i] * it.m[i] + it.Udd[i])
        D[i - 1][i - 1] = _along(it, i, B, f)
        V[i - 1][i - 1] = _by_velocity(it, i, f, B, C)  # 7.3.18m
        P[i - 1][i - 1] = _by_position(it, i, f, B, C)  # 7.3.18n

        for j in range(i - 1, 0, -1):
            f = A[j + 1] @ f  # 7.3.19a
            f_first = A[j + 1] @ f_first  # 7.3.19b
            f_second = A[j + 1] @ f_second  # 7.3.19c
            B = A[j + 1] @ B - cross(f, s[j + 1])  # 7.3.19d
            C = A[j + 1] @ C + cross(f, sd[j + 1])  # 7.3.19e
            H = A[j + 1] @ H - cross(s[j + 1], f_first)  # 7.3.19f
            G = A[j + 1] @ G - cross(s[j + 1], f_second)  # 7.3.19g
            D[i - 1][j - 1] = D[j - 1][i - 1] = _along(it, j, B, f)
            V[i - 1][j - 1] = _by_velocity(it, j, f, B, C)  # 7.3.19j
            V[j - 1][i - 1] = 2 * _along(it, j, H, -f_first)  # 7.3.19k
            P[i - 1][j - 1] = _by_position(it, j, f, B, C)  # 7.3.19l
            P[j - 1][i - 1] = _along(it, j, G, -f_second)
    return D, V, P


def generalized_moments(it: Nominal) -> Iterator[tuple[int, tuple[Vector, Vector, Matrix, Matrix]]]:
    """Links from the last to the first, each with U, Ud, E and L. BP Alg. 7.1, 7.3.18a-d; see also BP C.15-C.17."""
    A, s, sd, n = it.A, it.s, it.sd, len(it.A) - 2
    U, Ud, E, L = ZERO, ZERO, tilde(ZERO), tilde(ZERO)
    for i in range(n, 0, -1):
        U_beyond = A[i + 1] @ U  # 7.3.18a
        Ud_beyond = A[i + 1] @ (Ud + it.p[i + 1])  # 7.3.18b
        E = it.K[i] - twice_symmetric(s[i + 1], U_beyond) + A[i + 1].conjugate(E)  # 7.3.18c
        between = _skew_product(s[i + 1], Ud_beyond) + _skew_product(U_beyond, sd[i + 1])  # 7.3.18d
        L = tilde(it.w[i]) @ it.K_hat[i] + between + A[i + 1].conjugate(L)  # 7.3.18d
        U = it.u[i] + U_beyond  # 7.3.18a
        Ud = cross(it.w[i], it.u[i]) + Ud_beyond  # 7.3.18b
        yield i, (U, Ud, E, L)


def _along(it: Nominal, j: int, moment: Vector, force: Vector) -> Scalar:
    """The force of joint j due to a wrench at o_j: the component of the moment, or of the force, along z."""
    return moment[2] if it.sigma[j] else force[2]


def _by_velocity(it: Nominal, j: int, f: Vector, B: Vector, C: Vector) -> Scalar:
    """dtau_i/dqd_j for j <= i: points have the additional acceleration 2 (zd x x + z x xd), or 2 zd."""
    zd = cross(it.w[j], Z)
    return 2 * (dot(B, zd) - C[2]) if it.sigma[j] else 2 * dot(f, zd)


def _by_position(it: Nominal, j: int, f: Vector, B: Vector, C: Vector) -> Scalar:
    """dtau_i/dq_j for j <= i: relative to link j, points accelerate by additional zdd x x + 2 zd x xd + sdd x z, or
    zdd."""
    zd, zdd = cross(it.w[j], Z), it.Omega[j] @ Z
    if not it.sigma[j]:
        return dot(f, zdd)
    return dot(B, zdd) - 2 * dot(C, zd) + dot(f, cross(it.sdd[j], Z))


def _skew_product(a: Vector, b: Vector) -> Matrix:
    """tilde(a) tilde(b) = b a^T - (a.b) 1: 9 multiplications and 3 additions. BP 3.4.10."""
    p = [[b[i] * a[j] for j in range(3)] for i in range(3)]
    xx, yy, zz = p[0][0], p[1][1], p[2][2]
    return Matrix((
        (-(yy + zz), p[0][1], p[0][2]),
        (p[1][0], -(xx + zz), p[1][2]),
        (p[2][0], p[2][1], -(xx + yy)),
    ))
