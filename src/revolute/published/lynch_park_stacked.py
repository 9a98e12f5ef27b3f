"""Lynch and Park's stacked matrices of all links: inverse dynamics and the mass matrix."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from revolute.model.model import Model
from revolute.published.lynch_park import Links, lynch_park_links
from revolute.published.matrices import Rows, adjoint, blocks, product, spatial_inertia, times, transpose
from revolute.spatial import ZERO, Scalar, Scalars, tilde


class StackedMatrices(NamedTuple):
    """LP's stacked matrices of n links. LP 9.64-9.65, 9.68, 9.76."""

    A: Rows  # (6n, n), joint screws on its diagonal
    G: Rows  # (6n, 6n), link inertias on its diagonal
    Gamma: Rows  # (6n, 6n), adjoints [Ad_{T_{i,i-1}}] below its diagonal
    L: Rows  # (6n, 6n), (1 - Gamma)^-1: the adjoint [Ad_{T_ij}] of every link j before link i


def lynch_park_stacked(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, F_tip: Scalars = (), tip: str | None = None
) -> list[Scalar]:
    """Inverse dynamics in closed form with the stacked matrices. LP 9.62-9.84.

        tau = A^T L^T (G L A qdd - (G L [ad_A qd] Gamma + [ad_V]^T G) L A qd + G L Vd_base)

    with L = (1 - Gamma)^-1 of the adjoints between all pairs of links. Evaluation from right to left needs only
    matrix-vector products. (LP 9.73, 9.78 and 9.83 print [ad_A qd] with a plus; LP 9.48 has [V, A qd] = -[ad_A qd] V.)

    `F_tip` and `tip`, see `lynch_park_states`, add A^T L^T F_tip to tau. `stacked_matrices` returns the matrices.
    """
    links = lynch_park_links(model, q, tip, formulation="lynch_park_stacked")
    A, G, Gamma, L = _stacked_matrices(links)
    A_qd, pull = times(A, qd), (0, 0, 0, *-model.gravity)
    base = [*times(adjoint(links.T[0].inverse()), pull), *[0] * (len(A) - 6)]  # 9.70
    V = times(L, A_qd)
    driven = times(G, times(L, _each(_ad, A_qd, times(Gamma, V))))
    carried = _each(lambda V_i: transpose(_ad(V_i)), V, times(G, V))
    inertial, weight = times(G, times(L, times(A, qdd))), times(G, times(L, base))
    F = [a - (b + c) + d for a, b, c, d in zip(inertial, driven, carried, weight, strict=True)]
    if len(F_tip):
        at_n = times(transpose(adjoint(links.tip.inverse())), F_tip)  # 9.71
        F[-6:] = [a + b for a, b in zip(F[-6:], at_n, strict=True)]
    return [*times(transpose(A), times(transpose(L), F))]


def _each(matrix: Callable[[Scalars], Rows], V: Scalars, x: Scalars) -> list[Scalar]:
    """The block-diagonal matrix with one block, `matrix(V_i)`, for each link's twist V_i, times x."""
    return [y for i in range(0, len(V), 6) for y in times(matrix(V[i : i + 6]), x[i : i + 6])]


def _ad(V: Scalars) -> Rows:
    """[ad_V]. LP 9.29, 9.66."""
    w, v = tilde(V[:3]), tilde(V[3:])
    return blocks(w, tilde(ZERO), v, w)


def stacked_mass_matrix(model: Model, q: Scalars) -> list[list[Scalar]]:
    """M = A^T L^T G L A with the stacked matrices. LP 9.62-9.76, 9.82."""
    A, G, _, L = _stacked_matrices(lynch_park_links(model, q, formulation="stacked_mass_matrix"))
    LA = product(L, A)
    return [list(row) for row in product(transpose(LA), product(G, LA))]


def stacked_matrices(model: Model, q: Scalars, frames: Sequence[str] | None = None) -> StackedMatrices:
    """A, G, Gamma and L of a serial arm; for arguments see `lynch_park_links`. LP 9.64-9.68, 9.76, 9.82.

    Example:
        >>> from revolute import published, robots
        >>> stacked = published.stacked_matrices(robots.planar(2), [0, 0])
        >>> stacked.Gamma[10]  # v_y of the second centre of mass, from the first twist
        (0.0, 0.0, 1.0, -0.0, 1.0, 0, 0, 0, 0, 0, 0, 0)
    """
    return _stacked_matrices(lynch_park_links(model, q, frames=frames, formulation="stacked_matrices"))


def _stacked_matrices(links: Links) -> StackedMatrices:
    n = len(links.T)
    zero: Rows = ((0,) * 6,) * 6
    G, Gamma, L = ([[zero] * n for _ in range(n)] for _ in range(3))
    one = tuple(tuple(int(i == j) for j in range(6)) for i in range(6))
    for i, pose in enumerate(links.T):
        step = adjoint(pose.inverse())  # of T_{i,i-1}
        L[i] = [*(product(step, L[i - 1][j]) for j in range(i)), one, *L[i][i + 1 :]]
        G[i][i] = spatial_inertia(links.G[i])
        if i:
            Gamma[i][i - 1] = step
    A = transpose(tuple((0,) * (6 * i) + (*A.ang, *A.lin) + (0,) * (6 * (n - 1 - i)) for i, A in enumerate(links.A)))
    return StackedMatrices(A, _stacked(G), _stacked(Gamma), _stacked(L))


def _stacked(parts: list[list[Rows]]) -> Rows:
    """The matrix composed of these rows of blocks."""
    return tuple(sum(pieces, ()) for row in parts for pieces in zip(*row, strict=True))
