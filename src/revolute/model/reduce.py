"""A robot with the same joint forces, whose kernels have fewer operations."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

from revolute.model.body import Body
from revolute.model.model import AnyModel, derived
from revolute.model.parameters import regrouped, to_vector
from revolute.spatial import Matrix, Rotation, Transform, Vector, cross
from revolute.spatial.vectors import perpendicular

__all__ = ["aligned", "reduced", "with_z_along"]


def reduced(model: AnyModel) -> AnyModel:
    """`aligned`, then with inertia that joints cannot feel regrouped (`parameters.regrouped`).

    A robot with inertias, placements or axes that are no numbers yet stays unchanged: every evaluation would have
    to reduce it again.
    """
    if not all(
        isinstance(x, Real)
        for body in model.bodies
        for x in (
            *to_vector(body.inertia),
            *body.placement.p,
            *(x for row in body.placement.R.matrix() for x in row),
            *getattr(body.joint, "axis", ()),
        )
    ):
        return model
    aligned_model = aligned(model)
    return derived(aligned_model, bodies=regrouped(aligned_model.bodies))


def aligned(model: AnyModel) -> AnyModel:
    """The robot with every joint axis along a coordinate axis of its body.

    A body on an oblique joint axis gets new axes, with z along the joint: a planar rotation
    costs 4 multiplications per vector, one about an oblique axis 9. Link frames keep their
    poses.
    """
    bodies: list[Body] = []
    turns: list[Transform] = []  # pose of the new body frame in the old one
    for body in model.bodies:
        turn = Transform()
        axis = body.joint.oblique_axis()
        if axis is not None:
            turn = Transform(Rotation((with_z_along(axis),)))
            body = replace(body, joint=body.joint.along_z())
        before = turns[body.parent].inverse() if body.parent >= 0 else Transform()
        turns.append(turn)
        placement = (before @ body.placement @ turn).merged()
        bodies.append(replace(body, placement=placement, inertia=turn.inverse() @ body.inertia))
    frames = tuple(
        replace(frame, placement=(turns[frame.body].inverse() @ frame.placement).merged()) for frame in model.frames
    )
    return derived(model, bodies=tuple(bodies), frames=frames)


def with_z_along(axis: Vector) -> Matrix:
    """A rotation matrix with the unit axis as third column, over any scalar."""
    x = perpendicular(axis)
    return Matrix((x, cross(axis, x), axis)).T
