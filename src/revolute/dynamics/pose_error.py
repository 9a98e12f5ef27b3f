"""Errors of a link frame from a target pose, for any scalar type."""

from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.orientation import quaternion
from revolute.model.model import Model
from revolute.spatial import Matrix, Rows, Scalar, Scalars, Transform, Vector, cross, dot
from revolute.spatial.quaternion import angle_by_length, motion


def pose_error(model: Model, q: Scalars, pose: Scalars, frame: str) -> list[Scalar]:
    """Pose error: rotation vector and displacement from a link frame to a target pose, expressed in the link frame.

        e = (log(R^T R_d), R^T (p_d - p))

    Args:
        pose: the 4x4 matrix of the target pose, 16 scalars row by row.

    Returns:
        six scalars [rad, m].
    """
    s, p = _way(frame_pose(model, q, frame), pose)
    return [*rotation_vector(s), *p]


def aligned_error(T: Transform, target: Transform) -> list[Scalar]:
    """Rotation vector and displacement from a target pose to a pose, expressed in the base frame [rad, m].

        e = (log(R R_d^T), p - p_d)

    The derivative of e . e / 2 is e . (V - V_d), with twists along the axes of the base frame at the origins.
    """
    return [*rotation_vector(quaternion(T.R.matrix() @ target.R.matrix().T)), *(T.p - target.p)]


def screw_error(model: Model, q: Scalars, pose: Scalars, frame: str) -> list[Scalar]:
    """log(T_d^-1 T) = -log(T^-1 T_d), expressed in the link frame; differentiable at zero. LP 3.92.

    See `quaternion.motion` for the linear part.
    """
    return screw(frame_pose(model, q, frame), pose)


def screw(T: Transform, pose: Scalars) -> list[Scalar]:
    """log(T_d^-1 T) of two poses in the same frame: see `screw_error`."""
    s, p = _way(T, pose)
    turn = rotation_vector(s)
    return [-e for e in (*turn, *motion(turn, p))]


def chord_error(model: Model, q: Scalars, pose: Scalars, frame: str) -> tuple[list[Scalar], Rows]:
    """`pose_error` with chords instead of angles, and J of its linearisation e(q + d) = e(q) - J d + O(d^2).

        e = (2 v, p),    J_j = (s w_j + w_j x v, v_j + w_j x p)

    (v, s) is the unit quaternion of R^T R_d, p = R^T (p_d - p_link), and (w_j, v_j) are the columns of the body
    Jacobian. 2 v has the length 2 sin(angle / 2): it grows with the angle up to pi, equals the rotation vector up to
    third-order terms, and needs no function except a square root. J has six rows of nv scalars.
    """
    s, p = _way(frame_pose(model, q, frame), pose)
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


def _way(T: Transform, pose: Scalars) -> tuple[list[Scalar], Vector]:
    """Quaternion and displacement from a link frame to the pose, expressed in the link frame."""
    RT = T.R.matrix().T
    rows = [pose[4 * k : 4 * k + 3] for k in range(3)]
    return quaternion(RT @ Matrix(rows)), RT @ (Vector(pose[3:12:4]) - T.p)


def rotation_vector(s: Scalars) -> Vector:
    """The rotation vector [rad], |r| <= pi, of a unit quaternion (x, y, z, w) with w >= 0; differentiable at zero."""
    v = Vector(s[:3])
    turn: Vector = v * (2 * angle_by_length(dot(v, v), s[3]))
    return turn
