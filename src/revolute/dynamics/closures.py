"""Closed loops: constraints between two links, or two joints, of a tree, for any scalar type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import perm
from typing import ClassVar

from revolute.arguments import nearest
from revolute.dynamics.carried_frame import CarriedFrame
from revolute.dynamics.kinematics import path_to
from revolute.errors import InputError, ModelError
from revolute.model import Closure, Mimic, Model
from revolute.plain_numbers import LARGEST, is_moderate, plain_all, plain_text
from revolute.records import dataclass
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Transform, Twist, Vector, cross, dot

__all__ = ["AxisClosure", "Closure", "FrameClosure", "JointClosure", "PointClosure", "mimics"]

At = Transform | tuple[float, float, float]
"""A pose of a link frame, or a position [m] in it, at which a closure is attached."""


STILL = Twist(ZERO, ZERO)


@dataclass(frozen=True)
class _Pair(Closure):
    """Two frames, each fixed to a link, whose origins coincide."""

    link_a: str  # name of a link
    link_b: str | None = None  # name of another link; None for the fixed base frame
    # at_a, at_b: position (x, y, z) [m] or pose of the closure in each link's frame
    at_a: At = (0.0, 0.0, 0.0)
    at_b: At = (0.0, 0.0, 0.0)

    _turns: ClassVar[tuple[tuple[int, int], ...]] = ()
    """Pairs (axis of frame a, axis of frame b) of axes that the closure keeps orthogonal."""

    def __post_init__(self) -> None:
        for name in ("link_a", "link_b"):
            object.__setattr__(self, name, plain_text(getattr(self, name)))
        for name in ("at_a", "at_b"):
            object.__setattr__(self, name, _place(getattr(self, name)))

    def error(self, robot: Model, q: Scalars) -> list[Scalar]:
        """p_a - p_b [m]; then the cosines of the angles between the orthogonal axes."""
        # Vectors are expressed in the frame of the last link that carries both, or of the base.
        a, b = self._seen(robot, q)
        return [*(a.pose.p - b.pose.p), *(dot(A, B) for A, B in self._axes(a, b))]

    def jacobian(self, robot: Model, q: Scalars) -> Rows:
        """Rows J with de/dt = J qd. For axes A and B, d/dt (A . B) = (w_a - w_b) . (A x B)."""
        a, b = self._seen(robot, q)
        columns = [a.columns.get(k, STILL) - b.columns.get(k, STILL) for k in range(robot.nv)]
        normals = [cross(A, B) for A, B in self._axes(a, b)]
        rows = [[column.lin[r] for column in columns] for r in range(3)]
        return rows + [[dot(column.ang, normal) for column in columns] for normal in normals]

    def drift(self, robot: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        """The drift dJ/dt qd of each row."""
        a, b = self._seen(robot, q, qd)
        rates = [
            dot(a.wd - b.wd, cross(A, B)) + dot(a.w - b.w, cross(cross(a.w, A), B) + cross(A, cross(b.w, B)))
            for A, B in self._axes(a, b)
        ]
        return [*(a.a - b.a), *rates]

    def _axes(self, a: CarriedFrame, b: CarriedFrame) -> list[tuple[Vector, Vector]]:
        """The pairs (axis of frame a, axis of frame b) that the closure keeps orthogonal."""
        A, B = a.pose.R.matrix().T, b.pose.R.matrix().T  # each row is an axis
        return [(A[i], B[j]) for i, j in self._turns]

    def _seen(self, robot: Model, q: Scalars, qd: Scalars | None = None) -> list[CarriedFrame]:
        """Both frames, relative to the last body that carries both."""
        ends, still = [(link, _as_pose(at)) for link, at in self.sides()], (0,) * robot.nv
        paths = [[] if link is None else path_to(robot, link) for link, _ in ends]
        shared = sum(i == j for i, j in zip(*paths, strict=False))
        carrier = paths[0][shared - 1] if shared else 0
        places = [pose if link is None else robot.frame(link).placement @ pose for link, pose in ends]
        sides = zip(paths, places, strict=True)
        return [CarriedFrame.of(robot, q, qd or still, carrier, path[shared:], place) for path, place in sides]

    def row_names(self) -> list[str]:
        name = f"{self.link_a}/{self.link_b or 'base frame'}"
        return [f"{name}.{row}" for row in ("x", "y", "z", *(f"{'xyz'[i]}{'xyz'[j]}" for i, j in self._turns))]

    def links(self) -> tuple[str, ...]:
        return tuple(link for link in (self.link_a, self.link_b) if link is not None)

    def attached(self, prefix: str, link: str, placement: Transform) -> Closure:
        if self.link_b is not None:
            return replace(self, link_a=prefix + self.link_a, link_b=prefix + self.link_b)
        at_b = self.at_b if placement == Transform() else placement @ _as_pose(self.at_b)
        return replace(self, link_a=prefix + self.link_a, link_b=link, at_b=at_b)

    def __str__(self) -> str:
        kind = type(self).__name__.removesuffix("Closure").lower()
        other = "the base frame" if self.link_b is None else f"'{self.link_b}'"
        return f"{kind} of '{self.link_a}' and {other}"

    def sides(self) -> tuple[tuple[str | None, At], ...]:
        """For frames a and b: the link name, or None for the base, and the pose or position in the link frame."""
        return (self.link_a, self.at_a), (self.link_b, self.at_b)


@dataclass(frozen=True)
class PointClosure(_Pair):
    """A ball joint that closes a loop: two points coincide. Three rows."""


@dataclass(frozen=True)
class AxisClosure(_Pair):
    """A hinge that closes a loop: two points and their z axes coincide. Five rows.

    The last two of its multipliers are moments about y and -x of the closure's frame, near the closed state.
    """

    _turns: ClassVar[tuple[tuple[int, int], ...]] = ((2, 0), (2, 1))


@dataclass(frozen=True)
class FrameClosure(_Pair):
    """A weld that closes a loop: two frames coincide. Six rows.

    The last three of its multipliers are moments about z, x and y of the closure's frame, near the closed state.
    """

    _turns: ClassVar[tuple[tuple[int, int], ...]] = ((0, 1), (1, 2), (2, 0))


@dataclass(frozen=True)
class JointClosure(Closure):
    """A joint whose position follows another joint: q_follower = c0 + c1 q_leader + c2 q_leader^2 + .... One row.

    Attributes:
        follower: name of a joint with one coordinate.
        leader: name of another joint; None to hold the follower at c0.
        coefficients: c0, c1, ... [rad, m, divided by powers of rad, m].
    """

    follower: str
    leader: str | None = None
    coefficients: tuple[float, ...] = (0.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("follower", "leader"):
            object.__setattr__(self, name, plain_text(getattr(self, name)))
        coefficients = plain_all(self.coefficients) if isinstance(self.coefficients, tuple) else ()
        if not coefficients or not all(map(is_moderate, coefficients)):
            raise InputError(
                f"a JointClosure needs a tuple of finite coefficients c0, c1, ... up to {LARGEST:g}, not "
                f"{self.coefficients!r}"
            )
        object.__setattr__(self, "coefficients", coefficients)
        if self.leader is None and len(coefficients) > 1:
            raise InputError(f"a JointClosure without a leader takes only the coefficient c0, not {coefficients!r}")
        names = self.joints()
        if not all(isinstance(name, str) for name in names):
            raise InputError(f"a JointClosure needs the names of joints, not {names}")
        if len(set(names)) < len(names):
            raise InputError(f"a JointClosure couples two different joints, not '{self.follower}' and itself")

    def error(self, robot: Model, q: Scalars) -> list[Scalar]:
        """q_follower minus the value of the polynomial [rad, m]."""
        return [self._position(robot, q, self.follower) - self._slope(robot, q, 0)]

    def jacobian(self, robot: Model, q: Scalars) -> Rows:
        """One row: 1 for the follower, minus the slope of the polynomial for the leader."""
        row: list[Scalar] = [0] * robot.nv
        for name, value in zip(self.joints(), (1, -self._slope(robot, q, 1)), strict=False):
            row[robot.v_index[robot.joint_index(name)].start] = value
        return [row]

    def drift(self, robot: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        """dJ/dt qd: minus the polynomial's second derivative times the square of the leader's velocity."""
        if self.leader is None:
            return [0]
        v = qd[robot.v_index[robot.joint_index(self.leader)].start]
        return [-self._slope(robot, q, 2) * v * v]

    def row_names(self) -> list[str]:
        return [f"{self.follower}/{self.leader or 'held'}"]

    def joints(self) -> tuple[str, ...]:
        return (self.follower,) if self.leader is None else (self.follower, self.leader)

    def attached(self, prefix: str, link: str, placement: Transform) -> Closure:
        leader = None if self.leader is None else prefix + self.leader
        return replace(self, follower=prefix + self.follower, leader=leader)

    def __str__(self) -> str:
        return f"joint '{self.follower}' {'held' if self.leader is None else f'by joint {self.leader!r}'}"

    def _slope(self, robot: Model, q: Scalars, order: int) -> Scalar:
        """The polynomial's derivative of order `order`, at the leader's position."""
        value: Scalar = 0
        x = 0 if self.leader is None else self._position(robot, q, self.leader)
        for power in range(len(self.coefficients) - 1, order - 1, -1):  # by Horner's rule
            value = value * x + self.coefficients[power] * perm(power, order)
        return value

    def _position(self, robot: Model, q: Scalars, name: str) -> Scalar:
        at = robot.q_index[robot.joint_index(name)]
        if at.stop - at.start != 1:
            raise InputError(f"a JointClosure couples joints with one coordinate; '{name}' has {at.stop - at.start}")
        return q[at.start]


def mimics(robot: Model) -> list[JointClosure]:
    """The closures of all joints with a `Drive.mimic`. Raise if a leader does not exist or a number is symbolic."""
    closures = []
    for body in robot.bodies:
        if mimic := body.drive.mimic:
            require_leader("with_closures", robot, body.joint_name, mimic)
            coefficients = [_coefficient(robot, body.joint_name, x) for x in (mimic.offset, mimic.multiplier)]
            closures.append(JointClosure(body.joint_name, mimic.joint, tuple(coefficients)))
    return closures


def _coefficient(robot: Model, joint: str, x: Scalar) -> float:
    """A coefficient of a mimic as a number. Raise `InputError` if it contains symbols."""
    if symbols := getattr(x, "free_symbols", ()):
        names = sorted(symbol.name for symbol in symbols)
        raise InputError(
            f"with_closures: joint '{joint}' of '{robot.name}' mimics another joint, with {', '.join(names)} in its "
            f"multiplier or offset, but closures need numbers. Substitute values: robot.subs({{'{names[0]}': ...}})"
        )
    return float(x)


def require_leader(caller: str, robot: Model, joint: str, mimic: Mimic) -> None:
    """Raise `ModelError` unless the leader of a mimicking joint is a joint of the robot."""
    if mimic.joint not in robot.joint_names:
        raise ModelError(
            f"{caller}: joint '{joint}' of '{robot.name}' mimics '{mimic.joint}', which does not exist in the robot; "
            f"{nearest(mimic.joint, robot.joint_names)}; correct its Drive.mimic, or lock it too"
        )


def _place(at: At) -> At:
    """A pose or position in plain numbers. Raise `InputError` if an entry is not a number."""
    pose = at.plain("a closure's place") if isinstance(at, Transform) else None
    position = pose.p if pose else plain_all(tuple(at)) if isinstance(at, Sequence) and len(at) == 3 else ()
    rows = pose.R.matrix() if pose else ()
    if not position or not all(map(is_moderate, (*position, *(x for row in rows for x in row)))):
        raise InputError(
            f"a closure needs a Transform or three finite numbers x, y, z up to {LARGEST:g} [m], not {at!r}"
        )
    return pose or (position[0], position[1], position[2])


def _as_pose(at: At) -> Transform:
    return at if isinstance(at, Transform) else Transform(p=Vector(at))
