"""Lynch and Park's stacked matrices of all links: inverse dynamics and the mass matrix."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.lynch_park import poses, screw
from revolute.published.matrices import Rows, adjoint, blocks, product, spatial_inertia, times, transpose
from revolute.published.serial import serial
from revolute.spatial import Inertia, Transform
from revolute.spatial.scalar import Scalar, Scalars
from revolute.spatial.vectors import IDENTITY, ZERO, tilde


def lynch_park_stacked(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics in closed form with the stacked matrices. LP 9.62-9.84.

        tau = A^T L^T (G L A qdd - (G L [ad_A qd] Gamma + [ad_V]^T G) L A qd + G L Vd_base)

    with L = (1 - Gamma)^-1 of the adjoints between all pairs of links. Evaluation from right to left needs only
    matrix-vector products. (LP 9.73, 9.78 and 9.83 print [ad_A qd] with a plus; LP 9.48 has [V, A qd] = -[ad_A qd] V.)
    """
    arm = serial(model, "lynch_park_stacked")
    n, links = arm.n, arm.links[1:]
    T = poses(arm, q)
    L = [[_identity()] for _ in range(n)]  # row i is [Ad_{T_i1}, ..., 1]
    for i in range(1, n):
        pose = Transform()
        for j in range(i - 1, -1, -1):
            pose = T[j + 2] @ pose
            L[i].insert(0, adjoint(pose.inverse()))

    def gamma(x: Scalars) -> list[Scalar]:
        return [0] * 6 + [y for i in range(1, n) for y in times(L[i][i - 1], x[6 * i - 6 : 6 * i])]

    def l_times(x: Scalars) -> list[Scalar]:
        rows = [tuple(entry for block in L[i] for entry in block[k]) for i in range(n) for k in range(6)]
        return [y for row in rows for y in times((row,), x[: len(row)])]

    def l_transposed(x: Scalars) -> list[Scalar]:
        columns = [tuple(row[k] for i in range(j, n) for row in L[i][j]) for j in range(n) for k in range(6)]
        return [y for column in columns for y in times((column,), x[len(x) - len(column) :])]

    def each(matrices: Sequence[Rows], x: Scalars) -> list[Scalar]:
        return [y for i in range(n) for y in times(matrices[i], x[6 * i : 6 * i + 6])]

    A = [(*twist.ang, *twist.lin) for twist in map(screw, links)]
    G = [blocks(link.I_c, tilde(ZERO), tilde(ZERO), IDENTITY * link.m) for link in links]
    A_qd = [a * qd[i] for i in range(n) for a in A[i]]
    A_qdd = [a * qdd[i] for i in range(n) for a in A[i]]
    base = [*times(adjoint(T[1].inverse()), (0, 0, 0, *-arm.gravity)), *[0] * (6 * n - 6)]

    V = l_times(A_qd)
    ad_A = [_ad(A_qd[6 * i : 6 * i + 6]) for i in range(n)]
    ad_V = [transpose(_ad(V[6 * i : 6 * i + 6])) for i in range(n)]
    inertial = each(G, l_times(A_qdd))
    driven, carried = each(G, l_times(each(ad_A, gamma(V)))), each(ad_V, each(G, V))
    weight = each(G, l_times(base))
    F = l_transposed([a - (b + c) + d for a, b, c, d in zip(inertial, driven, carried, weight, strict=True)])
    return [times((A[i],), F[6 * i : 6 * i + 6])[0] for i in range(n)]


def _ad(V: Scalars) -> Rows:
    """[ad_V]. LP 9.29, 9.66."""
    w, v = tilde(V[:3]), tilde(V[3:])
    return blocks(w, tilde(ZERO), v, w)


def _identity() -> Rows:
    zero = tilde(ZERO)
    return blocks(IDENTITY, zero, zero, IDENTITY)


def stacked_mass_matrix(model: Model, q: Scalars) -> list[list[Scalar]]:
    """M = A^T L^T G L A. LP 9.62-9.76, 9.82.

    The diagonal of A contains the joint screws and that of G the link inertias; L contains the adjoint [Ad_Tij] of
    every link j before link i. Link frames are at the centres of mass.
    """
    arm = serial(model, "stacked_mass_matrix")
    n, links, T = arm.n, arm.links[1:], poses(arm, q)
    zero, one = ((0,) * 6,) * 6, tuple(tuple(int(i == j) for j in range(6)) for i in range(6))
    L: list[list[Rows]] = [[zero] * n for _ in range(n)]
    G: list[list[Rows]] = [[zero] * n for _ in range(n)]
    for i, link in enumerate(links):
        step = adjoint(T[i + 1].inverse())  # the adjoint of T_{i,i-1}
        L[i] = [*(product(step, L[i - 1][j]) for j in range(i)), one, *L[i][i + 1 :]]
        G[i][i] = spatial_inertia(Inertia(link.m, ZERO, link.I_c))
    screws = enumerate(map(screw, links))
    stacked_A = transpose(tuple((0,) * (6 * i) + (*A.ang, *A.lin) + (0,) * (6 * (n - 1 - i)) for i, A in screws))
    LA = product(_stacked(L), stacked_A)
    return [list(row) for row in product(transpose(LA), product(_stacked(G), LA))]


def _stacked(parts: list[list[Rows]]) -> Rows:
    """The matrix composed of these blocks."""
    return tuple(sum(pieces, ()) for row in parts for pieces in zip(*row, strict=True))
