"""Recursions of the parts of inverse dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics import joint_wrenches as recursion
from revolute.dynamics.kinematics import frame_pose, poses_in_parents
from revolute.dynamics.newton_euler import newton_euler
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial import Force, Rotation, Transform, Vector
from revolute.spatial.scalar import Scalar

__all__ = ["base_wrench", "bias_forces", "check_axes", "gravity_forces", "joint_wrenches", "link_wrench"]

Scalars = Sequence[Scalar]


def bias_forces(model: Model, q: Scalars, qd: Scalars) -> Any:
    """Forces at zero acceleration."""
    return newton_euler(model, q, qd, (0,) * model.nv)


def gravity_forces(model: Model, q: Scalars) -> Any:
    """Forces at rest."""
    zeros = (0,) * model.nv
    return newton_euler(model, q, zeros, zeros)


def check_axes(model: Model, reference: str = "body") -> None:
    """There are such axes for wrenches of joints."""
    if reference not in ("body", "aligned"):
        raise InputError(f"joint_wrenches: reference must be 'body' or 'aligned' (with the base), not {reference!r}")


def joint_wrenches(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, reference: str = "body", **loads: Any
) -> Any:
    """F_1 ... F_n."""
    F = recursion.joint_wrenches(model, q, qd, qdd, **loads)
    if reference == "aligned":
        R = [Rotation()]  # not multiplied out: for two vectors each, that takes more operations
        for body, X in zip(model.bodies[1:], poses_in_parents(model, q)[1:], strict=True):
            R.append(R[body.parent] @ X.R)
        F = [Force(turn @ f.ang, turn @ f.lin) for turn, f in zip(R, F, strict=True)]
    return F[1:]


def base_wrench(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, **loads: Any) -> Any:
    """F_0."""
    return recursion.joint_wrenches(model, q, qd, qdd, **loads)[0]


def link_wrench(
    model: Model, q: Scalars, wrench: Scalars, frame: str, reference: str = "body", point: Scalars | str | None = None
) -> Any:
    """A wrench on a link, about the link frame's origin and along its axes."""
    F = Force(Vector(wrench[:3]), Vector(wrench[3:]))
    if reference == "world":
        return frame_pose(model, q, frame).inverse() @ F
    if reference == "aligned":
        R = frame_pose(model, q, frame).R
        F = Force(R.T @ F.ang, R.T @ F.lin)
    return F if point is None else Transform(p=_of_link(model, frame, point)) @ F


def _of_link(model: Model, name: str, point: Scalars | str) -> Vector:
    """A point in the link frame's coordinates; "com" is the centre of mass of the link's body."""
    if not isinstance(point, str):
        return Vector(point)
    frame = model.frame(name)
    inertia = model.bodies[frame.body].inertia
    return frame.placement.inverse().point(inertia.h * (1 / inertia.m))
