"""Pose of a joint axis relative to another: two angles, two lengths, and the offsets of both frames."""

from __future__ import annotations

import math
from dataclasses import replace

from revolute.records import dataclass
from revolute.spatial import Matrix, Rotation, Transform, Vector
from revolute.spatial.screws import Screws

__all__ = ["LEAST_SINE", "NONE", "AxisLine", "Turn", "about_z", "is_quarter", "less"]

Turn = tuple[float, float]
"""Cosine and sine of an angle, exact for quarter turns."""

NONE: Turn = (1, 0)

LEAST_SINE = 0.2
"""Minimum sine of the angle between axes whose common normal is used. Its feet go to infinity as the angle goes to
zero; at this angle they are at most five times as far away as the frames were."""

PARALLEL = 1e-12
"""Sine of the angle below which axes are parallel."""

ROUNDING = 2e-14
"""Cosines, sines, and lengths relative to the robot's size below this count as zero."""


@dataclass(frozen=True)
class AxisLine:
    """The pose Rz(c1) Tz(d1) Rx(c) Tx(a) Rz(c2) Tz(d2) of a frame with its z along an axis. Khalil & Kleinfinger 1986.

    Between parallel axes d1 is zero.
    """

    c1: Turn
    d1: float
    c: Turn
    a: float
    c2: Turn
    d2: float

    @property
    def parallel(self) -> bool:
        """Whether the axis is parallel to that of the other frame."""
        return self.c[1] == 0

    @property
    def foot(self) -> float:
        """Position of the common normal on the other frame's z axis; of parallel axes, the one through this frame."""
        return self.c[0] * self.d2 if self.parallel else self.d1

    @property
    def last_turn(self) -> Turn:
        """The last angle of `screws`."""
        if not self.parallel:
            return self.c2
        return plus(self.c2, self.c1) if self.c[0] > 0 else less(self.c2, self.c1)

    @classmethod
    def of(cls, X: Transform, size: float) -> AxisLine | None:
        """The line of a pose's z axis; None if it is nearly but not exactly parallel. `size` is the robot's length."""
        R, p = X.R.matrix(), X.p
        sine = math.hypot(R[0][2], R[1][2])
        if sine < PARALLEL:
            return _parallel(R, p, size)
        if sine < LEAST_SINE:
            return None
        c1 = _exact(-R[1][2] / sine, R[0][2] / sine)
        c = _exact(R[2][2], sine)
        d2 = (c1[1] * p[0] - c1[0] * p[1]) / sine
        lengths = (p[2] - d2 * c[0], c1[0] * p[0] + c1[1] * p[1], d2)
        d1, a, d2 = (_length(x, size) for x in lengths)
        return cls(c1, d1, c, a, _exact(R[2][1] / sine, R[2][0] / sine), d2)

    def then(self, turn: Turn, d: float) -> AxisLine:
        """The same line, with the frame on it rotated about it and translated along it."""
        d2 = self.d2 + d
        return replace(self, c2=plus(self.c2, turn), d2=0.0 if abs(d2) < ROUNDING * abs(d) else d2)

    def screws(self) -> Screws:
        """The pose as steps, without identity steps. Between parallel axes p has two components."""
        (c, s), last = self.c, about_z(self.last_turn, self.d2)
        if self.parallel:
            steps = [_step(Rotation.about((1, 0, 0), c, s), (self.a * self.c1[0], self.a * self.c1[1], 0)), last]
        else:
            steps = [
                about_z(self.c1, self.d1),
                _step(Rotation.about((1, 0, 0), c, s), (self.a, 0, 0)),
                last,
            ]
        return Screws.of([*(step for step in steps[:-1] if step != Transform()), last])


def about_z(turn: Turn, d: float) -> Transform:
    """A rotation about z and a translation along it."""
    return _step(Rotation.about((0, 0, 1), *turn), (0, 0, d))


def is_quarter(turn: Turn) -> bool:
    """Whether the angle is a multiple of 90 degrees."""
    return 0 in turn


def plus(a: Turn, b: Turn) -> Turn:
    """The sum of two angles."""
    return _exact(a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1])


def less(a: Turn, b: Turn) -> Turn:
    """The difference of two angles."""
    return plus(a, (b[0], -b[1]))


def _parallel(R: Matrix, p: Vector, size: float) -> AxisLine:
    up, a = (1 if R[2][2] > 0 else -1), _length(math.hypot(p[0], p[1]), size)
    c1, total = _exact(p[0] / a, p[1] / a) if a else NONE, _exact(R[0][0], up * R[1][0])
    return AxisLine(c1, 0.0, (up, 0), a, less(total, c1) if up > 0 else plus(total, c1), _length(up * p[2], size))


def _exact(c: float, s: float) -> Turn:
    """The angle, exact if it is close to a multiple of 90 degrees."""
    if abs(s) < ROUNDING:
        return (1 if c > 0 else -1), 0
    if abs(c) < ROUNDING:
        return 0, (1 if s > 0 else -1)
    return c, s


def _length(x: float, size: float) -> float:
    return 0.0 if abs(x) < ROUNDING * size else x


def _step(R: Rotation, p: tuple[float, float, float]) -> Transform:
    return Transform(Rotation.of(R.matrix()), Vector(p))
