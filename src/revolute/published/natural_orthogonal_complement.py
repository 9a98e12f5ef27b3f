"""Angeles and Ma's inertia matrix and accelerations with the natural orthogonal complement."""

from revolute.errors import ModelError
from revolute.model.model import Model
from revolute.published.augmented_links import augmented_links
from revolute.published.matrices import dot
from revolute.published.serial import Arm, SerialLink, along_z, serial
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Vector, cross, sqrt
from revolute.spatial.tensors import trace


def natural_orthogonal_complement(model: Model, q: Scalars) -> Rows:
    """The mass matrix D = P^T P with P = N T. BP 6.2.10-6.2.15; Angeles & Ma 1988.

    T maps joint velocities to the twists (w, velocity of the centre of mass) of all links, and
    N^T N is block-diagonal with I_c and m 1. Here the twists are expressed in link frames.
    """
    P = _columns(model, serial(model, "natural_orthogonal_complement"), q)
    n = len(P)
    D: Rows = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):  # column i is zero for the links before joint i
            D[i][j] = D[j][i] = dot(P[i][6 * i :], P[j][6 * i :])
    return D


def orthogonal_complement_accelerations(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """Forward dynamics without D: least squares with P = Q R. BP 6.2.16-6.2.17; Angeles & Ma 1988.

    x = Q R^-T (tau - b) is the shortest solution of P^T x = tau - b, and qdd = R^-1 Q^T x is the least-squares solution
    of P qdd = x. Q is computed by the Gram-Schmidt process, from the last column to the first, so that the zeros of P
    are preserved.
    """
    Q = _columns(model, serial(model, "orthogonal_complement_accelerations"), q)
    n = len(Q)
    b = augmented_links(model, q, qd, (0,) * n)
    R: Rows = [[0] * n for _ in range(n)]  # P_j = sum of Q_i R_ij over i >= j
    share: list[Scalar] = [0] * n
    for i in range(n - 1, -1, -1):
        R[i][i] = sqrt(dot(Q[i][6 * i :], Q[i][6 * i :]))
        share[i] = 1 / R[i][i]
        Q[i] = [x * share[i] for x in Q[i]]
        for j in range(i):
            R[i][j] = dot(Q[i][6 * i :], Q[j][6 * i :])
            Q[j] = [x - y * R[i][j] for x, y in zip(Q[j], Q[i], strict=True)]
    y: list[Scalar] = [0] * n  # R^-T (tau - b)
    for i in range(n - 1, -1, -1):
        y[i] = (tau[i] - b[i] - dot([R[k][i] for k in range(i + 1, n)], y[i + 1 :])) * share[i]
    x = [dot(row, y) for row in zip(*Q, strict=True)]
    qdd: list[Scalar] = []
    for i in range(n):
        qdd.append((dot(Q[i][6 * i :], x[6 * i :]) - dot(R[i][:i], qdd)) * share[i])
    return qdd


def _columns(model: Model, arm: Arm, q: Scalars) -> Rows:
    """The n columns of P = N T, each with 6n entries."""
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    P: Rows = [[0] * (6 * n) for _ in range(n)]
    w, v = [ZERO] * (n + 1), [ZERO] * (n + 1)  # of frame k, for a unit velocity of each joint up to k
    for k in range(1, n + 1):
        N = _root(model, k, links[k])
        for j in range(1, k):
            w[j], v[j] = A[k].T @ w[j], A[k].T @ (v[j] + cross(w[j], s[k]))
        w[k], v[k] = (along_z(1), ZERO) if links[k].sigma else (ZERO, along_z(1))
        for j in range(1, k + 1):
            turning = (dot(column, w[j]) for column in zip(*N, strict=True))
            moving: Vector = (v[j] + cross(w[j], links[k].r)) * sqrt(links[k].m)
            P[j - 1][6 * k - 6 : 6 * k] = [*turning, *moving]
    return P


def _root(model: Model, k: int, link: SerialLink) -> Rows:
    """The lower triangle N^T with I_c = N^T N. For rods and points, some columns are zero."""
    tolerance = 1e-12 * trace(link.I_o)
    N: Rows = [[0] * 3 for _ in range(3)]
    for j in range(3):
        square = link.I_c[j][j] - dot(N[j][:j], N[j][:j])
        if isinstance(square, (int, float)) and (square < -tolerance or link.m < 0):
            raise ModelError(
                f"the natural orthogonal complement needs physically consistent bodies; link '{model.bodies[k].name}' "
                f"of '{model.name}' has mass {link.m:g} and an inertia about its centre that is not positive "
                "semidefinite"
            )
        if not isinstance(square, (int, float)) or square > tolerance:
            N[j][j] = sqrt(square)
            for i in range(j + 1, 3):
                N[i][j] = (link.I_c[i][j] - dot(N[i][:j], N[j][:j])) / N[j][j]
    return N
