"""Link frames on the common normals of joint axes: the fewest constants between two joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from revolute.model.body import Body
from revolute.model.joints.one_axis import OneAxis
from revolute.model.line import NONE, Line, Turn, about_z, is_quarter, less
from revolute.model.model import AnyModel, derived
from revolute.spatial import Matrix, Rotation, Transform, Vector
from revolute.spatial.vectors import cross, perpendicular

__all__ = ["on_common_normals", "with_z_along"]


def on_common_normals(model: AnyModel) -> AnyModel:
    """The robot with the frames of links on joints of one axis where they leave the fewest constants.

    Every such axis becomes z. The frame may be turned about it and shifted along it, that of a prismatic joint to
    anywhere: the joint's position stays what it was. So x is put on the common normal to the axis of a joint that the
    link carries, as Denavit and Hartenberg do (1955): the way to that joint is a turn and a shift along x, then along
    the joint's axis. Other joints on the link need a turn and a shift along z before. Khalil & Kleinfinger 1986. The
    base's frame, and those of links on other joints, stay where they are. Link frames keep their poses.
    """
    bodies, children = model.bodies, _children(model.bodies)
    size = max((abs(x) for body in bodies for x in body.placement.p), default=0.0)
    frames = [_along_z(body) for body in bodies]  # the new frame of every body in its old one
    new = [bodies[0]]
    for i, body in enumerate(bodies[1:], 1):
        at = frames[body.parent].inverse() @ body.placement @ frames[i]
        placement = at.merged()
        if isinstance(body.joint, OneAxis):
            if body.joint.sliding_axis():
                shift = Transform(p=-(at.R.T @ at.p))
                frames[i], placement = frames[i] @ shift, Transform(placement.R)
            ways = [
                Line.of(frames[i].inverse() @ bodies[k].placement @ frames[k], size)
                for k in children[i]
                if isinstance(bodies[k].joint, OneAxis)
            ]
            own = Line.of(placement, size)
            turn, shift_z = _turn(own, ways), _shift(own, ways)
            change = about_z(turn, shift_z)
            frames[i] = frames[i] @ change
            placement = own.then(turn, shift_z).screws() if own else (placement @ change).merged()
            body = replace(body, joint=body.joint.along_z())
        new.append(replace(body, placement=placement, inertia=frames[i].inverse() @ body.inertia))
    links = tuple(
        replace(link, placement=(frames[link.body].inverse() @ link.placement).merged()) for link in model.frames
    )
    return derived(model, bodies=tuple(new), frames=links)


def _children(bodies: Sequence[Body]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies[1:], 1):
        children[body.parent].append(i)
    return children


def _along_z(body: Body) -> Transform:
    """A frame with z along the joint's axis, in the body's; the body's own on joints of other types."""
    return Transform(Rotation.of(with_z_along(body.joint.axis))) if isinstance(body.joint, OneAxis) else Transform()


def _turn(own: Line | None, ways: Sequence[Line | None]) -> Turn:
    """The angle to turn a frame by: to the common normals of most axes that it carries, or to that of its own."""
    wanted = [way.c1 for way in ways if way and not way.parallel]
    if wanted:
        return max(wanted, key=lambda turn: sum(is_quarter(less(other, turn)) for other in wanted))
    wanted = [way.c1 for way in ways if way and way.a != 0]
    return wanted[0] if wanted else less(NONE, own.last_turn) if own else NONE


def _shift(own: Line | None, ways: Sequence[Line | None]) -> float:
    """The length to shift a frame by: to the feet of most common normals, that to its own axis among them."""
    feet = [way.foot for way in ways if way and not way.parallel]
    here = [-own.d2] if own else []
    wanted = here + feet if own and is_quarter(own.c) else feet + here
    wanted += [way.foot for way in ways if way and way.parallel]
    return max(wanted, key=lambda d: sum(math.isclose(d, other, rel_tol=1e-12) for other in wanted)) if wanted else 0.0


def with_z_along(axis: Vector) -> Matrix:
    """A rotation matrix with the unit axis as third column, over any scalar."""
    x = perpendicular(axis)
    return Matrix((x, cross(axis, x), axis)).T
