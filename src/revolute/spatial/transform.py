"""Poses: the position and orientation of one frame relative to another. LP section 3.3."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Complex, Real
from operator import is_
from typing import Any

import numpy as np

from revolute.arguments import Array, instance, scalars
from revolute.errors import InputError
from revolute.records import dataclass
from revolute.spatial import quaternion as quaternions
from revolute.spatial.inertia import Inertia
from revolute.spatial.motion import Twist, Wrench
from revolute.spatial.rigid import one_matrix, rigid
from revolute.spatial.rotation import Rotation, finite_floats, float_rows, short
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Vector, cross, plain_matrix, plain_vector, vector


@dataclass(frozen=True)
class Transform:
    """Pose of a child frame in its parent: x_parent = R x_child + p. BP Theorem 2.1-2.2, 2.2.1-2.2.11; GOA appendix.

    `A @ B` is the pose of B's child in A's parent. `T @ V` transforms a twist, wrench or inertia from the child frame
    to the parent frame.

    Attributes:
        R: rotation of the child's axes; a SciPy rotation is also accepted.
        p: position of the child's origin in the parent frame [m].

    Raises:
        InputError: R is not a rotation, or p is not three numbers or symbols.

    Example:
        >>> from revolute import Transform
        >>> shoulder = Transform(p=(0, 0, 0.5))
        >>> elbow = Transform.from_rpy((0.25, 0, 0), (0, 0, 1.2))
        >>> shoulder @ elbow
        Transform(R=Rotation.from_rpy(0, 0, 1.2), p=(0.25, 0, 0.5))
        >>> (shoulder @ elbow).inverse().matrix().round(3)
        array([[ 0.362,  0.932,  0.   , -0.091],
               [-0.932,  0.362,  0.   ,  0.233],
               [ 0.   ,  0.   ,  1.   , -0.5  ],
               [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """

    R: Rotation = Rotation()
    p: Vector = ZERO

    def __post_init__(self) -> None:
        if type(self.R) is not Rotation:
            if hasattr(self.R, "as_matrix"):
                object.__setattr__(self, "R", Rotation.from_matrix(self.R))
            instance("Transform: R", self.R, Rotation)
        if type(self.p) is not Vector:
            object.__setattr__(self, "p", vector("Transform: p", self.p))

    def __matmul__(self, other: Any) -> Any:
        """Compose with a Transform, or transform a Twist (LP Ad), Wrench (LP Ad^T) or Inertia from child to parent."""
        if isinstance(other, Transform):
            return self._after(other)
        if isinstance(other, Twist):
            w = self.R @ other.ang
            return Twist(w, self.R @ other.lin + cross(self.p, w))
        if isinstance(other, Wrench):
            f = self.R @ other.lin
            return Wrench(self.R @ other.ang + cross(self.p, f), f)
        return other.moved(self) if isinstance(other, Inertia) else NotImplemented

    def _after(self, other: Transform) -> Transform:
        """The product of both transforms as a single step: the pose of the child of `other` in this one's parent."""
        return Transform(self.R @ other.R, self.p + self.R @ other.p)

    @property
    def steps(self) -> tuple[Transform, ...]:
        """The poses whose product is this pose, from the parent to the child: see `Screws`."""
        return (self,)

    def parts(self) -> tuple[Transform, Transform]:
        """The pose as a product of two poses. The second one rotates about the axis of the child's joint and
        translates along it."""
        return self, Transform()

    def point(self, x: Vector) -> Vector:
        """Coordinates in the parent frame of a point of the child frame. BP 2.2.1-2.2.4, 2.2.11, 4.2.15-4.2.17."""
        in_parent: Vector = self.p + self.R @ x
        return in_parent

    def inverse(self) -> Transform:
        """Pose of the parent in the child."""
        RT = self.R.T
        return Transform(RT, -(RT @ self.p))

    def merged(self) -> Transform:
        """The same pose, with the factors of the rotation multiplied into one matrix."""
        R = Rotation.from_matrix(self.R.matrix()) if self.R.factors else self.R
        is_merged = len(self.R.factors) == len(R.factors) and all(map(is_, self.R.factors, R.factors))
        return self if is_merged else Transform(R, self.p)

    def plain(self, what: str) -> Transform:
        """The same pose with plain Python numbers; `what` names it in messages.

        Raises:
            InputError: R has a factor that is not a matrix, p is not a vector, or a number is complex.
        """
        factors, p = self.R.factors, plain_vector(what, self.p)
        if factors:
            factors = tuple([plain_matrix(what, factor) for factor in factors])
        return self if p is self.p and all(map(is_, factors, self.R.factors)) else Transform(Rotation(factors), p)

    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """The rows of the homogeneous 4x4 matrix, over any scalar type."""
        rows = self.R.matrix()
        return (*((*rows[i], self.p[i]) for i in range(3)), (0, 0, 0, 1))

    def matrix(self) -> Array:
        """The homogeneous (4, 4) matrix: an array of floats, of complex numbers, or of objects if there are symbols.

        See also BP Theorem 2.1-2.2, 2.2.1-2.2.11.

        Example:
            >>> from revolute import Transform
            >>> Transform(p=(1, 2, 3)).matrix()[:3, 3]
            array([1., 2., 3.])
        """
        rows = self.rows()
        kinds = ((Real, float), (Complex, complex))
        dtype = next((t for kind, t in kinds if all(isinstance(x, kind) for row in rows for x in row)), object)
        array: Array = np.empty((4, 4), dtype)
        for i, row in enumerate(rows):
            for j, x in enumerate(row):
                array[i, j] = x
        return array

    def __repr__(self) -> str:
        """Numbers are rounded to six digits."""
        parts = [f"R={self.R!r}"] if self.R.factors else []
        if not all(isinstance(x, Real) and x == 0 for x in self.p):
            parts.append(f"p=({', '.join(map(short, self.p))})")
        return f"Transform({', '.join(parts)})"

    def quaternion(self) -> tuple[float, float, float, float]:
        """The orientation as a unit quaternion (x, y, z, w): see `Rotation.quaternion`.

        Raises:
            InputError: the rotation has symbols.

        Example:
            >>> from revolute import Transform
            >>> pose = Transform.from_quaternion((0, 0, 0.6, 0.8), (1, 0, 0))
            >>> [*pose.p, *pose.quaternion()]  # as q of a free joint
            [1, 0, 0, 0.0, 0.0, 0.6, 0.8]
        """
        return self.R.quaternion()

    def log(self) -> Twist:
        """The twist (w, v) that moves the identity to this pose in unit time. LP 3.91-3.92; BP Theorem 2.1-2.2.

        This twist is the shortest: |w| is at most pi [rad]. At half a turn w and -w are both valid; one is returned.
        `Transform.exp` is the inverse. The displacement is a rotation about the line with direction w through w x v /
        w^2, and a translation along it.

        Raises:
            InputError: the pose has symbols.

        Example:
            >>> from revolute import Transform
            >>> # about the point (1, 0, 0)
            >>> half_turn = Transform.from_rpy((2, 0, 0), (0, 0, 3.141592653589793))
            >>> V = half_turn.log()
            >>> [round(x / 3.141592653589793, 12) + 0 for x in (*V.ang, *V.lin)]
            [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]
        """
        R = float_rows(self.R, "log")
        p = Vector(map(float, finite_floats("log: p", self.p, 3)))
        r = quaternions.logarithm(quaternions.of_matrix(R))
        return Twist(_plain(r), _plain(quaternions.motion(r, p)))

    @classmethod
    def exp(cls, twist: Twist | Sequence[float]) -> Transform:
        """The pose reached from the identity by a constant twist (w, v) in one unit of time. LP 3.88.

        Args:
            twist: a `Twist`, or six numbers: w [rad], then v [m], per unit of time.

        Raises:
            InputError: the twist is not six finite numbers.

        Example:
            >>> from revolute import Twist, Transform
            >>> quarter = Transform.exp(Twist(ang=(0, 0, 1.5708), lin=(0, -1.5708, 0)))
            >>> quarter                                     # about the point (1, 0, 0)
            Transform(R=Rotation.from_rpy(0, 0, 1.5708), p=(1, -1, 0))
        """
        parts = (*twist.ang, *twist.lin) if isinstance(twist, Twist) else twist
        numbers = finite_floats("Transform.exp: twist (w, v)", parts, 6)
        r, v = Vector(numbers[:3]), Vector(numbers[3:])
        turn = [[float(x) for x in row] for row in quaternions.rotation(quaternions.exponential(r)).matrix()]
        return cls(Rotation.from_matrix(turn), _plain(quaternions.displacement(r, v)))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Transform:
        """The pose with this homogeneous matrix.

        A rotation given with few digits is replaced by the nearest exact rotation.

        Args:
            matrix: (4, 4) numbers or SymPy expressions, or an object with a method `as_matrix`, such as SciPy's
                `RigidTransform`. Symbols are not checked.

        Raises:
            InputError: the matrix is not 4x4; its last row is not 0, 0, 0, 1; or its rotation is not orthogonal.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> revolute.Transform.from_matrix(robot.forward_kinematics([0.0, 0.5], "tip"))
            Transform(R=Rotation.from_rpy(0, 0, 0.5), p=(1.87758, 0.479426, 0))
        """
        rows = one_matrix("Transform.from_matrix: a pose", matrix, 4)
        if all(isinstance(x, Real) for row in rows for x in row):
            T = np.array(rows, dtype=float)
            if not np.isfinite(T).all():
                raise InputError(f"Transform.from_matrix: entries must be finite, not {T.tolist()}")
            R = rigid("Transform.from_matrix", T[:3, :3], T[3])
            return cls(Rotation.from_matrix(R.tolist()), Vector(T[:3, 3].tolist()))
        if rows[3] != [0, 0, 0, 1]:
            raise InputError(f"Transform.from_matrix: its last row must be 0, 0, 0, 1, not {rows[3]}")
        return cls(Rotation.from_matrix(row[:3] for row in rows[:3]), Vector(row[3] for row in rows[:3]))

    @classmethod
    def from_quaternion(cls, quaternion: Sequence[float], p: Sequence[Scalar] = (0, 0, 0)) -> Transform:
        """The pose with this orientation and position.

        Args:
            quaternion: (x, y, z, w), scalar last: see `Rotation.from_quaternion`, also for errors.
            p: position [m].

        Example:
            >>> from revolute import Transform
            >>> Transform.from_quaternion((0, 0, 0.7071, 0.7071), (1, 0, 0))
            Transform(R=Rotation.from_rpy(0, 0, 1.5708), p=(1, 0, 0))
        """
        return cls(Rotation.from_quaternion(quaternion), vector("Transform.from_quaternion: p", p))

    @classmethod
    def from_rpy(cls, xyz: Sequence[Scalar] = (0, 0, 0), rpy: Sequence[Scalar] = (0, 0, 0)) -> Transform:
        """The pose of an `origin` element of URDF: position [m], and roll, pitch and yaw [rad]."""
        return cls(Rotation.from_rpy(*scalars("rpy", rpy, 3)), vector("xyz", xyz))


def _plain(v: Vector) -> Vector:
    """The vector with Python floats instead of NumPy floats."""
    return Vector(map(float, v))
