"""Poses and their rates, for compilation."""

from __future__ import annotations

from revolute.dynamics.kinematics import frame_pose
from revolute.functions.signature import Function, Signature, position
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _forward_kinematics(robot: Robot, frame: str) -> Signature:
    robot.frame(frame)
    return Signature(
        "forward_kinematics",
        (position(robot),),
        (("pose", (4, 4)),),
        lambda q: [x for row in frame_pose(robot, q, frame).matrix() for x in row],
    )


FUNCTIONS = {"forward_kinematics": Function(_forward_kinematics, frozenset({"frame"}))}
