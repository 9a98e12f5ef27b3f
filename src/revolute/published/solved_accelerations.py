"""Forward dynamics by the inertia matrix and a linear system.

See also LP 9.89 and its algorithm GetJointAccel.
"""

from collections.abc import Callable, Sequence

from revolute.model.model import Model
from revolute.published.augmented_links import augmented_links, generalized_links
from revolute.published.matrices import dot
from revolute.published.natural_orthogonal_complement import natural_orthogonal_complement
from revolute.published.serial import serial
from revolute.published.spatial_notation import spatial_composite_bodies
from revolute.published.walker_orin import walker_orin
from revolute.spatial.scalar import Rows, Scalar, Scalars


def generalized_links_accelerations(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """D qdd = tau - b, D by Alg. 6.2, b by Alg. 5.7 at qdd = 0, D = L D L^T. LP 9.89; BP section 6.4, Table 6.3."""
    return _solved("generalized_links_accelerations", generalized_links, model, q, qd, tau)


def walker_orin_accelerations(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """D qdd = tau - b, with D by composite rigid bodies, method 3 of Walker & Orin 1982. BP 6.2.2-6.2.3, Alg. 6.1."""
    return _solved("walker_orin_accelerations", walker_orin, model, q, qd, tau)


def spatial_composite_accelerations(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """D qdd = tau - b, D by composite bodies in spatial notation. BP section 6.2, Table 6.3; Featherstone 1987."""
    return _solved("spatial_composite_accelerations", spatial_composite_bodies, model, q, qd, tau)


def natural_complement_accelerations(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """D qdd = tau - b, with D = P^T P, the first method of Angeles & Ma 1988. BP 6.2.10-6.2.15, Table 6.3."""
    return _solved("natural_complement_accelerations", natural_orthogonal_complement, model, q, qd, tau)


def _solved(
    formulation: str, inertia_matrix: Callable[[Model, Scalars], Rows], model: Model,
    q: Scalars, qd: Scalars, tau: Scalars,
) -> list[Scalar]:
    """The solution qdd of D qdd = tau - b, with b by Alg. 5.7 at zero acceleration."""
    n = serial(model, formulation).n  # checks the robot, under the name of this formulation
    b = augmented_links(model, q, qd, (0,) * n)
    return _linear_solution(inertia_matrix(model, q), [t - x for t, x in zip(tau, b, strict=True)])


def _linear_solution(M: Sequence[Scalars], b: Scalars) -> list[Scalar]:
    """M^-1 b, with M = L D L^T as in LINPACK."""
    n = len(M)
    L: Rows = [[0] * n for _ in range(n)]  # below the diagonal
    share: list[Scalar] = []  # 1 / D
    x: list[Scalar] = list(b)
    for i in range(n):
        row: list[Scalar] = []  # of L D
        for j in range(i):
            row.append(M[i][j] - dot(row, L[j][:j]))
            L[i][j] = row[j] * share[j]
        share.append(1 / (M[i][i] - dot(row, L[i][:i])))
        x[i] = x[i] - dot(L[i][:i], x[:i])
    x = [a * s for a, s in zip(x, share, strict=True)]
    for i in reversed(range(n)):
        x[i] = x[i] - dot([L[k][i] for k in range(i + 1, n)], x[i + 1 :])
    return x
