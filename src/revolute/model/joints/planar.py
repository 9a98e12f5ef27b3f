"""The planar joint: two translations and a rotation in a plane."""

import math
from collections.abc import Sequence
from functools import cached_property

from revolute.model.joints.joint import JointType, axis_words, rotor, unit
from revolute.records import dataclass
from revolute.spatial import Inertia, Rotation, Transform, Twist, Vector, Wrench, cross, dot
from revolute.spatial.quaternion import sinc
from revolute.spatial.scalar import Scalar, cos, nearest_turn, sin


@dataclass(frozen=True, init=False)
class Planar(JointType):
    """Motion in a plane: q = (x, y, angle) [m, m, rad], qd = (w, vx, vy) [rad/s, m/s, m/s].

    (x, y) is the position of the child's origin along two directions fixed to the parent;
    (vx, vy) is its velocity along the same directions fixed to the child. So qd is a body twist, as for a free joint,
    and not the time derivative of q. The directions are x and y for the normal z, y and z for x, z and x for y. For any
    other normal n, the first direction is the coordinate axis after that of n's largest component (order x, y, z, x),
    orthogonalized to n; the second is the cross product of n and the first.
    """

    normal: Vector
    nq = nv = 3
    q_names = ("x", "y", "angle")
    qd_names = ("w", "vx", "vy")
    linear = (False, True, True)
    angles = (2,)

    def __init__(self, normal: Sequence[float] = (0, 0, 1)) -> None:
        object.__setattr__(self, "normal", unit(normal))

    @cached_property
    def first(self) -> Vector:
        """The direction of x in the parent frame, and of vx in the child frame."""
        n = self.normal
        following = (max(range(3), key=lambda k: abs(n[k])) + 1) % 3
        e = Vector(int(k == following) for k in range(3))
        return e if n[following] == 0 else unit(e - n * n[following])

    @cached_property
    def second(self) -> Vector:
        """The direction of y in the parent frame, and of vy in the child frame."""
        return cross(self.normal, self.first)

    def words(self) -> str:
        return f"planar across {axis_words(self.normal)}"

    def unfelt(self, inertia: Inertia) -> Inertia | None:
        unfelt_rotor = rotor(self.normal, inertia)
        return Inertia(I=unfelt_rotor[1]) if unfelt_rotor else None

    def largest_inertia(self, m: float, principal: Sequence[float], way: float) -> float:
        return principal[-1] + m * way**2 + 2 * m

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(Rotation.about(self.normal, cos(q[2]), sin(q[2])), self._in_plane(q[0], q[1]))

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(self.normal * qd[0], self._in_plane(qd[1], qd[2]))

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """(x, y)' = R(angle) (vx, vy)."""
        return (*_turned(cos(q[2]), sin(q[2]), qd[1], qd[2]), qd[0])

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """(w, v) x (a, b) = (0, w n x b - a n x v)."""
        w, vx, vy = qd
        return ((0, 0, 0), (vy, 0, -w), (-vx, w, 0))

    def turned(self, qd: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return (qd[0], *_turned(cos(d[0]), -sin(d[0]), qd[1], qd[2]))

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Integrate along an arc; the mean of (cos, sin) along it is (sin w / w, (1 - cos w) / w)."""
        half = d[0] / 2
        share = sinc(half)
        step = _turned(sinc(d[0]), half * share * share, d[1], d[2])
        x, y = _turned(cos(q[2]), sin(q[2]), *step)
        return q[0] + x, q[1] + y, q[2] + d[0]

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The difference with the shortest rotation, at most pi: `integrate` returns q1, the angle modulo 2 pi."""
        half = nearest_turn(q1[2] - q0[2], 0) / 2
        x, y = _turned(cos(q0[2]), -sin(q0[2]), q1[0] - q0[0], q1[1] - q0[1])
        return 2 * half, *_turned(cos(half) / sinc(half), -half, x, y)

    def midpoint(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """(x, y) moves along a straight line, with a velocity expressed in the frame at the midpoint."""
        angle = q[2] + d[0]
        x, y = _turned(cos(angle), sin(angle), d[1], d[2])
        return (q[0] + x, q[1] + y, angle), (q[0] + 2 * x, q[1] + 2 * y, angle + d[0])

    def end_momenta(
        self, d: Sequence[Scalar], h: Scalar, p: Sequence[Scalar], f: Sequence[Scalar]
    ) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Momenta as for `Free.end_momenta`, in a plane."""
        moment = h / 2 * f[0] + (p[1] * d[2] - p[2] * d[1])
        c, s = cos(d[0]), sin(d[0])
        first = _turned(c, s, p[1] - h / 2 * f[1], p[2] - h / 2 * f[2])
        last = _turned(c, -s, p[1] + h / 2 * f[1], p[2] + h / 2 * f[2])
        return (p[0] - moment, *first), (p[0] + moment, *last)

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return dot(self.normal, F.ang), dot(self.first, F.lin), dot(self.second, F.lin)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return math.hypot(*(max(abs(lower[k]), abs(upper[k])) for k in range(2)))

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0)

    def _in_plane(self, x: Scalar, y: Scalar) -> Vector:
        point: Vector = self.first * x + self.second * y
        return point


def _turned(c: Scalar, s: Scalar, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """(x, y) rotated by the angle with cosine c and sine s."""
    return c * x - s * y, s * x + c * y
