"""Errors of tasks, and the Jacobians and drifts of their rates, for any scalar type.

The rate of an error e(q) is J(q) v, and its second derivative is J vd + Jd v. `screw_error` is the error of a pose,
`difference` that of joints. For them, J v is the body's twist, or v itself. This is the rate where e is small, and for
every e if J v is parallel to e. So J v = -k e lets e decay as exp(-k t), along a screw. The error of a momentum is an
error of the rate itself: e(q, v) = J(q) v - target.
"""

from revolute.dynamics.center_of_mass import center_of_mass
from revolute.dynamics.frame_motion import frame_acceleration, frame_velocity
from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.kinematics import frame_pose, in_child
from revolute.dynamics.momentum import centroidal_momentum
from revolute.dynamics.pose_error import screw
from revolute.model.model import Model
from revolute.spatial import Scalar, Scalars, Transform, Twist


def point_error(model: Model, q: Scalars, point: Scalars, frame: str) -> list[Scalar]:
    """Offset of the origin of a link frame from a point, expressed in the base frame: three scalars [m]."""
    return [x - y for x, y in zip(frame_pose(model, q, frame).p, point, strict=True)]


def com_error(model: Model, q: Scalars, point: Scalars) -> list[Scalar]:
    """Offset of the centre of mass from a point, expressed in the base frame: three scalars [m]."""
    return [x - y for x, y in zip(center_of_mass(model, q)[0], point, strict=True)]


def momentum_error(model: Model, q: Scalars, qd: Scalars, momentum: Scalars) -> list[Scalar]:
    """Difference of `centroidal_momentum` from a target: six scalars [kg m^2/s, kg m/s]."""
    return [x - y for x, y in zip(centroidal_momentum(model, q, qd), momentum, strict=True)]


def relative_error(model: Model, q: Scalars, pose: Scalars, frame: str, other: str) -> list[Scalar]:
    """`screw_error` of the pose of a link frame in another one, T_other^-1 T: six scalars [rad, m]."""
    return screw(_between(model, q, frame, other), pose)


def relative_jacobian(model: Model, q: Scalars, frame: str, other: str) -> list[Twist]:
    """Columns of J for the twist of a link frame relative to `other`, expressed in the link frame: V - X V_other."""
    X = _between(model, q, frame, other)
    pairs = zip(jacobian(model, q, frame), jacobian(model, q, other), strict=True)
    return [own - in_child(X, theirs) for own, theirs in pairs]


def relative_drift(model: Model, q: Scalars, qd: Scalars, frame: str, other: str) -> Twist:
    """Jd qd of `relative_jacobian`: A - X A_other - X V_other x V_rel, at zero accelerations."""
    X, still = _between(model, q, frame, other), [0] * model.nv
    V = in_child(X, frame_velocity(model, q, qd, other))
    A = frame_acceleration(model, q, qd, still, frame) - in_child(X, frame_acceleration(model, q, qd, still, other))
    return A - V.cross(frame_velocity(model, q, qd, frame) - V)


def _between(model: Model, q: Scalars, frame: str, other: str) -> Transform:
    """The pose of a link frame in another one."""
    X: Transform = frame_pose(model, q, other).inverse() @ frame_pose(model, q, frame)
    return X.merged()
