"""Lynch and Park's mass matrix as a product of stacked matrices."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.matrices import Rows, adjoint, product, spatial_inertia, transpose
from revolute.published.serial import along_z, serial
from revolute.spatial import Inertia, Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, cross

__all__ = ["stacked_mass_matrix"]


def stacked_mass_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M = A^T L^T G L A. LP 9.62-9.76, 9.82.

    The diagonal of A contains the joint screws and that of G the link inertias; L contains the adjoint [Ad_Tij] of
    every link j before link i. Link frames are at the centres of mass.
    """
    arm = serial(model, "stacked_mass_matrix")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    zero, one = ((0,) * 6,) * 6, tuple(tuple(int(i == j) for j in range(6)) for i in range(6))
    L: list[list[Rows]] = [[zero] * n for _ in range(n)]
    G: list[list[Rows]] = [[zero] * n for _ in range(n)]
    screws: list[tuple[Scalar, ...]] = []
    for i in range(n):
        link, before = links[i + 1], links[i].r
        step = adjoint(Transform(A[i + 1], s[i + 1] + A[i + 1] @ link.r - before).inverse())  # of T_{i,i-1}
        L[i] = [*(product(step, L[i - 1][j]) for j in range(i)), one, *L[i][i + 1 :]]
        G[i][i] = spatial_inertia(Inertia(link.m, ZERO, link.I_c))
        z = along_z(1)
        screws.append((*z, *cross(z, link.r)) if link.sigma else (*ZERO, *z))
    stacked_A = transpose(tuple((0,) * (6 * i) + screw + (0,) * (6 * (n - 1 - i)) for i, screw in enumerate(screws)))
    LA = product(_stacked(L), stacked_A)
    return [list(row) for row in product(transpose(LA), product(_stacked(G), LA))]


def _stacked(parts: list[list[Rows]]) -> Rows:
    """The matrix composed of these blocks."""
    return tuple(sum(pieces, ()) for row in parts for pieces in zip(*row, strict=True))
