"""What every type of joint tells, over any scalar."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Sized
from numbers import Real
from typing import ClassVar

import numpy as np

from revolute.errors import ModelError
from revolute.plain_numbers import plain_number
from revolute.spatial import Force, Inertia, Motion, Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import Matrix, Vector

__all__ = ["Joint", "axis_words", "figure", "rotor", "uniform", "unit"]


class Joint(ABC):
    """What a recursion may ask of a joint. q, qd, qdd are sequences of nq, nv, nv scalars.

    The subspace S of `velocity` is constant along the child's axes (GOA remark 7), so qd are
    velocities, and need not be the rates of q.

    Attributes:
        nq, nv: numbers of coordinates and of velocities.
        q_names, qd_names: a name for each; "" for the one of a joint with one axis.
        linear: which velocities are in m/s; the others are in rad/s.
        angles: which coordinates are angles [rad].
        quaternion_at: where in q four numbers x, y, z, w are a quaternion, if any are.
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
    def velocity(self, qd: Sequence[Scalar]) -> Motion:
        """Twist S qd of the child relative to the parent, along the child's axes."""

    def columns(self) -> list[Motion]:
        """The nv columns of S: the twists of unit velocities."""
        return [self.velocity([int(k == other) for other in range(self.nv)]) for k in range(self.nv)]

    def acceleration(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Motion:
        """Rate of the components of `velocity`, S qdd."""
        return self.velocity(qdd)

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """dq/dt, which is qd for joints with one axis."""
        return tuple(qd)

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """ad: the matrix of V x. Small motions d along the velocities change by dd/dt = dqd - ad d."""
        return ((0,),) * self.nv

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The same configuration, with a quaternion of length one."""
        return tuple(q)

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Where the velocity d leads in one unit of time: q exp(d). Of numbers and arrays."""
        return tuple(x + y for x, y in zip(q, d, strict=True))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The d of `integrate` that leads from q0 to q1. Of numbers and arrays."""
        return tuple(y - x for x, y in zip(q0, q1, strict=True))

    def scalars(self) -> tuple[Scalar, ...]:
        """The scalars that the joint's equations depend on: its axis, its pitch."""
        return ()

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Joint:
        """The joint with each of `scalars` changed. A changed axis is not scaled to length one."""
        return self

    def words(self) -> str:
        """Its type and axis: `revolute about z`."""
        return type(self).__name__.lower()

    def turning_axis(self) -> Vector | None:
        """The axis of a joint that turns about one and does nothing else."""
        return None

    def sliding_axis(self) -> Vector | None:
        """The axis of a joint that slides along one and does nothing else."""
        return None

    def oblique_axis(self) -> Vector | None:
        """The one axis of a joint where it is of numbers, and no coordinate axis: see `along_z`."""
        return None

    def along_z(self) -> Joint:
        """The same joint with its one axis along z."""
        return self

    def unfelt(self, inertia: Inertia) -> Inertia | None:
        """The part of the child's inertia that it cannot tell apart from its parent's; None if there is none.

        About a revolute axis the mass, the first moment along the axis and a rotor symmetric about it; along a
        prismatic axis the whole inertia matrix about the moving origin; of a spherical joint the mass; of a screw and
        of a plane the rotor. Gautier & Khalil 1990.
        """
        return None

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        """A bound of the trace of the joint's own block of M, for one body that it moves; inf where none is known.

        Args:
            m: mass of the body [kg].
            principal: its three moments of inertia about its centre of mass, in rising order [kg m^2].
            way: how far the centre of mass can be from the joint [m].
        """
        return math.inf

    @abstractmethod
    def force(self, F: Force) -> tuple[Scalar, ...]:
        """S^T F: the nv joint forces that balance a wrench on the child. LP 9.57."""

    @abstractmethod
    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        """How far the child's origin can be from the joint's within limits of q [m]."""

    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """The nq coordinates at which the child frame is on the joint's frame."""

    @abstractmethod
    def random(self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, ...]:
        """nq coordinates within the limits; without limits, within +-pi [rad] or +-1 [m]."""


def axis_words(axis: Sequence[Scalar]) -> str:
    """An axis in words: `z`, `-x`, `(0.6 0 0.8)`."""
    named = {(1, 0, 0): "x", (0, 1, 0): "y", (0, 0, 1): "z", (-1, 0, 0): "-x", (0, -1, 0): "-y", (0, 0, -1): "-z"}
    return named.get(tuple(axis)) or "(" + " ".join(map(figure, axis)) + ")"


def figure(x: Scalar) -> str:
    """A number in four digits; an expression as it is."""
    return str(x) if getattr(x, "free_symbols", ()) else f"{float(x):.4g}"


def rotor(axis: Sequence[Scalar], inertia: Inertia) -> tuple[Vector, Matrix] | None:
    """First moment along a coordinate axis, and the inertia of a rotor symmetric about it; None of other axes."""
    e = [abs(x) if isinstance(x, Real) else None for x in axis]
    if 1 not in e or e.count(0) != 2:
        return None
    z = e.index(1)
    x, y = (z + 1) % 3, (z + 2) % 3
    h: list[Scalar] = [0, 0, 0]
    I: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    h[z] = inertia.h[z]
    I[x][x] = I[y][y] = inertia.I[y][y]
    return Vector(h), Matrix(I)


def unit(axis: Sequence[float]) -> Vector:
    """The axis with length one.

    Raises:
        ModelError: it is no vector of three finite numbers, or has no direction.
    """
    try:
        length = math.hypot(*map(float, axis)) if len(axis) == 3 and not isinstance(axis, (str, bytes)) else math.nan
    except (TypeError, ValueError):
        length = math.nan
    if not (math.isfinite(length) and length > 1e-9):
        raise ModelError(f"a joint axis must be a finite vector of three numbers and not zero, not {axis!r}")
    if abs(length - 1) < 1e-12:
        return Vector(int(x) if isinstance(x, int) else float(x) for x in axis)
    return Vector(float(x) / length for x in axis)


def direction(axis: Sequence[Scalar]) -> Vector:
    """An axis that may have symbols: of numbers as `unit` has it, else as it is.

    Raises:
        ModelError: as `unit`; or the expressions do not have length one whatever their symbols are.
    """
    if not isinstance(axis, Sized) or len(axis) != 3 or not any(getattr(x, "free_symbols", ()) for x in axis):
        return unit(axis)
    square = sum(x * x for x in axis).simplify()
    if square != 1:
        raise ModelError(
            f"a joint axis with symbols must have length one, such as (cos(a), 0, sin(a)); the square of "
            f"{tuple(axis)} is {square}"
        )
    return Vector(int(x) if getattr(x, "is_Integer", False) else plain_number(x) for x in axis)


def uniform(rng: np.random.Generator, lower: float, upper: float, reach: float) -> float:
    """A number within the limits, and within +-reach where these allow it."""
    low, high = max(lower, -reach), min(upper, reach)
    if low > high:  # limits that lie wholly outside the reach
        low, high = (lower, lower + 2 * reach) if math.isfinite(lower) else (upper - 2 * reach, upper)
        low, high = max(low, lower), min(high, upper)
    return float(rng.uniform(low, max(low, high)))  # NumPy takes no low of 0 with a high of -0
