"""Link frames on the common normals of joint axes, which minimize the constants between two joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from revolute.model.body import Body
from revolute.model.joints.one_axis import OneAxis
from revolute.model.line import LEAST_SINE, NONE, AxisLine, Turn, about_z, is_quarter, less
from revolute.model.model import AnyModel, derived
from revolute.spatial import Matrix, Rotation, Transform, Vector
from revolute.spatial.vectors import cross, dot, perpendicular

__all__ = ["children_of", "on_common_normals", "with_z_along"]


def on_common_normals(model: AnyModel) -> AnyModel:
    """The robot with the frames of links on one-axis joints placed for the fewest constants.

    Every such axis becomes z. The frame may be rotated about it and translated along it, and the frame of a prismatic
    joint may be translated anywhere: the joint's position is unchanged. So x is placed on the common normal to the axis
    of a joint that the link carries, as by Denavit and Hartenberg (1955): the pose of that joint is a rotation about x
    and a translation along x, then the same for the joint's axis. Other joints on the link first need a rotation about
    z and a translation along z. Khalil & Kleinfinger 1986. The base frame, and the frames of links on other joints, are
    unchanged. Link frames keep their poses.
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
            frames[i] = frames[i] @ about_z(turn, d)
            placement = own.then(turn, d).screws() if own else (placement @ about_z(turn, d)).merged()
            body = replace(body, joint=body.joint.along_z())
        new.append(replace(body, placement=placement, inertia=frames[i].inverse() @ body.inertia))
    links = tuple(
        replace(link, placement=(frames[link.body].inverse() @ link.placement).merged()) for link in model.frames
    )
    return derived(model, bodies=tuple(new), frames=links)


def _first_frames(bodies: Sequence[Body], children: Sequence[Sequence[int]], size: float) -> list[Transform]:
    """Frames relative to the bodies, with joint axes along z; frames on prismatic joints as the table requires."""
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
    """For every body, the bodies that it carries by a joint."""
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies[1:], 1):
        children[body.parent].append(i)
    return children


def _along_z(body: Body) -> Transform:
    """A frame with z along the joint's axis, in the body frame; the body frame itself for other joint types."""
    return Transform(Rotation.of(with_z_along(body.joint.axis))) if isinstance(body.joint, OneAxis) else Transform()


def _on_axis(at: Transform, ahead: Transform, size: float) -> Vector:
    """Position on the axis of the next joint, `ahead`, for the origin of a prismatic joint's frame `at`.

    It has no length along the common normal of its own axis and the parent's, if no angle is a right angle.
    """
    own, axis = AxisLine.of(at, size), ahead.R.matrix().T[2]
    origin: Vector = ahead.p
    if own is None or own.parallel or is_quarter(own.c):
        return origin
    normal = at.R.T @ Vector((*own.c1, 0))
    slope = dot(normal, axis)
    if abs(slope) < LEAST_SINE:
        return origin
    way = dot(normal, at.R.T @ at.p + origin) / slope
    return Vector(x - way * e for x, e in zip(origin, axis, strict=True))


def _turn(own: AxisLine | None, ways: Sequence[AxisLine | None]) -> Turn:
    """Rotation angle of a frame: to the common normal of most axes that it carries, or to that of its own axis."""
    wanted = [way.c1 for way in ways if way and not way.parallel]
    if wanted:
        return max(wanted, key=lambda turn: sum(is_quarter(less(other, turn)) for other in wanted))
    wanted = [way.c1 for way in ways if way and way.a != 0]
    return wanted[0] if wanted else less(NONE, own.last_turn) if own else NONE


def _shift(own: AxisLine | None, ways: Sequence[AxisLine | None]) -> float:
    """Translation of a frame: to the feet of most common normals, including that to its own axis.

    If several leave as many constants: zero, if angles are right angles and axes intersect at the origin.
    """
    feet = [way.foot for way in ways if way and not way.parallel]
    here = [-own.d2] if own else []
    wanted = sorted(here + feet, key=bool) if own and is_quarter(own.c) else feet + here
    wanted += [way.foot for way in ways if way and way.parallel]
    return max(wanted, key=lambda d: sum(math.isclose(d, other, rel_tol=1e-12) for other in wanted)) if wanted else 0.0


def with_z_along(axis: Vector) -> Matrix:
    """A rotation matrix whose third column is the unit axis, over any scalar."""
    x = perpendicular(axis)
    return Matrix((x, cross(axis, x), axis)).T
