"""Poses and their rates, for compilation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from revolute.dynamics.center_of_mass import center_of_mass, com_jacobian
from revolute.dynamics.frame_motion import check_kind, frame_acceleration, frame_velocity
from revolute.dynamics.jacobian import jacobian, jacobian_acceleration, jacobian_rate
from revolute.dynamics.kinematics import check_reference, frame_pose, frame_poses
from revolute.functions.signature import Function, Signature, position, rate
from revolute.reduce import aligned
from revolute.robot import Robot
from revolute.spatial import Motion

__all__ = ["FUNCTIONS"]


def _forward_kinematics(robot: Robot, frame: str | None = None) -> Signature:
    if frame is not None:
        robot.frame(frame)
    output = ("poses", (len(robot.frames), 4, 4)) if frame is None else ("pose", (4, 4))

    def body(q: Any) -> list[Any]:
        poses = frame_poses(robot, q) if frame is None else [frame_pose(robot, q, frame)]
        return [x for pose in poses for row in pose.matrix() for x in row]

    return Signature("forward_kinematics", (position(robot),), (output,), body)


def _jacobian(robot: Robot, frame: str, reference: str = "body") -> Signature:
    _check(robot, frame, reference)
    return Signature(
        "jacobian",
        (position(robot),),
        (("J", (6, robot.nv)),),
        lambda q: _rows(jacobian(aligned(robot), q, frame, reference)),
    )


def _jacobian_rate(robot: Robot, frame: str, reference: str = "body") -> Signature:
    _check(robot, frame, reference)
    return Signature(
        "jacobian_rate",
        (position(robot), rate(robot, "qd")),
        (("Jd", (6, robot.nv)),),
        lambda q, qd: _rows(jacobian_rate(aligned(robot), q, qd, frame, reference)),
    )


def _jacobian_acceleration(robot: Robot, frame: str, reference: str = "body") -> Signature:
    _check(robot, frame, reference)
    return Signature(
        "jacobian_acceleration",
        (position(robot), rate(robot, "qd"), rate(robot, "qdd")),
        (("Jdd", (6, robot.nv)),),
        lambda q, qd, qdd: _rows(jacobian_acceleration(aligned(robot), q, qd, qdd, frame, reference)),
    )


def _velocity(robot: Robot, frame: str, reference: str = "body") -> Signature:
    _check(robot, frame, reference)

    def body(q: Any, qd: Any) -> list[Any]:
        V = frame_velocity(aligned(robot), q, qd, frame, reference)
        return [*V.ang, *V.lin]

    return Signature("velocity", (position(robot), rate(robot, "qd")), (("w, v", (6,)),), body)


def _acceleration(robot: Robot, frame: str, reference: str = "body", kind: str = "rate") -> Signature:
    _check(robot, frame, reference)
    check_kind(kind)

    def body(q: Any, qd: Any, qdd: Any) -> list[Any]:
        A = frame_acceleration(aligned(robot), q, qd, qdd, frame, reference, kind)
        return [*A.ang, *A.lin]

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "qdd"))
    return Signature("acceleration", inputs, (("wd, a", (6,)),), body)


def _center_of_mass(robot: Robot) -> Signature:
    return Signature(
        "center_of_mass",
        (position(robot),),
        (("c", (3,)),),
        lambda q: center_of_mass(aligned(robot), q)[0],
    )


def _com_velocity(robot: Robot) -> Signature:
    return Signature(
        "com_velocity",
        (position(robot), rate(robot, "qd")),
        (("cd", (3,)),),
        lambda q, qd: center_of_mass(aligned(robot), q, qd)[1],
    )


def _com_acceleration(robot: Robot) -> Signature:
    return Signature(
        "com_acceleration",
        (position(robot), rate(robot, "qd"), rate(robot, "qdd")),
        (("cdd", (3,)),),
        lambda q, qd, qdd: center_of_mass(aligned(robot), q, qd, qdd)[2],
    )


def _com_jacobian(robot: Robot) -> Signature:
    return Signature(
        "com_jacobian",
        (position(robot),),
        (("J", (3, robot.nv)),),
        lambda q: [x for row in zip(*com_jacobian(aligned(robot), q), strict=True) for x in row],
    )


def _check(robot: Robot, frame: str, reference: str) -> None:
    robot.frame(frame)
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
