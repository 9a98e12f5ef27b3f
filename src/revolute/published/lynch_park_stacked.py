"""Lynch and Park's stacked matrices of all links: inverse dynamics and the mass matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from revolute.model.model import Model
from revolute.published.lynch_park import lynch_park_links
from revolute.published.matrices import Rows, adjoint, blocks, product, spatial_inertia, times, transpose
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar, Scalars
from revolute.spatial.vectors import IDENTITY, ZERO, tilde


@dataclass(frozen=True)
class StackedMatrices:
    """LP's stacked matrices of n links, with link frames at the centres of mass. LP 9.64-9.65, 9.68, 9.76.

    Attributes:
        A: (6n, n), the joint screws on its diagonal.
        G: (6n, 6n), the link inertias on its diagonal.
        Gamma: (6n, 6n), adjoints [Ad_{T_{i,i-1}}] below the diagonal.
        L: (6n, 6n), (1 - Gamma)^-1: the adjoint [Ad_{T_ij}] of every link j before link i.
    """

    A: Rows
    G: Rows
    Gamma: Rows
    L: Rows


def lynch_park_stacked(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, F_tip: Scalars = (), tip: str | None = None
) -> list[Scalar]:
    """Inverse dynamics in closed form with the stacked matrices. LP 9.62-9.84.

        tau = A^T L^T (G L A qdd - (G L [ad_A qd] Gamma + [ad_V]^T G) L A qd + G L Vd_base)

    with L = (1 - Gamma)^-1 of the adjoints between all pairs of links. Evaluation from right to left needs only
    matrix-vector products. (LP 9.73, 9.78 and 9.83 print [ad_A qd] with a plus; LP 9.48 has [V, A qd] = -[ad_A qd] V.)

    `F_tip` and `tip`, see `lynch_park_states`, add L^T F_tip. `stacked_matrices` returns the matrices.
    """
    links = lynch_park_links(model, q, tip, formulation="lynch_park_stacked")
    n, T = len(links.T), links.T
    L = [[_identity()] for _ in range(n)]  # row i is [Ad_{T_i1}, ..., 1]
    for i in range(1, n):
        pose = Transform()
        for j in range(i, 0, -1):
            pose = T[j] @ pose
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

    A = [(*twist.ang, *twist.lin) for twist in links.A]
    G = [spatial_inertia(inertia) for inertia in links.G]
    A_qd = [a * qd[i] for i in range(n) for a in A[i]]
    A_qdd = [a * qdd[i] for i in range(n) for a in A[i]]
    base = [*times(adjoint(T[0].inverse()), (0, 0, 0, *-model.gravity)), *[0] * (6 * n - 6)]

    V = l_times(A_qd)
    ad_A = [_ad(A_qd[6 * i : 6 * i + 6]) for i in range(n)]
    ad_V = [transpose(_ad(V[6 * i : 6 * i + 6])) for i in range(n)]
    inertial = each(G, l_times(A_qdd))
    driven, carried = each(G, l_times(each(ad_A, gamma(V)))), each(ad_V, each(G, V))
    weight = each(G, l_times(base))
    F = [a - (b + c) + d for a, b, c, d in zip(inertial, driven, carried, weight, strict=True)]
    if len(F_tip):
        at_n = times(transpose(adjoint(links.tip.inverse())), F_tip)  # 9.71
        F[-6:] = [a + b for a, b in zip(F[-6:], at_n, strict=True)]
    F = l_transposed(F)
    return [times((A[i],), F[6 * i : 6 * i + 6])[0] for i in range(n)]


def _ad(V: Scalars) -> Rows:
    """[ad_V]. LP 9.29, 9.66."""
    w, v = tilde(V[:3]), tilde(V[3:])
    return blocks(w, tilde(ZERO), v, w)


def _identity() -> Rows:
    zero = tilde(ZERO)
    return blocks(IDENTITY, zero, zero, IDENTITY)


def stacked_mass_matrix(model: Model, q: Scalars) -> list[list[Scalar]]:
    """M = A^T L^T G L A with the stacked matrices. LP 9.62-9.76, 9.82."""
    stacked = stacked_matrices(model, q, formulation="stacked_mass_matrix")
    LA = product(stacked.L, stacked.A)
    return [list(row) for row in product(transpose(LA), product(stacked.G, LA))]


def stacked_matrices(
    model: Model, q: Scalars, frames: Sequence[str] | None = None, formulation: str = "stacked_matrices"
) -> StackedMatrices:
    """A, G, Gamma and L of a serial arm; for arguments see `lynch_park_links`. LP 9.64-9.68, 9.76, 9.82.

    Example:
        >>> from revolute import published, robots
        >>> stacked = published.stacked_matrices(robots.planar(2), [0, 0])
        >>> stacked.Gamma[10]  # the velocity of the second centre of mass along y, from the twist of the first
        (0.0, 0.0, 1.0, -0.0, 1.0, 0, 0, 0, 0, 0, 0, 0)
    """
    links = lynch_park_links(model, q, frames=frames, formulation=formulation)
    n = len(links.T)
    zero: Rows = ((0,) * 6,) * 6
    one = tuple(tuple(int(i == j) for j in range(6)) for i in range(6))
    G, Gamma, L = ([[zero] * n for _ in range(n)] for _ in range(3))
    for i, pose in enumerate(links.T):
        step = adjoint(pose.inverse())  # the adjoint of T_{i,i-1}
        L[i] = [*(product(step, L[i - 1][j]) for j in range(i)), one, *L[i][i + 1 :]]
        G[i][i] = spatial_inertia(links.G[i])
        if i:
            Gamma[i][i - 1] = step
    A = transpose(tuple((0,) * (6 * i) + (*A.ang, *A.lin) + (0,) * (6 * (n - 1 - i)) for i, A in enumerate(links.A)))
    return StackedMatrices(A, _stacked(G), _stacked(Gamma), _stacked(L))


def _stacked(parts: list[list[Rows]]) -> Rows:
    """The matrix composed of these blocks."""
    return tuple(sum(pieces, ()) for row in parts for pieces in zip(*row, strict=True))
