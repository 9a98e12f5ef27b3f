"""Garofalo, Ott and Albu-Schaeffer's closed forms with body Jacobians."""

from revolute.dynamics.kinematics import in_child, poses_in_parents
from revolute.dynamics.regressor import body_jacobians
from revolute.model.model import Model
from revolute.published.serial import along_z, serial
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Twist


def garofalo(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics from the closed forms of M, C and g. GOA 5-6, 26-28.

        M = sum_k J_k^T Lambda_k J_k
        C = sum_k J_k^T ((Lambda_k adj_k - adj_k^T Lambda_k) J_k + Lambda_k Jd_k)
        g = sum_k J_k^T Lambda_k Ad_0k^-1 gamma_0

    with recursive Jacobians; gamma_0 is the upward acceleration of the base that represents gravity.
    """
    arm = serial(model, "garofalo")
    n = arm.n
    gamma = Twist(ZERO, -arm.gravity)
    J: list[Twist] = []
    Jd: list[Twist] = []
    M = [[0] * n for _ in range(n)]
    C = [[0] * n for _ in range(n)]
    g: list[Scalar] = [0] * n
    for k in range(1, n + 1):
        link = arm.links[k]
        X = link.pose(q[k - 1])
        Xi = Twist(along_z(1), ZERO) if link.sigma else Twist(ZERO, along_z(1))
        moved = [in_child(X, column) for column in J]
        Jd = [in_child(X, d) - (Xi * qd[k - 1]).cross(m) for d, m in zip(Jd, moved, strict=True)]
        Jd.append(Twist(ZERO, ZERO))
        J = [*moved, Xi]
        gamma = in_child(X, gamma)
        v = J[0] * qd[0]
        for i in range(1, k):
            v += J[i] * qd[i]
        weight = link.inertia.momentum(gamma)
        for j in range(k):
            LJ = link.inertia.momentum(J[j])
            rate = link.inertia.momentum(v.cross(J[j]) + Jd[j]) + v.cross_force(LJ)
            for i in range(k):
                M[i][j] += J[i].power(LJ)
                C[i][j] += J[i].power(rate)
            g[j] += J[j].power(weight)
    tau = []
    for i in range(n):
        tau_i = g[i]
        for j in range(n):
            tau_i += M[i][j] * qdd[j] + C[i][j] * qd[j]
        tau.append(tau_i)
    return tau


def closed_form_mass_matrix(model: Model, q: Scalars) -> Rows:
    """M = sum_k J_k^T Lambda_k J_k, of a tree with any joints. GOA 6a, 26-27.

    See also LP 9.60-9.61; JIN 36-37; GOA Algorithm; SHV 6.50-6.53.
    """
    M: Rows = [[0] * model.nv for _ in range(model.nv)]
    for body, J in zip(model.bodies, body_jacobians(model, poses_in_parents(model, q)), strict=True):
        for i, column in J.items():
            momentum = body.inertia.momentum(column)
            for j in J:
                if j <= i:
                    M[i][j] = M[i][j] + J[j].power(momentum)
                    M[j][i] = M[i][j]
    return M
