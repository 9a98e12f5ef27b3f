"""Body frames on the common normals of joint axes, which minimize the constants between two joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from revolute.model.body import Body
from revolute.model.joints.one_axis import OneAxis
from revolute.model.model import AnyModel, derived
from revolute.records import dataclass
from revolute.spatial import Matrix, Rotation, Transform, Vector
from revolute.spatial.screws import Screws
from revolute.spatial.vectors import cross, dot, perpendicular


def on_common_normals(model: AnyModel) -> AnyModel:
    """The robot with the body frames of one-axis joints placed so that poses of joints need few constants.

    Every such axis becomes z. Without a change of q, the frame may be rotated about z and translated along z, and the
    frame of a prismatic joint may be translated anywhere. So x is placed on the common normal to the axis of a joint
    that the link carries, as by Denavit and Hartenberg (1955): the pose of that joint is a rotation about x
    and a translation along x, then the same for the joint's axis. Other joints on the link first need a rotation about
    z and a translation along z. Khalil & Kleinfinger 1986. The base frame, and the body frames of other joints, are
    unchanged. The frames of links, `model.frames`, keep their poses.
    """
    bodies, children = model.bodies, children_of(model.bodies)
    size = max((abs(x) for body in bodies for x in body.placement.p), default=0.0)
    frames = _first_frames(bodies, children, size)
    new = [bodies[0]]
    for i, body in enumerate(bodies[1:], 1):
        placement = _ahead(bodies, frames, i).merged()
        if isinstance(body.joint, OneAxis):
            along_z = [k for k in children[i] if isinstance(bodies[k].joint, OneAxis)]
            ways = [AxisLine.of(_ahead(bodies, frames, k), size) for k in along_z]
            own = AxisLine.of(placement, size)
            turn, d = _turn(own, ways), _shift(own, ways)
            frames[i] = frames[i] @ _about_z(turn, d)
            placement = own.then(turn, d).screws() if own else (placement @ _about_z(turn, d)).merged()
            body = replace(body, joint=body.joint.along_z())
        new.append(replace(body, placement=placement, inertia=frames[i].inverse() @ body.inertia))
    links = tuple(
        replace(link, placement=(frames[link.body].inverse() @ link.placement).merged()) for link in model.frames
    )
    return derived(model, bodies=tuple(new), frames=links)


def _first_frames(bodies: Sequence[Body], children: Sequence[Sequence[int]], size: float) -> list[Transform]:
    """Frames relative to the bodies, with z along joint axes; on prismatic joints, origins that need few constants."""
    frames = [_along_z(body) for body in bodies]
    for i, body in enumerate(bodies):
        if body.joint.sliding_axis():
            at = _ahead(bodies, frames, i)
            turning = [k for k in children[i] if bodies[k].joint.turning_axis()]
            origin = _on_axis(at, _ahead(bodies, frames, turning[0]), size) if turning else -(at.R.T @ at.p)
            frames[i] = frames[i] @ Transform(p=origin)
    return frames


def _ahead(bodies: Sequence[Body], frames: Sequence[Transform], i: int) -> Transform:
    """The pose of a body's new frame in its parent's new frame, with the joint at zero."""
    at: Transform = frames[bodies[i].parent].inverse() @ bodies[i].placement @ frames[i]
    return at


def children_of(bodies: Sequence[Body]) -> list[list[int]]:
    """For every body, the indices of its child bodies."""
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies[1:], 1):
        children[body.parent].append(i)
    return children


def _along_z(body: Body) -> Transform:
    """A frame with z along the joint's axis, in the body frame; the body frame itself for other joint types."""
    joint = body.joint
    return Transform(Rotation.from_matrix(with_z_along(joint.axis))) if isinstance(joint, OneAxis) else Transform()


def _on_axis(at: Transform, ahead: Transform, size: float) -> Vector:
    """Position of the origin of a prismatic joint's frame `at` on the axis of the next joint, `ahead`."""
    # It has no length along the common normal of its own axis and the parent's, if no angle is a right angle.
    own, axis = AxisLine.of(at, size), ahead.R.matrix().T[2]
    origin: Vector = ahead.p
    if own is None or own.parallel or _is_quarter(own.c):
        return origin
    normal = at.R.T @ Vector((*own.c1, 0))
    slope = dot(normal, axis)
    if abs(slope) < LEAST_SINE:
        return origin
    way = dot(normal, at.R.T @ at.p + origin) / slope
    return Vector(x - way * e for x, e in zip(origin, axis, strict=True))


def _turn(own: AxisLine | None, ways: Sequence[AxisLine | None]) -> Turn:
    """The rotation of a frame about z onto the common normals of most axes that its link carries, or of its own."""
    if wanted := [way.c1 for way in ways if way and not way.parallel]:
        return max(wanted, key=lambda turn: sum(_is_quarter(_less(other, turn)) for other in wanted))
    wanted = [way.c1 for way in ways if way and way.a != 0]
    return wanted[0] if wanted else _less(NONE, own.last_turn) if own else NONE


def _shift(own: AxisLine | None, ways: Sequence[AxisLine | None]) -> float:
    """The translation of a frame along z [m] to the feet of most common normals, including that of its own axis."""
    # Of several equally good ones: zero, if angles are right angles and axes intersect at the origin.
    feet = [way.foot for way in ways if way and not way.parallel]
    here = [-own.d2] if own else []
    wanted = sorted(here + feet, key=bool) if own and _is_quarter(own.c) else feet + here
    wanted += [way.foot for way in ways if way and way.parallel]
    return max(wanted, key=lambda d: sum(math.isclose(d, other, rel_tol=1e-12) for other in wanted)) if wanted else 0.0


def with_z_along(axis: Vector) -> Matrix:
    """A rotation matrix whose third column is the unit axis, for any scalar type."""
    x = perpendicular(axis)
    return Matrix((x, cross(axis, x), axis)).T


# --- poses of axes ---------------------------------------------------------------------------

Turn = tuple[float, float]  # cosine and sine of an angle, exact for multiples of 90 degrees
NONE: Turn = (1, 0)

LEAST_SINE = 0.2
"""Minimum sine of the angle between axes whose common normal is used. The feet of the normal go to infinity as the
angle goes to zero; at this sine they are at most five times as far away as the original frames."""

PARALLEL = 1e-12  # sine of the angle between axes below which they count as parallel
ROUNDING = 2e-14  # bound below which cosines, sines, and lengths relative to the robot's size count as zero


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
        """Whether the axis is parallel to the z axis of the other frame."""
        return self.c[1] == 0

    @property
    def foot(self) -> float:
        """Where the common normal meets the other frame's z axis; of parallel axes, the normal through this frame."""
        return self.c[0] * self.d2 if self.parallel else self.d1

    @property
    def last_turn(self) -> Turn:
        """The rotation about z in the last motion of `screws`."""
        if not self.parallel:
            return self.c2
        return _plus(self.c2, self.c1) if self.c[0] > 0 else _less(self.c2, self.c1)

    @classmethod
    def of(cls, X: Transform, size: float) -> AxisLine | None:
        """The line of a pose's z axis; None if it is nearly parallel. `size` [m] is the scale of rounding errors."""
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
        """This line, after its frame is rotated about it and translated along it."""
        d2 = self.d2 + d
        return replace(self, c2=_plus(self.c2, turn), d2=0.0 if abs(d2) < ROUNDING * abs(d) else d2)

    def screws(self) -> Screws:
        """The pose as a sequence of screw motions, without identities. Between parallel axes, p is in the x-y plane."""
        (c, s), last = self.c, _about_z(self.last_turn, self.d2)
        if self.parallel:
            steps = [_step(Rotation.about((1, 0, 0), c, s), (self.a * self.c1[0], self.a * self.c1[1], 0)), last]
        else:
            steps = [_about_z(self.c1, self.d1), _step(Rotation.about((1, 0, 0), c, s), (self.a, 0, 0)), last]
        return Screws.of([*(step for step in steps[:-1] if step != Transform()), last])


def _about_z(turn: Turn, d: float) -> Transform:
    """A rotation about z and a translation along it."""
    return _step(Rotation.about((0, 0, 1), *turn), (0, 0, d))


def _is_quarter(turn: Turn) -> bool:
    """Whether the angle is a multiple of 90 degrees."""
    return 0 in turn


def _plus(a: Turn, b: Turn) -> Turn:
    return _exact(a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1])


def _less(a: Turn, b: Turn) -> Turn:
    return _plus(a, (b[0], -b[1]))


def _parallel(R: Matrix, p: Vector, size: float) -> AxisLine:
    up, a = (1 if R[2][2] > 0 else -1), _length(math.hypot(p[0], p[1]), size)
    c1, total = _exact(p[0] / a, p[1] / a) if a else NONE, _exact(R[0][0], up * R[1][0])
    return AxisLine(c1, 0.0, (up, 0), a, _less(total, c1) if up > 0 else _plus(total, c1), _length(up * p[2], size))


def _exact(c: float, s: float) -> Turn:
    """The angle, rounded to a multiple of 90 degrees if it is close to one."""
    if abs(s) < ROUNDING:
        return (1 if c > 0 else -1), 0
    if abs(c) < ROUNDING:
        return 0, (1 if s > 0 else -1)
    return c, s


def _length(x: float, size: float) -> float:
    return 0.0 if abs(x) < ROUNDING * size else x


def _step(R: Rotation, p: tuple[float, float, float]) -> Transform:
    return Transform(Rotation.from_matrix(R.matrix()), Vector(p))
