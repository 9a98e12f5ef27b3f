"""A robot with the same joint forces, but with fewer operations in its kernels."""

from collections.abc import Callable
from dataclasses import replace
from numbers import Real

from revolute.model.body import Body
from revolute.model.link_frames import on_common_normals, with_z_along
from revolute.model.model import AnyModel, derived
from revolute.model.parameters import regrouped, to_vector
from revolute.spatial import Rotation, Transform
from revolute.spatial.rotation import quarter_turns


def reduced(model: AnyModel) -> AnyModel:
    """The robot with link frames from `on_common_normals`, and with unidentifiable inertias `regrouped`.

    A robot with symbolic inertias, placements or axes is unchanged: otherwise each evaluation would repeat the
    reduction.
    """
    return _regrouped(model, on_common_normals) if _is_numeric(model) else model


def reduced_in_place(model: AnyModel) -> AnyModel:
    """The robot `aligned`, then `regrouped`: frames keep their origins, so terms of both robots can be added."""
    return _regrouped(model, aligned) if _is_numeric(model) else model


def reduced_for_slopes(model: AnyModel) -> AnyModel:
    """`reduced` if an angle between joints is not a right angle, otherwise `reduced_in_place`.

    Derivatives of single terms have more zeros if link origins lie on several axes at once, as in robot files. On
    robots with right angles this saves more operations than common normals: see `tests/operation_counts.toml`.
    """
    at_right_angles = all(quarter_turns(body.placement.R.matrix()) for body in aligned(model).bodies)
    return reduced_in_place(model) if at_right_angles else reduced(model)


def _regrouped(model: AnyModel, change: Callable[[AnyModel], AnyModel]) -> AnyModel:
    """Change a model, then regroup its bodies. The result is cached in the model, for all functions of the model."""
    name = f"_{change.__name__}_regrouped"
    if name not in vars(model):
        changed = change(model)
        vars(model)[name] = derived(changed, bodies=regrouped(changed.bodies))
    kept: AnyModel = vars(model)[name]
    return kept


def _is_numeric(model: AnyModel) -> bool:
    return all(
        isinstance(x, Real)
        for body in model.bodies
        for x in (
            *to_vector(body.inertia),
            *body.placement.p,
            *(x for row in body.placement.R.matrix() for x in row),
            *getattr(body.joint, "axis", ()),
        )
    )


def aligned(model: AnyModel) -> AnyModel:
    """The robot with every joint axis along a coordinate axis of its body.

    A body on an oblique joint axis gets a new frame with z along the axis: rotating a vector about z takes 4
    multiplications, about an oblique axis 9. Link frames keep their poses.
    """
    bodies: list[Body] = []
    turns: list[Transform] = []  # pose of each new body frame in the old body frame
    for body in model.bodies:
        turn = Transform()
        if (axis := body.joint.oblique_axis()) is not None:
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
