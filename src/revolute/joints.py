"""Joint types: the only place that knows how a joint moves.

A joint tells, over any scalar, the pose of its child frame in its own frame, the twist of
the child relative to the parent and the rate of that twist, both along the child's axes,
and the joint forces that a wrench on the child amounts to.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from revolute.errors import ModelError
from revolute.scalar import Scalar, cos, sin, sqrt
from revolute.spatial import Force, Motion, Rotation, Transform
from revolute.vectors import ZERO, Matrix, Vector, dot, tilde

__all__ = ["Fixed", "Free", "Joint", "Prismatic", "Revolute"]


class Joint(ABC):
    """What a recursion may ask of a joint. q, qd, qdd are sequences of nq, nv, nv scalars."""

    nq: int
    nv: int

    @abstractmethod
    def transform(self, q: Sequence[Scalar]) -> Transform:
        """Pose of the child frame in the joint's frame."""

    @abstractmethod
    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        """Twist S qd of the child relative to the parent, along the child's axes."""

    def acceleration(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Motion:
        """Rate of the components of `velocity`; S is constant for all joints so far."""
        return self.velocity(qdd)

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """dq/dt, which is qd where nq = nv."""
        return tuple(qd)

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """ad: the matrix of V x. Small motions d along the velocities change by dd/dt = dqd - ad d."""
        return ((0,),) * self.nv

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The same configuration, with a quaternion of length one."""
        return tuple(q)

    @abstractmethod
    def force(self, F: Force) -> tuple[Scalar, ...]:
        """S^T F: the nv joint forces that balance a wrench on the child. LP 9.57."""

    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """The nq coordinates at which the child frame is on the joint's frame."""

    @abstractmethod
    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        """nq coordinates within the limits; without limits, within +-pi [rad] or +-1 [m]."""


def _unit(axis: Sequence[float]) -> Vector:
    length = math.sqrt(sum(float(x) ** 2 for x in axis)) if len(axis) == 3 else math.nan
    if not (math.isfinite(length) and length > 1e-9):
        raise ModelError(f"a joint axis must be a finite vector of three numbers and not zero, not {tuple(axis)}")
    if abs(length - 1) < 1e-12:
        return Vector(x if isinstance(x, int) else float(x) for x in axis)
    return Vector(float(x) / length for x in axis)


def _uniform(rng: np.random.Generator, lower: float, upper: float, reach: float) -> float:
    low, high = max(lower, -reach), min(upper, reach)
    if low > high:  # limits that lie wholly outside the reach
        low, high = (lower, lower + 2 * reach) if math.isfinite(lower) else (upper - 2 * reach, upper)
        low, high = max(low, lower), min(high, upper)
    return float(rng.uniform(low, high))


@dataclass(frozen=True)
class Fixed(Joint):
    """No motion. Descriptions have it; a `Robot` has merged it away."""

    nq = nv = 0

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform()

    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        return Motion(ZERO, ZERO)

    def force(self, F: Force) -> tuple[Scalar, ...]:
        return ()

    def neutral(self) -> tuple[float, ...]:
        return ()

    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        return ()


@dataclass(frozen=True, init=False)
class _OneAxis(Joint):
    """A joint with one coordinate along or about a unit axis (scaled on construction)."""

    axis: Vector
    nq = nv = 1

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        object.__setattr__(self, "axis", _unit(axis))

    def neutral(self) -> tuple[float, ...]:
        return (0.0,)


@dataclass(frozen=True, init=False)
class Revolute(_OneAxis):
    """Rotation by q [rad] about an axis. Continuous joints are revolute without limits."""

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Rotation.about(self.axis, cos(q[0]), sin(q[0])))

    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        return Motion(self.axis * qd[0], ZERO)

    def force(self, F: Force) -> tuple[Scalar, ...]:
        return (dot(self.axis, F.ang),)

    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        return (_uniform(rng, lower[0], upper[0], math.pi),)


@dataclass(frozen=True, init=False)
class Prismatic(_OneAxis):
    """Translation by q [m] along an axis."""

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(p=self.axis * q[0])

    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        return Motion(ZERO, self.axis * qd[0])

    def force(self, F: Force) -> tuple[Scalar, ...]:
        return (dot(self.axis, F.lin),)

    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        return (_uniform(rng, lower[0], upper[0], 1.0),)


@dataclass(frozen=True)
class Free(Joint):
    """A body that floats: q = (position, quaternion x y z w), qd = body twist (w, v). GOA remark 7.

    The position [m] is that of the child's origin along the parent's axes; the twist has
    the child's axes. The quaternion need not have length one: its length is divided out.
    """

    nq = 7
    nv = 6

    def transform(self, q: Sequence[Scalar]) -> Transform:
        x, y, z, w = q[3:7]
        s = 2 / (x * x + y * y + z * z + w * w)
        X, Y, Z = x * s, y * s, z * s
        R = Matrix((
            (1 - (y * Y + z * Z), x * Y - w * Z, x * Z + w * Y),
            (x * Y + w * Z, 1 - (x * X + z * Z), y * Z - w * X),
            (x * Z - w * Y, y * Z + w * X, 1 - (x * X + y * Y)),
        ))
        return Transform(Rotation((R,)), Vector(q[0:3]))

    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        return Motion(Vector(qd[0:3]), Vector(qd[3:6]))

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """p' = R v, and half the quaternion product of the quaternion with (w, 0)."""
        x, y, z, w = q[3:7]
        wx, wy, wz = (rate / 2 for rate in qd[0:3])
        turn = (
            w * wx + y * wz - z * wy,
            w * wy + z * wx - x * wz,
            w * wz + x * wy - y * wx,
            -(x * wx + y * wy + z * wz),
        )
        return (*(self.transform(q).R @ Vector(qd[3:6])), *turn)

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """(w, v) x (a, b) = (w x a, v x a + w x b): the variation of g' = g V^ by g -> g exp(d)."""
        w, v = tilde(qd[0:3]), tilde(qd[3:6])
        return (*((*row, 0, 0, 0) for row in w), *((*left, *right) for left, right in zip(v, w, strict=True)))

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        x, y, z, w = q[3:7]
        s = 1 / sqrt(x * x + y * y + z * z + w * w)
        return (*q[0:3], x * s, y * s, z * s, w * s)

    def force(self, F: Force) -> tuple[Scalar, ...]:
        return (*F.ang, *F.lin)

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        position = (_uniform(rng, lower[k], upper[k], 1.0) for k in range(3))
        quaternion = rng.standard_normal(4)
        return (*position, *(float(x) for x in quaternion / np.linalg.norm(quaternion)))
