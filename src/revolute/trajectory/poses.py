"""Paths of a frame in space: straight lines, arcs and screws, as poses over time.

Orientations rotate about one fixed axis, from R0 to R0 exp(phi): the shortest rotation, SLERP. With a time law s(t)
from 0 to 1 and the position p(s), the frame's velocities and accelerations in the base frame are

    v = p' sd,    a = p'' sd^2 + p' sdd,    w = R0 phi sd,    wd = R0 phi sdd
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, float_copy
from revolute.dynamics.pose_error import aligned_error
from revolute.errors import InputError, ShapeError
from revolute.spatial import Matrix, Rotation, Transform, Vector, quaternion
from revolute.spatial.rigid import rigid
from revolute.trajectory.law import TimeLaw, rest_to_rest

STRAIGHT = 1e-9  # sine of the angle between three points below which they count as collinear


class PosePath(ABC):
    """Poses of a frame in the base frame, from time 0 to `duration`. The frame is at rest before and after.

    Attributes:
        start: (4, 4) the first pose.
        law: the time law s(t), from 0.
        duration: duration of the motion [s].
    """

    def __init__(self, start: Array, law: TimeLaw) -> None:
        self.start, self.law, self.duration = start, law, law.duration

    @abstractmethod
    def _shape(self, s: Array) -> tuple[Array, Array, Array]:
        """(n, 4, 4) poses at (n,) s, and (n, 6) first and second derivatives with respect to s, rotation first."""

    def pose(self, t: ArrayLike) -> Array:
        """(..., 4, 4) homogeneous matrices from the frame to the base frame, at (...) times [s]."""
        return self(t)[0]

    def twist(self, t: ArrayLike) -> Array:
        """(..., 6) twists at (...) times: w, and v of the frame's origin [rad/s, m/s], expressed in the base frame."""
        return self(t)[1]

    def acceleration(self, t: ArrayLike) -> Array:
        """(..., 6) time derivatives of `twist` at (...) times [s]."""
        return self(t)[2]

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """`pose`, `twist` and `acceleration` at (...) times [s]; the last two are expressed in the base frame.

        Raises:
            InputError: a time is not finite.
        """
        given = float_copy("pose: t [s]", t)
        if not np.isfinite(given).all():
            raise InputError("pose: times t must be finite")
        times = given.ravel()
        outside = ((times < 0) | (times > self.duration))[:, None]
        s, sd, sdd, _ = self.law(np.clip(times, 0.0, self.duration))
        sd, sdd = (np.where(outside, 0.0, x[:, None]) for x in (sd, sdd))
        poses, once, twice = self._shape(s)
        twists, rates = once * sd, twice * sd**2 + once * sdd
        return poses.reshape(*given.shape, 4, 4), twists.reshape(*given.shape, 6), rates.reshape(*given.shape, 6)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.duration:g} s>"


class OneTurn(PosePath):
    """A line, an arc or a screw, with s from 0 to 1: orientations rotate about one axis.

        p(s) = centre + cos(angle s) x + sin(angle s) y + s along

    where x leads from the centre to the start. The angle of a line and `along` of an arc are zero.

    Attributes:
        turn: (3,) rotation vector from the first orientation to the last, expressed in the base frame [rad].
        along: (3,) displacement along a line, or along the axis of a screw [m].
        centre, y: (3,) centre of the circle, and the vector in its plane that is perpendicular to x and as long as x
            [m].
        angle: angle of the whole arc [rad].
    """

    def __init__(
        self, start: Array, turn: Array, law: TimeLaw, along: Array, centre: Array | None = None,
        y: Array | None = None, angle: float = 0.0,
    ) -> None:
        super().__init__(start, law)
        self.turn, self.along, self.angle = turn, along, angle
        self.centre = start[:3, 3] if centre is None else centre
        self.x, self.y = start[:3, 3] - self.centre, np.zeros(3) if y is None else y

    def _shape(self, s: Array) -> tuple[Array, Array, Array]:
        angle = self.angle * s[:, None]
        out = np.cos(angle) * self.x + np.sin(angle) * self.y
        on = np.cos(angle) * self.y - np.sin(angle) * self.x
        p = self.centre + out + s[:, None] * self.along
        turn = np.broadcast_to(self.turn, p.shape)
        poses = poses_of(rotations(s[:, None] * self.turn) @ self.start[:3, :3], p)
        once = np.hstack([turn, self.angle * on + self.along])
        return poses, once, np.hstack([0 * turn, -(self.angle**2) * out])


def line(start: ArrayLike, end: ArrayLike, duration: float, *, profile: str = "quintic") -> PosePath:
    """A straight line from pose to pose, with the shortest rotation about one axis.

    Args:
        start, end: poses: (4, 4) matrices, `Transform`s, or (7,) position [m] and quaternion x y z w.
        duration: seconds.
        profile: "quintic" or "cubic" from rest to rest, or "linear" at constant speed.

    Raises:
        ShapeError, InputError: an argument is not a pose, or the duration is not positive.

    Example:
        >>> from revolute import Transform
        >>> from revolute.trajectory import line
        >>> path = line(Transform(), Transform.from_rpy((1, 0, 0), (0, 0, 1)), 2.0)
        >>> path.pose(1.0)[:3, 3], path.twist(1.0)[2:4]
        (array([0.5, 0. , 0. ]), array([0.9375, 0.9375]))
    """
    first, last, law = as_pose("line: start", start), as_pose("line: end", end), rest_to_rest("line", duration, profile)
    turn, way = np.split(errors(first, last), 2)
    return OneTurn(first, turn, law, way)


def arc(start: ArrayLike, through: ArrayLike, end: ArrayLike, duration: float, *, profile: str = "quintic") -> PosePath:
    """A circular arc from a pose through a point to another pose, with the shortest rotation about one axis.

    Args:
        start, end, duration, profile: see `line`.
        through: (3,) a point on the arc between `start` and `end` [m].

    Raises:
        ShapeError, InputError: see `line`; the three points are collinear, or two of them are equal.

    Example:
        >>> from revolute import Transform
        >>> from revolute.trajectory import arc
        >>> half = arc(Transform(p=(1, 0, 0)), (0, 1, 0), Transform(p=(-1, 0, 0)), 2.0)
        >>> half.pose(1.0)[:3, 3].round(9) + 0.0
        array([0., 1., 0.])
    """
    first, last, law = as_pose("arc: start", start), as_pose("arc: end", end), rest_to_rest("arc", duration, profile)
    middle = float_copy("arc: through", through)
    if middle.shape != (3,) or not np.isfinite(middle).all():
        raise ShapeError("arc: through must be a point, three finite numbers [m]")
    p = first[:3, 3]
    a, b = middle - p, last[:3, 3] - p
    normal = np.cross(a, b)
    area = float(np.linalg.norm(normal))
    if area <= STRAIGHT * float(np.linalg.norm(a) * np.linalg.norm(b)) or area == 0:
        raise InputError("arc: the three points are collinear; use `line`, or another point")
    normal /= area
    centre = p + np.cross((a @ a) * b - (b @ b) * a, normal) / (2 * area)
    x = p - centre
    y = np.cross(normal, x)
    end_angle = float(np.arctan2((last[:3, 3] - centre) @ y, (last[:3, 3] - centre) @ x)) % (2 * np.pi)
    return OneTurn(first, errors(first, last)[:3], law, np.zeros(3), centre, y, end_angle)


def screw(start: ArrayLike, end: ArrayLike, duration: float, *, profile: str = "quintic") -> PosePath:
    """The screw motion from pose to pose, about and along one fixed axis, T0 exp(s log(T0^-1 T1)). LP section 3.3.3.

    Args:
        start, end, duration, profile: see `line`.

    Raises:
        ShapeError, InputError: see `line`.

    Example:
        >>> from revolute import Transform
        >>> from revolute.trajectory import screw
        >>> door = screw(
        ...     Transform(p=(1, 0, 0)),
        ...     Transform.from_rpy((0, 1, 0), (0, 0, 1.5707963267948966)),
        ...     2.0,
        ... )
        >>> door.pose(1.0)[:3, 3].round(6)
        array([0.707107, 0.707107, 0.      ])
    """
    first, last = as_pose("screw: start", start), as_pose("screw: end", end)
    law = rest_to_rest("screw", duration, profile)
    turn, way = np.split(errors(first, last), 2)
    angle = float(np.linalg.norm(turn))
    if angle < 1e-12:
        return OneTurn(first, turn, law, way)
    axis = turn / angle
    along = axis * (axis @ way)
    across = way - along
    # the centre is equidistant from both ends of the chord, which subtends `angle`
    centre = first[:3, 3] + across / 2 + np.cross(axis, across) / (2 * np.tan(angle / 2))
    return OneTurn(first, turn, law, along, centre, np.cross(axis, first[:3, 3] - centre), angle)


def as_pose(what: str, given: Any) -> Array:
    """A checked homogeneous matrix from a matrix, a `Transform`, or position and quaternion."""
    pose = finite_array(what, given.matrix() if hasattr(given, "matrix") else given)
    if pose.shape == (7,):
        try:
            pose = float_copy(what, Transform.from_quaternion(pose[3:].tolist(), pose[:3].tolist()).matrix())
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
    if pose.shape != (4, 4):
        wanted = "a (4, 4) pose, a Transform, or (7,) position and quaternion x y z w"
        raise ShapeError(f"{what} must be {wanted}; it has shape {pose.shape}")
    pose[:3, :3] = rigid(what, pose[:3, :3], pose[3])
    return pose


def poses_of(R: Array, p: Array) -> Array:
    """(n, 4, 4) homogeneous matrices of (n, 3, 3) rotations and (n, 3) positions."""
    T = np.zeros((len(p), 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = R, p, 1.0
    return T


def errors(reached: Array, wanted: Array) -> Array:
    """(..., 6) rotation vectors and displacements from reached to wanted poses, expressed in the base frame."""
    return np.stack(aligned_error(*(_transform(np.moveaxis(X, (-2, -1), (0, 1))) for X in (wanted, reached))), axis=-1)


def _transform(X: Array) -> Transform:
    """The `Transform` of homogeneous matrices X (4, 4, ...)."""
    return Transform(Rotation((Matrix(X[:3, :3]),)), Vector(X[:3, 3]))


def rotations(phi: Array) -> Array:
    """(n, 3, 3) rotation matrices of (n, 3) rotation vectors."""
    R = quaternion.rotation(quaternion.exponential([*phi.T])).matrix()
    return np.moveaxis(np.array([[np.broadcast_to(x, len(phi)) for x in row] for row in R]), -1, 0)
