"""The interface of all joint types, for any scalar type."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Sized
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from revolute.errors import ModelError
from revolute.plain_numbers import are_plain, plain_number
from revolute.spatial import Inertia, Matrix, Scalar, Transform, Twist, Vector, Wrench

Array = NDArray[np.float64]


class JointType(ABC):
    """The interface of a joint type to the recursions. q, qd, qdd are sequences of nq, nv, nv scalars.

    The motion subspace S is constant in the child frame (GOA remark 7). So qd are velocity coordinates, not always
    the time derivatives of q.

    Attributes:
        nq, nv: numbers of coordinates and of velocities.
        q_names, qd_names: a name for each coordinate; "" for the only coordinate of a one-axis joint.
        linear: for each velocity, whether its unit is m/s; otherwise rad/s.
        angles: indices of the coordinates that are angles [rad].
        quaternion_at: index in q where a quaternion x, y, z, w begins; None without one.
    """

    nq: int
    nv: int
    q_names: tuple[str, ...]
    qd_names: tuple[str, ...]
    linear: tuple[bool, ...]
    angles: ClassVar[tuple[int, ...]] = ()
    quaternion_at: int | None = None

    @abstractmethod
    def transform(self, q: Sequence[Scalar]) -> Transform:
        """Pose of the child frame in the joint's frame."""

    @abstractmethod
    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        """Twist S qd of the child relative to the parent, in the child frame."""

    def columns(self) -> list[Twist]:
        """The nv columns of S: the twists of the child for unit velocities."""
        return [self.velocity([int(k == other) for other in range(self.nv)]) for k in range(self.nv)]

    def acceleration(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Twist:
        """Time derivative of the components of `velocity`, S qdd."""
        return self.velocity(qdd)

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """dq/dt; equal to qd for one-axis joints."""
        return tuple(qd)

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """The matrix ad of V x. A small motion d along the velocities has the time derivative dd/dt = dqd - ad d."""
        return ((0,),) * self.nv

    def turned(self, qd: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """qd with its linear velocity expressed in the child's axes after the step q + dq/dt(d), which rotates them."""
        return tuple(qd)

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The same configuration, with a unit quaternion."""
        return tuple(q)

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Positions after one unit of time at constant velocity d: q exp(d)."""
        return tuple(x + y for x, y in zip(q, d, strict=True))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The velocity d for which integrate(q0, d) = q1."""
        return tuple(y - x for x, y in zip(q0, q1, strict=True))

    def scalars(self) -> tuple[Scalar, ...]:
        """The scalar parameters in the joint's equations: axis and pitch."""
        return ()

    def mapped(self, change: Callable[[Scalar], Scalar]) -> JointType:
        """The joint with each of `scalars` changed. A changed axis is not scaled to length one."""
        return self

    def words(self) -> str:
        """Joint type and axis in words: `revolute about z`."""
        return type(self).__name__.lower()

    def turning_axis(self) -> Vector | None:
        """The axis of a joint that rotates about one axis; otherwise None."""
        return None

    def sliding_axis(self) -> Vector | None:
        """The axis of a joint that translates along one axis; otherwise None."""
        return None

    def oblique_axis(self) -> Vector | None:
        """The axis of a one-axis joint, if it is numeric and not a coordinate axis: see `along_z`. Otherwise None."""
        return None

    def along_z(self) -> JointType:
        """The joint of the same type with its axis along z."""
        return self

    def unfelt(self, inertia: Inertia) -> Inertia | None:
        """The part of the child's inertia that joint forces cannot distinguish from the parent's, or None.

        Revolute: mass, first moment along the axis, and a rotor symmetric about it. Prismatic: the inertia matrix about
        the moving origin. Spherical: the mass. Helical and planar: the rotor. Gautier & Khalil 1990.
        """
        return None

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        """An upper bound of one moved body's contribution to the trace of the joint's block of M; inf by default.

        Args:
            m: mass of the body [kg].
            principal: its three moments of inertia about its centre of mass, in ascending order [kg m^2].
            way: maximum distance of the centre of mass from the joint [m].
        """
        return math.inf

    def midpoint(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Positions at the midpoint and at the end of a step with the velocity d/(h/2) at its midpoint: q + d, q + 2 d.

        Both half steps are the same motion c(d) of order 2 with c(-d) = c(d)^-1, so the step is symmetric. For
        orientations, c is the Cayley map. Quaternions are not normalised.
        """
        return self.chart(q, d), self.chart(q, [2 * x for x in d])

    def end_momenta(
        self, d: Sequence[Scalar], h: Scalar, p: Sequence[Scalar], f: Sequence[Scalar]
    ) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Momenta at both ends of the step of `midpoint`, by the discrete Legendre transforms: p - h f/2, p + h f/2.

        Args:
            d: see `midpoint`.
            h: length of the step.
            p: dL/dqd at the midpoint.
            f: dL/dq plus joint forces at the midpoint, in velocity coordinates.
        """
        ends = [(x - h / 2 * force, x + h / 2 * force) for x, force in zip(p, f, strict=True)]
        return tuple(first for first, _ in ends), tuple(last for _, last in ends)

    def chart(self, q: Sequence[Scalar], x: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Positions near q as functions of nv coordinates x: q + x, and for orientations q exp(x)."""
        return tuple(a + b for a, b in zip(q, x, strict=True))

    def chart_rate(self, q: Sequence[Scalar], x: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """dx/dt at the positions q of the chart; for orientations with an error of order 4 in x."""
        return self.coordinate_rate(q, qd)

    @abstractmethod
    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        """S^T F: the nv joint forces that balance a wrench on the child. LP 9.57."""

    @abstractmethod
    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        """Maximum distance of the child's origin from the joint's, within the limits of q [m]."""

    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """The nq coordinates at which the child frame coincides with the joint's frame."""


def axis_words(axis: Sequence[Scalar]) -> str:
    """An axis in words: `z`, `-x`, `(0.6 0 0.8)`."""
    names = {(1, 0, 0): "x", (0, 1, 0): "y", (0, 0, 1): "z", (-1, 0, 0): "-x", (0, -1, 0): "-y", (0, 0, -1): "-z"}
    return names.get(tuple(axis)) or "(" + " ".join(map(figure, axis)) + ")"


def figure(x: Scalar) -> str:
    """A number with four digits; an expression unchanged."""
    return str(x) if getattr(x, "free_symbols", ()) else f"{float(x):.4g}"


def rotor(axis: Sequence[Scalar], inertia: Inertia) -> tuple[Vector, Matrix] | None:
    """First moment along a coordinate axis, and inertia of a rotor symmetric about that axis; None for other axes."""
    magnitudes = [abs(x) if isinstance(x, Real) else None for x in axis]
    if 1 not in magnitudes or magnitudes.count(0) != 2:
        return None
    z = magnitudes.index(1)
    x, y = (z + 1) % 3, (z + 2) % 3
    h: list[Scalar] = [0, 0, 0]
    I: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    h[z] = inertia.h[z]
    I[x][x] = I[y][y] = inertia.I[y][y]
    return Vector(h), Matrix(I)


def unit(axis: Sequence[float]) -> Vector:
    """The axis scaled to unit length; `ModelError` if it is zero, or not a vector of three finite numbers."""
    try:
        length = math.hypot(*map(float, axis)) if len(axis) == 3 and not isinstance(axis, (str, bytes)) else math.nan
    except (TypeError, ValueError):
        length = math.nan
    if not (math.isfinite(length) and length > 1e-9):
        raise ModelError(f"a joint axis must be a nonzero vector of three finite numbers, not {axis!r}")
    if abs(length - 1) < 1e-12:
        return Vector(axis if are_plain(axis) else [int(x) if isinstance(x, int) else float(x) for x in axis])
    return Vector(float(x) / length for x in axis)


def direction(axis: Sequence[Scalar]) -> Vector:
    """An axis that may have symbols. Numbers are scaled by `unit`; expressions must have length one."""
    if type(axis) is Vector and are_plain(axis):
        return unit(axis)
    if not isinstance(axis, Sized) or len(axis) != 3 or not any(getattr(x, "free_symbols", ()) for x in axis):
        return unit(axis)
    square = sum(x * x for x in axis).simplify()
    if square != 1:
        raise ModelError(
            f"a joint axis with symbols must have length one, such as (cos(a), 0, sin(a)); the square of "
            f"{tuple(axis)} is {square}"
        )
    return Vector(int(x) if getattr(x, "is_Integer", False) else plain_number(x) for x in axis)


def span(lower: float, upper: float, reach: float) -> tuple[float, float]:
    """The part of the limits within +-reach; if that is empty, a range within the limits, at most 2 reach long."""
    low, high = max(lower, -reach), min(upper, reach)
    if low > high:
        low, high = (lower, lower + 2 * reach) if math.isfinite(lower) else (upper - 2 * reach, upper)
        low, high = max(low, lower), min(high, upper)
    return low, high
