"""Lynch and Park's stacked matrices of all links."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.lynch_park import poses, screw
from revolute.published.matrices import Rows, adjoint, blocks, times, transpose
from revolute.published.serial import serial
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import IDENTITY, ZERO, tilde

__all__ = ["lynch_park_stacked"]


def lynch_park_stacked(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Inverse dynamics in closed form with the stacked matrices. LP 9.62-9.84.

        tau = A^T L^T (G L A qdd - (G L [ad_A qd] Gamma + [ad_V]^T G) L A qd + G L Vd_base)

    with L = (1 - Gamma)^-1 of the adjoints between all pairs of links. Evaluation from right to left needs only
    matrix-vector products. (LP 9.73, 9.78 and 9.83 print [ad_A qd] with a plus; LP 9.48 has [V, A qd] = -[ad_A qd] V.)
    """
    arm = serial(model, "lynch_park_stacked")
    n, links = arm.n, arm.links[1:]
    T = poses(arm, q)
    L = [[_identity()] for _ in range(n)]  # row i: [Ad_{T_i1}, ..., 1]
    for i in range(1, n):
        pose = Transform()
        for j in range(i - 1, -1, -1):
            pose = T[j + 2] @ pose
            L[i].insert(0, adjoint(pose.inverse()))

    def gamma(x: Sequence[Scalar]) -> list[Scalar]:
        return [0] * 6 + [y for i in range(1, n) for y in times(L[i][i - 1], x[6 * i - 6 : 6 * i])]

    def l_times(x: Sequence[Scalar]) -> list[Scalar]:
        rows = [tuple(entry for block in L[i] for entry in block[k]) for i in range(n) for k in range(6)]
        return [y for row in rows for y in times((row,), x[: len(row)])]

    def l_transposed(x: Sequence[Scalar]) -> list[Scalar]:
        columns = [tuple(row[k] for i in range(j, n) for row in L[i][j]) for j in range(n) for k in range(6)]
        return [y for column in columns for y in times((column,), x[len(x) - len(column) :])]

    def each(matrices: Sequence[Rows], x: Sequence[Scalar]) -> list[Scalar]:
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


def _ad(V: Sequence[Scalar]) -> Rows:
    """[ad_V]. LP 9.29, 9.66."""
    w, v = tilde(V[:3]), tilde(V[3:])
    return blocks(w, tilde(ZERO), v, w)


def _identity() -> Rows:
    zero = tilde(ZERO)
    return blocks(IDENTITY, zero, zero, IDENTITY)
