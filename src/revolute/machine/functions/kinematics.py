"""Poses and their rates, for compilation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.center_of_mass import center_of_mass, com_jacobian
from revolute.dynamics.frame_motion import check_kind, frame_acceleration, frame_velocity
from revolute.dynamics.jacobian import jacobian, jacobian_acceleration, jacobian_rate
from revolute.dynamics.kinematics import check_reference, frame_pose, frame_poses
from revolute.model.model import Model
from revolute.model.reduce import aligned
from revolute.spatial import Motion

__all__ = ["FUNCTIONS"]


def _forward_kinematics(model: Model, frame: str | None = None) -> Signature:
    if frame is not None:
        model.frame(frame)
    output = ("poses", (len(model.frames), 4, 4)) if frame is None else ("pose", (4, 4))

    def body(q: Any) -> list[Any]:
        poses = frame_poses(model, q) if frame is None else [frame_pose(model, q, frame)]
        return [x for pose in poses for row in pose.matrix() for x in row]

    return Signature("forward_kinematics", (position(model),), (output,), body)


def _jacobian(model: Model, frame: str, reference: str = "body") -> Signature:
    _check(model, frame, reference)
    return Signature(
        "jacobian",
        (position(model),),
        (("J", (6, model.nv)),),
        lambda q: _rows(jacobian(aligned(model), q, frame, reference)),
    )


def _jacobian_rate(model: Model, frame: str, reference: str = "body") -> Signature:
    _check(model, frame, reference)
    return Signature(
        "jacobian_rate",
        (position(model), rate(model, "qd")),
        (("Jd", (6, model.nv)),),
        lambda q, qd: _rows(jacobian_rate(aligned(model), q, qd, frame, reference)),
    )


def _jacobian_acceleration(model: Model, frame: str, reference: str = "body") -> Signature:
    _check(model, frame, reference)
    return Signature(
        "jacobian_acceleration",
        (position(model), rate(model, "qd"), rate(model, "qdd")),
        (("Jdd", (6, model.nv)),),
        lambda q, qd, qdd: _rows(jacobian_acceleration(aligned(model), q, qd, qdd, frame, reference)),
    )


def _velocity(model: Model, frame: str, reference: str = "body") -> Signature:
    _check(model, frame, reference)

    def body(q: Any, qd: Any) -> list[Any]:
        V = frame_velocity(aligned(model), q, qd, frame, reference)
        return [*V.ang, *V.lin]

    return Signature("velocity", (position(model), rate(model, "qd")), (("w, v", (6,)),), body)


def _acceleration(model: Model, frame: str, reference: str = "body", kind: str = "rate") -> Signature:
    _check(model, frame, reference)
    check_kind(kind)

    def body(q: Any, qd: Any, qdd: Any) -> list[Any]:
        A = frame_acceleration(aligned(model), q, qd, qdd, frame, reference, kind)
        return [*A.ang, *A.lin]

    inputs = (position(model), rate(model, "qd"), rate(model, "qdd"))
    return Signature("acceleration", inputs, (("wd, a", (6,)),), body)


def _center_of_mass(model: Model) -> Signature:
    return Signature(
        "center_of_mass",
        (position(model),),
        (("c", (3,)),),
        lambda q: center_of_mass(aligned(model), q)[0],
    )


def _com_velocity(model: Model) -> Signature:
    return Signature(
        "com_velocity",
        (position(model), rate(model, "qd")),
        (("cd", (3,)),),
        lambda q, qd: center_of_mass(aligned(model), q, qd)[1],
    )


def _com_acceleration(model: Model) -> Signature:
    return Signature(
        "com_acceleration",
        (position(model), rate(model, "qd"), rate(model, "qdd")),
        (("cdd", (3,)),),
        lambda q, qd, qdd: center_of_mass(aligned(model), q, qd, qdd)[2],
    )


def _com_jacobian(model: Model) -> Signature:
    return Signature(
        "com_jacobian",
        (position(model),),
        (("J", (3, model.nv)),),
        lambda q: [x for row in zip(*com_jacobian(aligned(model), q), strict=True) for x in row],
    )


def _check(model: Model, frame: str, reference: str) -> None:
    model.frame(frame)
    check_reference(reference)


def _rows(columns: Iterable[Motion]) -> list[Any]:
    """Six rows, one after the other."""
    return [x for row in zip(*[(*column.ang, *column.lin) for column in columns], strict=True) for x in row]


_FRAME = frozenset({"frame", "reference"})

FUNCTIONS = {
    "forward_kinematics": Function(_forward_kinematics, frozenset({"frame"})),
    "jacobian": Function(_jacobian, _FRAME),
    "jacobian_rate": Function(_jacobian_rate, _FRAME),
    "jacobian_acceleration": Function(_jacobian_acceleration, _FRAME),
    "velocity": Function(_velocity, _FRAME),
    "acceleration": Function(_acceleration, _FRAME | {"kind"}),
    "center_of_mass": Function(_center_of_mass),
    "com_velocity": Function(_com_velocity),
    "com_acceleration": Function(_com_acceleration),
    "com_jacobian": Function(_com_jacobian),
}
