"""Wrenches that joints transmit, by the Newton-Euler recursion, and wrenches on links, for any scalar type."""

from typing import Any

from revolute.dynamics.kinematics import frame_pose, poses_in_parents
from revolute.dynamics.newton_euler import outward
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial import Rotation, Scalars, Transform, Vector, Wrench, Wrenches


def body_wrenches(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None,
    base_twist: Scalars = (0, 0, 0, 0, 0, 0), base_acceleration: Scalars = (0, 0, 0, 0, 0, 0),
) -> list[Wrench]:
    """The wrench F_i on every body from its parent, and F_0 on the base from the ground. LP 9.56; BP Alg. 5.7 step 3.

        F_i = F_i^own + sum_c X_c F_c,    tau_i = A_i^T F_i

    over the children c of body i. F_i^own is the wrench that the body's acceleration needs beyond gravity and
    `wrenches`. Do not pass a regrouped model: moving inertia to a parent, as `reduced` does, changes F_i but not tau_i.

    Returns:
        F_0 ... F_n, each expressed in its body frame: moment about the frame's origin, then force.
    """
    X, F = outward(model, q, qd, qdd, wrenches, base_twist, base_acceleration)
    for i in range(len(model.bodies) - 1, 0, -1):
        F[model.bodies[i].parent] += X[i] @ F[i]
    return F


def check_axes(model: Model, reference: str = "body") -> None:
    """Raise `InputError` unless `reference` is "body" or "aligned"."""
    if reference not in ("body", "aligned"):
        raise InputError(f"joint_wrenches: reference must be 'body' or 'aligned' (with the base), not {reference!r}")


def joint_wrenches(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, reference: str = "body", **loads: Any) -> Any:
    """F_1 ... F_n of `body_wrenches`, each in its body's axes or, with `reference` "aligned", in those of the base."""
    F = body_wrenches(model, q, qd, qdd, **loads)
    if reference == "aligned":
        R = [Rotation()]  # products of rotations, kept as factors: each rotates only two vectors
        for body, X in zip(model.bodies[1:], poses_in_parents(model, q)[1:], strict=True):
            R.append(R[body.parent] @ X.R)
        F = [Wrench(turn @ f.ang, turn @ f.lin) for turn, f in zip(R, F, strict=True)]
    return F[1:]


def base_wrench(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, **loads: Any) -> Any:
    """F_0 of `body_wrenches`, the wrench on the base from the ground."""
    return body_wrenches(model, q, qd, qdd, **loads)[0]


def link_wrench(
    model: Model, q: Scalars, wrench: Scalars, frame: str, reference: str = "body", point: Scalars | str | None = None
) -> Any:
    """A wrench on a link as (m, f), with m about the link frame's origin, both expressed in the link frame."""
    F = Wrench(Vector(wrench[:3]), Vector(wrench[3:]))
    if reference == "world":
        return frame_pose(model, q, frame).inverse() @ F
    if reference == "aligned":
        R = frame_pose(model, q, frame).R
        F = Wrench(R.T @ F.ang, R.T @ F.lin)
    return F if point is None else Transform(p=_of_link(model, frame, point)) @ F


def _of_link(model: Model, name: str, point: Scalars | str) -> Vector:
    """A point expressed in the link frame; "com" is the centre of mass of the link's body."""
    if not isinstance(point, str):
        return Vector(point)
    frame = model.frame(name)
    inertia = model.bodies[frame.body].inertia
    return frame.placement.inverse().point(inertia.h * (1 / inertia.m))
