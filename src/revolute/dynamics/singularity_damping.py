"""Damping of the nearly singular directions of a link frame, for any scalar type.

Nakamura & Hanafusa 1986; Maciejewski & Klein 1988; Chiaverini 1997.
"""

from collections.abc import Sequence

from revolute.dynamics.damped_least_squares import gram
from revolute.dynamics.kinematics import path_to
from revolute.dynamics.mobility import Mobility, Rows, dot
from revolute.dynamics.positive_definite import triangular
from revolute.dynamics.sparse_factorization import is_zero
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, select, sqrt

ONSET = 0.04  # singular value of the scaled Jacobian above which the damping is zero
WIDTH = ONSET / 3  # singular value s_0 of the scaled Jacobian at which the coefficient c_i of its direction is 1/2

STRENGTH = 10
"""Scale factor of the damping. A larger factor makes forces change faster where several directions are singular; a
smaller one makes joints move faster through a singular position."""


def singularity_damping(model: Model, frame: str, rows: Sequence[int], arm: Mobility) -> Rows:
    """The damping that is added to A = J M^-1 J^T near singular positions: `added` of `Mobility`.

    With J_s = S^-1 J T the dimensionless Jacobian, with singular values s_i (see `scales`),

        C = s_0^2 (J_s J_s^T + s_0^2 1)^-1,         eigenvalues c_i = s_0^2 / (s_i^2 + s_0^2)
        g = max(0, tr C^4 - c),                     c = m (s_0^2 / (ONSET^2 + s_0^2))^4
        added = STRENGTH g / mu S C S,              mu = tr(T M T) / n

    c_i is near one for a lost direction and near zero for others, so only lost directions are damped. If all s_i are at
    least ONSET, tr C^4 <= c and the damping is exactly zero. If one s_i is zero, g >= 1 - c, nearly one. In between,
    the damping is continuous, with a bounded derivative. C is the inverse of a matrix with eigenvalues of at least
    s_0^2, so it exists in every position.

    Args:
        rows: indices of the task's components of the twist, expressed in the base frame.
        arm: mobility of these rows.

    Returns:
        the lower triangle of a positive semi-definite matrix, row by row.
    """
    S, T = scales(model, frame, rows)
    along = [k for k, scale in enumerate(T) if not is_zero(scale)]
    J = [[row[k] * T[k] * (1 / scale) for k in along] for row, scale in zip(arm.J, S, strict=True)]
    C = triangular(gram(J, WIDTH**2)).inverse()
    c = len(rows) / ((ONSET / WIDTH) ** 2 + 1) ** 4
    squared = [[dot(a, b) for b in C] for a in C]
    excess = sum(dot(row, row) for row in squared) * WIDTH**8 - c
    g = select(excess < 0, 0.0, excess)
    inertias = arm.factors.diagonal()  # columns of M
    inertia = sum(inertias[k] * T[k] * T[k] for k in along)
    size = g * (STRENGTH * WIDTH**2 * len(along)) / inertia
    return [[C[i][j] * size * S[i] * S[j] for j in range(i + 1)] for i in range(len(C))]


def scales(model: Model, frame: str, rows: Sequence[int]) -> tuple[list[Scalar], list[Scalar]]:
    """Diagonals S and T of J_s = S^-1 J T, a dimensionless Jacobian: lengths are divided by the arm's length.

    Returns:
        S: one entry per row: 1 for w, the arm's length for v.
        T: one entry per coordinate: the arm's length if prismatic, otherwise 1; 0 if it does not carry the link.
    """
    size = arm_length(model, frame)
    T: list[Scalar] = [0] * model.nv
    for i in path_to(model, frame):
        T[model.v_index[i]] = [size if all(map(is_zero, S.ang)) else 1 for S in model.bodies[i].joint.columns()]
    return [1 if row < 3 else size for row in rows], T


def arm_length(model: Model, frame: str) -> Scalar:
    """The arm's length: the sum of distances from joint to joint and to the link frame; 1 m if that is zero."""
    link = model.frame(frame)
    steps = [link.placement.p, *(model.bodies[i].placement.p for i in path_to(model, frame)[1:])]
    squares = [dot(p, p) for p in steps]
    length = sum(sqrt(square) for square in squares if not is_zero(square))
    return 1 if isinstance(length, (int, float)) and length == 0 else length
