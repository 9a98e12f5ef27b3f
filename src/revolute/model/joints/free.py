"""Joints with a quaternion for orientation: constant subspaces without singularities. GOA remark 7."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from revolute.model.joints.joint import Joint, uniform
from revolute.records import dataclass
from revolute.spatial import Force, Inertia, Motion, Transform, quaternion
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Vector, tilde

__all__ = ["Free", "Spherical"]


@dataclass(frozen=True)
class Spherical(Joint):
    """A ball joint: q = quaternion x y z w, qd = angular velocity along the child's axes [rad/s].

    The quaternion may have any length but zero: it is normalised. Joint forces are the moment
    about the centre, along the child's axes [N m].
    """

    nq = 4
    nv = 3
    q_names = ("qx", "qy", "qz", "qw")
    qd_names = ("wx", "wy", "wz")
    linear = (False, False, False)
    quaternion_at = 0

    def unfelt(self, inertia: Inertia) -> Inertia | None:
        return Inertia(m=inertia.m)

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        return sum(principal) + 2 * m * way**2

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(quaternion.rotation(q))

    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        return Motion(Vector(qd), ZERO)

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.rate(q, qd)

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """w x."""
        return tilde(qd)

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.normalized(q)

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.normalized(quaternion.product(quaternion.normalized(q), quaternion.exponential(d)))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The shortest rotation, by at most pi."""
        x, y, z, w = quaternion.normalized(q0)
        return quaternion.logarithm(quaternion.product((-x, -y, -z, w), quaternion.normalized(q1)))

    def force(self, F: Force) -> tuple[Scalar, ...]:
        return tuple(F.ang)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return 0.0

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0)

    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        """Uniform over all rotations; limits of a quaternion's entries are ignored."""
        x = rng.standard_normal(4)
        return tuple(float(component) for component in x / np.linalg.norm(x))


@dataclass(frozen=True)
class Free(Joint):
    """A floating body: q = (position, quaternion x y z w), qd = body twist (w, v). GOA remark 7.

    The position [m] of the child's origin is along the parent's axes, the twist along the
    child's. The quaternion may have any length but zero: it is normalised.
    """

    nq = 7
    nv = 6
    q_names = ("x", "y", "z", "qx", "qy", "qz", "qw")
    qd_names = ("wx", "wy", "wz", "vx", "vy", "vz")
    linear = (False, False, False, True, True, True)
    quaternion_at = 3

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        return sum(principal) + 2 * m * way**2 + 3 * m

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(quaternion.rotation(q[3:7]), Vector(q[0:3]))

    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        return Motion(Vector(qd[0:3]), Vector(qd[3:6]))

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """p' = R v, and half the product of the quaternion with (w, 0)."""
        return (*(self.transform(q).R @ Vector(qd[3:6])), *quaternion.rate(q[3:7], qd[0:3]))

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """(w, v) x (a, b) = (w x a, v x a + w x b): from the variation of g' = g V^ by g -> g exp(d)."""
        w, v = tilde(qd[0:3]), tilde(qd[3:6])
        return (*((*row, 0, 0, 0) for row in w), *((*left, *right) for left, right in zip(v, w, strict=True)))

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return (*q[0:3], *quaternion.normalized(q[3:7]))

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Along the screw of the twist d, not along a straight line. LP 3.88."""
        step = self.transform(q).R @ quaternion.displacement(d[0:3], d[3:6])
        return (*(Vector(q[0:3]) + step), *Spherical().integrate(q[3:7], d[0:3]))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The twist of the screw motion with the shortest rotation, by at most pi. LP 3.92."""
        turn = Spherical().difference(q0[3:7], q1[3:7])
        offset = self.transform(q0).R.T @ (Vector(q1[0:3]) - Vector(q0[0:3]))
        return (*turn, *quaternion.motion(turn, offset))

    def force(self, F: Force) -> tuple[Scalar, ...]:
        return (*F.ang, *F.lin)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return math.hypot(*(max(abs(lower[k]), abs(upper[k])) for k in range(3)))

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        position = (uniform(rng, lower[k], upper[k], 1.0) for k in range(3))
        return (*position, *Spherical().random(rng, lower[3:], upper[3:]))
