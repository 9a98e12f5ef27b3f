"""Joints with one coordinate, and the fixed joint."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import ClassVar

from revolute.errors import ModelError
from revolute.model.joints.joint import JointType, axis_words, direction, figure, rotor
from revolute.plain_numbers import LARGEST, is_moderate, plain_number
from revolute.records import dataclass
from revolute.spatial import ZERO, Inertia, Rotation, Transform, Twist, Vector, Wrench, dot
from revolute.spatial.scalar import Scalar, cos, sin


@dataclass(frozen=True)
class Fixed(JointType):
    """A joint without motion. Only descriptions have fixed joints: a `Robot` merges the bodies that they connect."""

    nq = nv = 0
    q_names = qd_names = ()
    linear = ()

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform()

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(ZERO, ZERO)

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return ()

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        return 0.0

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return 0.0

    def neutral(self) -> tuple[float, ...]:
        return ()


@dataclass(frozen=True, init=False)
class OneAxis(JointType):
    """A joint with one coordinate along or about a unit axis.

    An axis of numbers is scaled to length one. An axis of SymPy expressions must have length
    one for all values of its symbols, such as (cos(a), 0, sin(a)). All other fields are scalars.
    """

    axis: Vector
    nq = nv = 1
    q_names = qd_names = ("",)
    linear = (False,)
    angles: ClassVar[tuple[int, ...]] = (0,)

    def __init__(self, axis: Sequence[Scalar] = (0, 0, 1)) -> None:
        object.__setattr__(self, "axis", direction(axis))

    def words(self) -> str:
        return f"{super().words()} {'along' if self.sliding_axis() else 'about'} {axis_words(self.axis)}"

    def oblique_axis(self) -> Vector | None:
        numbers = all(isinstance(x, Real) for x in self.axis)
        return self.axis if numbers and sorted(map(abs, self.axis)) != [0, 0, 1] else None

    def along_z(self) -> OneAxis:
        return self._with(Vector((0, 0, 1)), self._others())

    def reversed(self) -> OneAxis:
        """The joint about the opposite axis: the same q moves the parent in the child's frame."""
        return self._with(Vector(0 - x for x in self.axis), self._others())

    def scalars(self) -> tuple[Scalar, ...]:
        return (*self.axis, *self._others().values())

    def mapped(self, change: Callable[[Scalar], Scalar]) -> OneAxis:
        return self._with(Vector(map(change, self.axis)), {name: change(x) for name, x in self._others().items()})

    def _others(self) -> dict[str, Scalar]:
        """All fields except the axis: one scalar each."""
        return {name: x for name, x in vars(self).items() if name != "axis"}

    def _with(self, axis: Vector, others: Mapping[str, Scalar]) -> OneAxis:
        """A joint of the same type with other scalar parameters, without checks."""
        joint: OneAxis = object.__new__(type(self))
        vars(joint).update(axis=axis, **others)
        return joint

    def neutral(self) -> tuple[float, ...]:
        return (0.0,)


@dataclass(frozen=True, init=False)
class Revolute(OneAxis):
    """Rotation by q [rad] about an axis. Continuous joints are revolute without limits."""

    def turning_axis(self) -> Vector:
        return self.axis

    def unfelt(self, inertia: Inertia) -> Inertia:
        unfelt_rotor = rotor(self.axis, inertia)
        return Inertia(inertia.m, *unfelt_rotor) if unfelt_rotor else Inertia(inertia.m)

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        return principal[-1] + m * way**2

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Rotation.about(self.axis, cos(q[0]), sin(q[0])))

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(self.axis * qd[0], ZERO)

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return (dot(self.axis, F.ang),)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return 0.0


@dataclass(frozen=True, init=False)
class Prismatic(OneAxis):
    """Translation by q [m] along an axis."""

    linear = (True,)
    angles = ()

    def sliding_axis(self) -> Vector:
        return self.axis

    def unfelt(self, inertia: Inertia) -> Inertia:
        return Inertia(I=inertia.I)

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        return m

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(p=self.axis * q[0])

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(ZERO, self.axis * qd[0])

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return (dot(self.axis, F.lin),)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return max(abs(lower[0]), abs(upper[0]))


@dataclass(frozen=True, init=False)
class Helical(OneAxis):
    """A screw: rotation by q [rad] about an axis, and translation by pitch q along it. LP section 2.2.1.

    A right-handed thread with a lead of 10 mm per turn has pitch 0.010 / (2 pi) [m/rad]; a left-handed thread has a
    negative pitch. The joint force is the moment of a rotary drive [N m].
    """

    pitch: Scalar

    def __init__(self, axis: Sequence[Scalar] = (0, 0, 1), pitch: Scalar = 0.0) -> None:
        super().__init__(axis)
        if getattr(pitch, "free_symbols", ()):
            object.__setattr__(self, "pitch", pitch)
            return
        metres_per_radian = plain_number(pitch)
        if not is_moderate(metres_per_radian):
            raise ModelError(
                f"the pitch of a helical joint must be a finite number of metres per radian, up to {LARGEST:g}, not "
                f"{pitch!r}"
            )
        object.__setattr__(self, "pitch", float(metres_per_radian))

    def words(self) -> str:
        return f"{super().words()}, {figure(self.pitch)} m/rad"

    def unfelt(self, inertia: Inertia) -> Inertia | None:
        unfelt_rotor = rotor(self.axis, inertia)
        return Inertia(I=unfelt_rotor[1]) if unfelt_rotor else None

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        about_axis = principal[-1] + m * way**2
        return float((math.sqrt(max(about_axis, 0)) + abs(self.pitch) * math.sqrt(m)) ** 2)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Rotation.about(self.axis, cos(q[0]), sin(q[0])), self.axis * (q[0] * self.pitch))

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(self.axis * qd[0], self.axis * (qd[0] * self.pitch))

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return (dot(self.axis, F.ang) + dot(self.axis, F.lin) * self.pitch,)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return abs(self.pitch) * max(abs(lower[0]), abs(upper[0])) if self.pitch else 0.0
