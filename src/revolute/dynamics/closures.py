"""Closed loops: what two links of a tree must have in common, over any scalar."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from revolute.dynamics.kinematics import frame_pose
from revolute.errors import InputError
from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.spatial import Transform
from revolute.vectors import Vector, dot

__all__ = ["AxisClosure", "Closure", "FrameClosure", "PointClosure"]


At = Transform | tuple[float, float, float]
"""A pose in a link's frame, or a position [m]."""


class Closure(ABC):
    """A holonomic constraint: scalars of q that must be zero. Only these are written; all rates follow from them."""

    @abstractmethod
    def error(self, robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
        """How far the loop is from being closed."""

    @abstractmethod
    def row_names(self) -> list[str]:
        """A name for each of these scalars."""

    def links(self) -> tuple[str, ...]:
        """Names of the links that it holds together, where it holds links."""
        return ()


@dataclass(frozen=True)
class _Pair(Closure):
    """Two frames, each fixed to a link, whose origins coincide.

    Attributes:
        link_a: name of a link.
        link_b: name of another; None for the base frame, which stands still.
        at_a, at_b: position (x, y, z) [m] or pose of the closure in each link's frame.
    """

    link_a: str
    link_b: str | None = None
    at_a: At = (0.0, 0.0, 0.0)
    at_b: At = (0.0, 0.0, 0.0)

    _turns: ClassVar[tuple[tuple[int, int], ...]] = ()
    """Axes (of a, of b) that stay orthogonal."""

    def __post_init__(self) -> None:
        for at in (self.at_a, self.at_b):
            place = at.p if isinstance(at, Transform) else at
            if not (isinstance(place, Sequence) and len(place) == 3 and all(map(_is_number, place))):
                raise InputError(f"a closure is at a Transform or three finite numbers x, y, z [m], not at {at!r}")

    def error(self, robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
        """p_a - p_b along the base's axes [m]; then cosines of the angles that must stay right ones."""
        a, b = (_placed(robot, q, link, at) for link, at in self.sides())
        A, B = a.R.matrix().T, b.R.matrix().T  # rows are axes
        return [*(a.p - b.p), *(dot(A[i], B[j]) for i, j in self._turns)]

    def row_names(self) -> list[str]:
        name = f"{self.link_a}/{self.link_b or 'base frame'}"
        return [f"{name}.{row}" for row in ("x", "y", "z", *(f"{'xyz'[i]}{'xyz'[j]}" for i, j in self._turns))]

    def links(self) -> tuple[str, ...]:
        return tuple(link for link in (self.link_a, self.link_b) if link is not None)

    def __str__(self) -> str:
        kind = type(self).__name__.removesuffix("Closure").lower()
        other = "the base frame" if self.link_b is None else f"'{self.link_b}'"
        return f"{kind} of '{self.link_a}' and {other}"

    def sides(self) -> tuple[tuple[str | None, At], ...]:
        """The link, or None for the base frame, and the place there, of a and of b."""
        return (self.link_a, self.at_a), (self.link_b, self.at_b)


@dataclass(frozen=True)
class PointClosure(_Pair):
    """A ball joint that closes a loop: two points coincide. Three rows."""


@dataclass(frozen=True)
class AxisClosure(_Pair):
    """A hinge that closes a loop: two points coincide, and the z axes there. Five rows."""

    _turns: ClassVar[tuple[tuple[int, int], ...]] = ((2, 0), (2, 1))


@dataclass(frozen=True)
class FrameClosure(_Pair):
    """A weld that closes a loop: two frames coincide. Six rows.

    Its last three multipliers are moments about axes only near the closed state.
    """

    _turns: ClassVar[tuple[tuple[int, int], ...]] = ((0, 1), (1, 2), (2, 0))


def _is_number(x: object) -> bool:
    return isinstance(x, Real) and math.isfinite(x)


def _placed(robot: Robot, q: Sequence[Scalar], link: str | None, at: At) -> Transform:
    """Pose in the base frame of what is fixed to a link."""
    own = at if isinstance(at, Transform) else Transform(p=Vector(at))
    return (own if link is None else frame_pose(robot, q, link) @ own).merged()
