"""Errors of a link frame from a target pose, for any scalar type."""

from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.orientation import quaternion
from revolute.model.model import Model
from revolute.spatial import Matrix, Vector, cross, dot
from revolute.spatial.scalar import Rows, Scalar, Scalars, atan2, cos, select, sin, sqrt

TINY = 1e-36
"""Number added to a square before its root becomes a divisor: below squared rounding errors, but nonzero in float32."""

SMALL = 1e-4
"""Angle [rad] below which the coefficient c of `screw_error` equals its limit, 1/12, to ten digits."""


def pose_error(model: Model, q: Scalars, pose: Scalars, frame: str) -> list[Scalar]:
    """Pose error: rotation vector and displacement from a link frame to a target pose, expressed in the link frame.

        e = (log(R^T R_d), R^T (p_d - p))

    Args:
        pose: the 4x4 matrix of the target pose, 16 scalars row by row.

    Returns:
        six scalars [rad, m].
    """
    s, p = _way(model, q, pose, frame)
    return [*rotation_vector(s), *p]


def rotation_vector(s: Scalars) -> Vector:
    """The rotation vector of a unit quaternion (x, y, z, w) with w >= 0; this form is differentiable at zero."""
    v = Vector(s[:3])
    length = sqrt(dot(v, v) + TINY)
    turn: Vector = v * (2 * atan2(length, s[3]) / length)
    return turn


def screw_error(model: Model, q: Scalars, pose: Scalars, frame: str) -> list[Scalar]:
    """log(T_d^-1 T) = -log(T^-1 T_d), expressed in the link frame; differentiable at zero. LP 3.92.

        w = log(R^T R_d),    p = R^T (p_d - p),    v = p - w x p / 2 + c w x (w x p)

        c = (1 - x cot x) / (4 x^2),    x = |w| / 2
    """
    error = pose_error(model, q, pose, frame)
    w, p = Vector(error[:3]), Vector(error[3:])
    half = sqrt(dot(w, w) + TINY) * 0.5
    small = half <= SMALL
    x = select(small, 1.0, half)
    c = select(small, 1 / 12, (1 - x * cos(x) / sin(x)) / (4 * (x * x)))
    turned = cross(w, p)
    v = p - turned * 0.5 + cross(w, turned) * c
    return [-e for e in (*w, *v)]


def chord_error(model: Model, q: Scalars, pose: Scalars, frame: str) -> tuple[list[Scalar], Rows]:
    """`pose_error` with chords instead of angles, and J of its linearisation e(q + d) = e(q) - J d + O(d^2).

        e = (2 v, p),    J_j = (s w_j + w_j x v, v_j + w_j x p)

    (v, s) is the unit quaternion of R^T R_d, p = R^T (p_d - p_link), and (w_j, v_j) are the columns of the body
    Jacobian. 2 v has the length 2 sin(angle / 2): it grows with the angle up to pi, equals the rotation vector up to
    third-order terms, and needs no function except a square root. J has six rows of nv scalars.
    """
    s, p = _way(model, q, pose, frame)
    v = Vector(s[:3])
    columns = [
        (*(column.ang * s[3] + cross(column.ang, v)), *(column.lin + cross(column.ang, p)))
        for column in jacobian(model, q, frame)
    ]
    return [*(v * 2), *p], [[column[row] for column in columns] for row in range(6)]


def squared_distance(pose: Scalars, other: Scalars, angular: bool, linear: bool) -> Scalar:
    """4 sin(angle / 2)^2 + |p - p'|^2 of two poses: the squared length of `chord_error`, or one of its two parts.

        4 sin(angle / 2)^2 = 3 - tr(R^T R')

    The poses are 4x4 matrices, 16 scalars each, row by row.
    """
    squared: Scalar = 0
    if angular:
        squared = 3 - sum(pose[k] * other[k] for k in range(11) if k % 4 < 3)
    if linear:
        p = Vector(pose[3:12:4]) - Vector(other[3:12:4])
        squared = squared + dot(p, p)
    return squared


def _way(model: Model, q: Scalars, pose: Scalars, frame: str) -> tuple[list[Scalar], Vector]:
    """Quaternion and displacement from the link frame to the pose, expressed in the link frame."""
    T = frame_pose(model, q, frame)
    RT = T.R.matrix().T
    rows = [pose[4 * k : 4 * k + 3] for k in range(3)]
    return quaternion(RT @ Matrix(rows)), RT @ (Vector(pose[3:12:4]) - T.p)
