"""Featherstone's composite rigid bodies and articulated bodies, in spatial notation."""

from revolute.model.model import Model
from revolute.published.matrices import adjoint, dot, less, plus, product, spatial_inertia, times, transpose
from revolute.published.serial import along_z, serial
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Transform, Twist, Vector


def spatial_composite_bodies(model: Model, q: Scalars) -> Rows:
    """Mass matrix by composite rigid bodies, in spatial notation. BP section 6.2; Featherstone 1987; RBDA 6.2.

        Ic_i = I_i + X_{i+1}^T Ic_{i+1} X_{i+1}
        F = Ic_i S_i,    D_ji = S_j . X^T ... X^T F
    """
    arm = serial(model, "spatial_composite_bodies")
    n, (A, s) = arm.n, arm.poses(q)
    down = [transpose(adjoint(Transform(A[i], s[i]).inverse())) for i in range(n + 1)]
    axis = [2 if link.sigma else 5 for link in arm.links]
    D: Rows = [[0] * n for _ in range(n)]
    Ic = [spatial_inertia(link.inertia) for link in arm.links]
    for i in range(n, 0, -1):
        F: Scalars = [row[axis[i]] for row in Ic[i]]
        D[i - 1][i - 1] = F[axis[i]]
        for j in range(i - 1, 0, -1):
            F = times(down[j + 1], F)
            D[j - 1][i - 1] = D[i - 1][j - 1] = F[axis[j]]
        Ic[i - 1] = plus(Ic[i - 1], product(product(down[i], Ic[i]), transpose(down[i])))
    return D


def articulated_bodies(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """Forward dynamics by articulated bodies in spatial notation. BP section 6.2; Featherstone 1983; RBDA 7.3.

        IA_i = I_i + X* (IA - U U^T / D) X,      U = IA S,  D = S^T U,  u = tau - S^T pA
        pA_i = v x* I v + X* (pA + (IA - U U^T / D) c + U u / D),      c = v x S qd
        a' = X a + c,    qdd = (u - U^T a') / D,    a = a' + S qdd
    """
    arm = serial(model, "articulated_bodies")
    n, (A, s) = arm.n, arm.poses(q)
    X = [adjoint(Transform(A[i], s[i]).inverse()) for i in range(n + 1)]
    axis = [2 if link.sigma else 5 for link in arm.links]

    v: Rows = [[0] * 6 for _ in range(n + 1)]
    c, pA = list(v), list(v)
    IA = [spatial_inertia(link.inertia) for link in arm.links]
    for i in range(1, n + 1):
        S = Twist(along_z(qd[i - 1]), ZERO) if arm.links[i].sigma else Twist(ZERO, along_z(qd[i - 1]))
        carried = times(X[i], v[i - 1])
        V = Twist(Vector(carried[:3]), Vector(carried[3:])) + S
        crossed, bias = V.cross(S), V.cross_force(arm.links[i].inertia.momentum(V))
        v[i], c[i], pA[i] = ([*x.ang, *x.lin] for x in (V, crossed, bias))

    U: Rows = [[] for _ in range(n + 1)]
    u: list[Scalar] = [0] * (n + 1)
    share: list[Scalar] = [0] * (n + 1)
    for i in range(n, 0, -1):
        U[i] = [row[axis[i]] for row in IA[i]]
        share[i] = 1 / U[i][axis[i]]
        u[i] = tau[i - 1] - pA[i][axis[i]]
        Ia = less(IA[i], tuple(tuple(x * (y * share[i]) for y in U[i]) for x in U[i]))
        uD = u[i] * share[i]
        pa = [p + h + x * uD for p, h, x in zip(pA[i], times(Ia, c[i]), U[i], strict=True)]
        IA[i - 1] = plus(IA[i - 1], product(transpose(X[i]), product(Ia, X[i])))
        pA[i - 1] = [p + h for p, h in zip(pA[i - 1], times(transpose(X[i]), pa), strict=True)]

    a: list[Scalar] = [*ZERO, *-arm.gravity]
    qdd: list[Scalar] = []
    for i in range(1, n + 1):
        a = [x + y for x, y in zip(times(X[i], a), c[i], strict=True)]
        qdd.append((u[i] - dot(U[i], a)) * share[i])
        a[axis[i]] = a[axis[i]] + qdd[-1]
    return qdd
