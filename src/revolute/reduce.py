"""A robot with the same joint forces, whose kernels have fewer operations."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

from revolute.body import Body
from revolute.joints import OneAxis
from revolute.parameters import regrouped, to_vector
from revolute.robot import Robot
from revolute.spatial import Matrix, Rotation, Transform, Vector, cross, dot

__all__ = ["aligned", "reduced", "with_z_along"]


def reduced(robot: Robot) -> Robot:
    """`aligned`, then with inertia that joints cannot feel regrouped (`parameters.regrouped`).

    A robot whose inertias or placements are no numbers yet stays as it is: reducing them would be work for
    every evaluation.
    """
    if not all(
        isinstance(x, Real)
        for body in robot.bodies
        for x in (*to_vector(body.inertia), *body.placement.p, *(x for row in body.placement.R.matrix() for x in row))
    ):
        return robot
    turned = aligned(robot)
    return replace(turned, bodies=regrouped(turned.bodies))


def aligned(robot: Robot) -> Robot:
    """The robot with every joint axis along a coordinate axis of its body.

    A body whose joint axis is oblique gets new axes, with z along the joint: a planar
    rotation costs 4 multiplications a vector, one about an oblique axis 9. Link frames
    keep their poses.
    """
    bodies: list[Body] = []
    turns: list[Transform] = []  # pose of the new body frame in the old one
    for body in robot.bodies:
        turn = Transform()
        if isinstance(body.joint, OneAxis) and sorted(map(abs, body.joint.axis)) != [0, 0, 1]:
            turn = Transform(Rotation((with_z_along(body.joint.axis),)))
            body = replace(body, joint=body.joint.along_z())
        before = turns[body.parent].inverse() if body.parent >= 0 else Transform()
        turns.append(turn)
        placement = (before @ body.placement @ turn).merged()
        bodies.append(replace(body, placement=placement, inertia=turn.inverse() @ body.inertia))
    frames = tuple(
        replace(frame, placement=(turns[frame.body].inverse() @ frame.placement).merged()) for frame in robot.frames
    )
    return replace(robot, bodies=tuple(bodies), frames=frames)


def with_z_along(axis: Vector) -> Matrix:
    """A rotation matrix whose third column is the axis."""
    least = min(range(3), key=lambda k: abs(axis[k]))
    x = cross([int(k == least) for k in range(3)], axis)
    x = x * (1 / dot(x, x) ** 0.5)
    return Matrix((x, cross(axis, x), axis)).T
