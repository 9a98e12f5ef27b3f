"""Poses and their rates, for compilation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
}
