"""Damped least squares, for any scalar type: the Levenberg-Marquardt step."""

from collections.abc import Sequence

from revolute.dynamics.mobility import dot
from revolute.dynamics.positive_definite import triangular
from revolute.spatial.scalar import Rows, Scalar, Scalars


def damped_solution(J: Rows, e: Scalars, damping: Scalar) -> list[Scalar]:
    """The d that minimizes |e - J d|^2 + damping |d|^2. Levenberg 1944; Marquardt 1963.

        d = (J^T J + damping 1)^-1 J^T e = J^T (J J^T + damping 1)^-1 e

    The smaller of the two systems is solved.
    """
    columns = list(zip(*J, strict=True))
    if len(columns) <= len(J):
        return triangular(gram(columns, damping)).solve([dot(column, e) for column in columns])
    y = triangular(gram(J, damping)).solve(e)
    return [dot(column, y) for column in columns]


def unforced_motion(J: Rows, z: Scalars, damping: Scalar) -> list[Scalar]:
    """The projection of z onto the null space of J: (1 - J^T (J J^T + damping 1)^-1 J) z. Liegeois 1977."""
    seen = damped_solution(J, [dot(row, z) for row in J], damping)
    return [x - y for x, y in zip(z, seen, strict=True)]


def mean_square(J: Rows) -> Scalar:
    """tr(J J^T) / m: the mean squared length of the m rows."""
    return sum(dot(row, row) for row in J) * (1 / len(J))


def gram(vectors: Sequence[Scalars], damping: Scalar) -> Rows:
    """The lower triangle of the Gram matrix, with the damping added to its diagonal."""
    return [
        [dot(a, b) + damping if i == j else dot(a, b) for j, b in enumerate(vectors[: i + 1])]
        for i, a in enumerate(vectors)
    ]
