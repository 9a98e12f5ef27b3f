"""Names of coordinates; floating bases, whose coordinates are not actuated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from revolute.errors import InputError
from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.joints import Free

__all__ = ["Floating", "coordinate_names", "floating", "floating_bases", "require_joints"]


@dataclass(frozen=True)
class Floating:
    """A body that floats in the base frame.

    Attributes:
        name: of its joint.
        q, qd: indices of its position and quaternion, and of its twist.
    """

    name: str
    q: slice
    qd: slice

    def placement(self, q: Array) -> tuple[Array, Array]:
        """(T, 3, 3) rotations R and (T, 3) positions of the body in the base frame."""
        p, quaternion = q[:, self.q][:, :3], q[:, self.q][:, 3:]
        x, y, z, w = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        return np.moveaxis(R, -1, 0), p


def floating(robot: DrivenRobot) -> Array:
    """(nv,) whether a coordinate is one of a floating body."""
    parts = [np.full(body.joint.nv, isinstance(body.joint, Free)) for body in robot.space.bodies]
    return np.concatenate(parts)


def floating_bases(robot: DrivenRobot) -> tuple[Floating, ...]:
    """The floating bodies of a robot.

    Raises:
        InputError: a body floats relative to a moving link, which exchanges momentum with it.
    """
    parents = {body.joint_name: body.parent for body in robot.robot.bodies}
    space = robot.space
    found = []
    for body, q, qd in zip(space.bodies, space.q_index, space.v_index, strict=True):
        if isinstance(body.joint, Free):
            if parents.get(body.joint_name, 0) != 0:
                raise InputError(f"momentum: '{body.joint_name}' floats on a link that moves, not in the base frame")
            found.append(Floating(body.joint_name, q, qd))
    return tuple(found)


def require_joints(robot: Robot) -> None:
    """Raise `InputError` if no joint moves."""
    if not robot.nv:
        raise InputError(f"robot '{robot.name}' has no joint that moves, so no forces to identify it by")


def coordinate_names(robot: DrivenRobot) -> list[str]:
    """A name for each coordinate: that of its joint, with a number where the joint has several."""
    moving = [body for body in robot.space.bodies if body.joint.nv]
    return [
        body.joint_name if body.joint.nv == 1 else f"{body.joint_name}[{k}]"
        for body in moving
        for k in range(body.joint.nv)
    ]
