"""Poses of frames in one another. LP 3.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.arguments import instance, scalars
from revolute.records import dataclass
from revolute.spatial.inertia import Inertia
from revolute.spatial.motion import Force, Motion
from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Vector, cross, plain_matrix, plain_vector, vector

__all__ = ["Transform"]


@dataclass(frozen=True)
class Transform:
    """Pose of a child frame in its parent: x_parent = R x_child + p."""

    R: Rotation = Rotation()
    p: Vector = ZERO

    def __post_init__(self) -> None:
        if type(self.R) is not Rotation:
            instance("Transform: R", self.R, Rotation)
        if type(self.p) is not Vector:
            object.__setattr__(self, "p", vector("Transform: p", self.p))

    def __matmul__(self, other: Any) -> Any:
        """Compose with a Transform, or take a Motion (LP Ad), Force (LP Ad^T) or Inertia from child to parent."""
        if isinstance(other, Transform):
            return Transform(self.R @ other.R, self.p + self.R @ other.p)
        if isinstance(other, Motion):
            w = self.R @ other.ang
            return Motion(w, self.R @ other.lin + cross(self.p, w))
        if isinstance(other, Force):
            f = self.R @ other.lin
            return Force(self.R @ other.ang + cross(self.p, f), f)
        if isinstance(other, Inertia):
            return other.moved(self)
        return NotImplemented

    def point(self, x: Vector) -> Vector:
        """Coordinates in the parent frame of a point given in the child frame."""
        in_parent: Vector = self.p + self.R @ x
        return in_parent

    def inverse(self) -> Transform:
        """Pose of the parent in the child."""
        RT = self.R.T
        return Transform(RT, -(RT @ self.p))

    def merged(self) -> Transform:
        """The same pose; its rotation is multiplied out to one factor."""
        return Transform(Rotation.of(self.R.matrix()), self.p)

    def plain(self, what: str) -> Transform:
        """The same pose with plain Python numbers; `what` names it in messages.

        Raises:
            InputError: R has a factor that is no matrix, p is no vector, or a number is complex.
        """
        factors = tuple([plain_matrix(what, factor) for factor in self.R.factors])
        p = plain_vector(what, self.p)
        unchanged = p is self.p and all([a is b for a, b in zip(factors, self.R.factors, strict=True)])
        return self if unchanged else Transform(Rotation(factors), p)

    def matrix(self) -> tuple[tuple[Scalar, ...], ...]:
        """The homogeneous 4x4 matrix."""
        rows = self.R.matrix()
        return (*((*rows[i], self.p[i]) for i in range(3)), (0, 0, 0, 1))

    @classmethod
    def from_rpy(cls, xyz: Sequence[Scalar] = (0, 0, 0), rpy: Sequence[Scalar] = (0, 0, 0)) -> Transform:
        """The origin element of URDF: position [m], roll, pitch, yaw [rad]."""
        return cls(Rotation.from_rpy(*scalars("rpy", rpy, 3)), vector("xyz", xyz))
