"""Poses of link frames, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.spatial import Transform

__all__ = ["frame_pose"]


def frame_pose(robot: Robot, q: Sequence[Scalar], frame: str) -> Transform:
    """Pose of a link frame in the base frame: T_0i = T_01 T_12 ... LP 9.49, 9.53; GOA 26.

    Args:
        robot: kinematic tree.
        q: (nq,) joint positions [rad, m].
        frame: name of a link.

    Returns:
        the pose; its rotation is multiplied out.
    """
    link = robot.frame(frame)
    pose, i = link.placement, link.body
    while i > 0:
        body = robot.bodies[i]
        pose = body.placement @ (body.joint.transform(q[robot.q_index[i]]) @ pose)
        i = body.parent
    return pose.merged()
