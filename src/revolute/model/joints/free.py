"""Joints with a quaternion as orientation: constant subspaces without singularities. GOA remark 7."""

import math
from collections.abc import Sequence

from revolute.model.joints.joint import JointType
from revolute.records import dataclass
from revolute.spatial import ZERO, Inertia, Scalar, Transform, Twist, Vector, Wrench, cross, dot, quaternion, tilde


@dataclass(frozen=True)
class Spherical(JointType):
    """A ball joint: q = quaternion x y z w, qd = angular velocity in the child frame [rad/s].

    See also GOA Remark 7, 33.

    The quaternion may have any nonzero length: it is normalised. Joint forces are the moment about the centre,
    expressed in the child frame [N m].
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

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(Vector(qd), ZERO)

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.rate(q, qd)

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """The matrix of w x."""
        return tilde(qd)

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.normalized(q)

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.normalized(quaternion.product(quaternion.normalized(q), quaternion.exponential(d)))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The shortest rotation, by at most pi."""
        x, y, z, w = quaternion.normalized(q0)
        return quaternion.logarithm(quaternion.product((-x, -y, -z, w), quaternion.normalized(q1)))

    def midpoint(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """q c(d) and q c(d)^2, with the Cayley map c: a rotation about d by 2 atan(|d|/2)."""
        half = quaternion.cayley(d)
        middle = quaternion.product(q, half)
        return middle, quaternion.product(middle, half)

    def end_momenta(
        self, d: Sequence[Scalar], h: Scalar, p: Sequence[Scalar], f: Sequence[Scalar]
    ) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Small rotations e0, e1 of the ends, in the body frame, rotate the midpoint by eta and change d by delta.

            eta = (1 -+ d/2 x) e / 2,    delta = -+(1 -+ d x - |d|^2/4 + d d^T/2) e / 2

        for e = e0, e1. Their coefficients in the variation h f . eta + 2 p . delta of the action are -p0 and p1:

            (1 - |d|^2/4) p + d (d . p)/2 +- d x p -+ h/2 (f +- d x f/2)

        Moments `p` and `f` are expressed in the body frame at the midpoint; p0 and p1 in the body frame at either end.
        """
        d, p, f = Vector(d), Vector(p), Vector(f)
        kept = p * (1 - dot(d, d) / 4) + d * (dot(d, p) / 2) - cross(d, f) * (h / 4)
        turned = cross(d, p) - f * (h / 2)
        return tuple(kept + turned), tuple(kept - turned)

    def chart(self, q: Sequence[Scalar], x: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return quaternion.product(q, quaternion.exponential(x))

    def chart_rate(self, q: Sequence[Scalar], x: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The inverse of dexp in the child frame: w + x x w / 2 + x x (x x w) / 12. Munthe-Kaas 1998."""
        turned = cross(x, qd)
        return tuple(Vector(qd) + turned * (1 / 2) + cross(x, turned) * (1 / 12))

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return tuple(F.ang)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return 0.0

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Free(JointType):
    """A floating body: q = (position, quaternion x y z w), qd = body twist (w, v). GOA remark 7.

    The position [m] of the child's origin is expressed in the parent frame, the twist in the child frame. The
    quaternion may have any nonzero length: it is normalised.
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

    def velocity(self, qd: Sequence[Scalar]) -> Twist:
        return Twist(Vector(qd[0:3]), Vector(qd[3:6]))

    def coordinate_rate(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """p' = R v, and half the quaternion's product with (w, 0)."""
        return (*(self.transform(q).R @ Vector(qd[3:6])), *quaternion.rate(q[3:7], qd[0:3]))

    def bracket(self, qd: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """(w, v) x (a, b) = (w x a, v x a + w x b): from the variation of g' = g V^ by g -> g exp(d)."""
        w, v = tilde(qd[0:3]), tilde(qd[3:6])
        return (*((*row, 0, 0, 0) for row in w), *((*left, *right) for left, right in zip(v, w, strict=True)))

    def turned(self, qd: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return (*qd[0:3], *(quaternion.rotation(quaternion.cayley(d[0:3])).T @ Vector(qd[3:6])))

    def normalized(self, q: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return (*q[0:3], *quaternion.normalized(q[3:7]))

    def integrate(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Integrate along the screw of the twist d, not along a straight line. LP 3.88."""
        step = self.transform(q).R @ quaternion.displacement(d[0:3], d[3:6])
        return (*(Vector(q[0:3]) + step), *Spherical().integrate(q[3:7], d[0:3]))

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The twist of the screw motion with the shortest rotation, by at most pi. LP 3.92."""
        turn = Spherical().difference(q0[3:7], q1[3:7])
        offset = self.transform(q0).R.T @ (Vector(q1[0:3]) - Vector(q0[0:3]))
        return (*turn, *quaternion.motion(turn, offset))

    def midpoint(self, q: Sequence[Scalar], d: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """The position moves along a straight line, by v in the body frame at the midpoint."""
        middle, end = Spherical().midpoint(q[3:7], d[0:3])
        way = quaternion.rotation(middle) @ Vector(d[3:6])
        return (*(Vector(q[0:3]) + way), *middle), (*(Vector(q[0:3]) + way * 2), *end)

    def end_momenta(
        self, d: Sequence[Scalar], h: Scalar, p: Sequence[Scalar], f: Sequence[Scalar]
    ) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Linear momenta change by h f in the parent frame; moments are derivatives at fixed velocity of the origin.

        A small rotation e of the body changes v = R^T pd by v x e; so p x v is added to the moments.
        """
        way, linear, force = Vector(d[3:6]), Vector(p[3:6]), Vector(f[3:6])
        moments = Vector(f[0:3]) + cross(linear, way) * (2 / h)
        turns = Spherical().end_momenta(d[0:3], h, p[0:3], moments)
        half = quaternion.rotation(quaternion.cayley(d[0:3]))
        return ((*turns[0], *(half @ (linear - force * (h / 2)))), (*turns[1], *(half.T @ (linear + force * (h / 2)))))

    def chart(self, q: Sequence[Scalar], x: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Coordinates x: the displacement expressed in the parent frame, then a rotation vector."""
        return (*(Vector(q[0:3]) + Vector(x[0:3])), *Spherical().chart(q[3:7], x[3:6]))

    def chart_rate(self, q: Sequence[Scalar], x: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, ...]:
        way = self.coordinate_rate(q, qd)[0:3]
        return (*way, *Spherical().chart_rate(q[3:7], x[3:6], qd[0:3]))

    def force(self, F: Wrench) -> tuple[Scalar, ...]:
        return (*F.ang, *F.lin)

    def reach(self, lower: Sequence[float], upper: Sequence[float]) -> float:
        return math.hypot(*(max(abs(lower[k]), abs(upper[k])) for k in range(3)))

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
