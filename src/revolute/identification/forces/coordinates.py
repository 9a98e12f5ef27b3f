"""Floating bases, whose coordinates are not actuated."""

from typing import NamedTuple

import numpy as np

from revolute.errors import InputError
from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.joints import Free


class Floating(NamedTuple):
    """A body that floats in the base frame: names of its joint and of its link, and indices of its twist in qd."""

    name: str
    link: str
    qd: slice


def floating(robot: DrivenRobot) -> Array:
    """(nv,) whether a coordinate is one of a floating body."""
    parts = [np.full(body.joint.nv, isinstance(body.joint, Free)) for body in robot.space.bodies]
    return np.concatenate(parts)


def floating_bases(robot: DrivenRobot) -> tuple[Floating, ...]:
    """The floating bodies of a robot; raise `InputError` for one on a moving link, which exchanges momentum with it."""
    links = {body.joint_name: body for body in robot.robot.bodies}
    found = []
    for body, qd in zip(robot.space.bodies, robot.space.v_index, strict=True):
        if isinstance(body.joint, Free):
            if links[body.joint_name].parent:
                raise InputError(f"momentum: '{body.joint_name}' floats on a link that moves, not in the base frame")
            found.append(Floating(body.joint_name, links[body.joint_name].name, qd))
    return tuple(found)


def require_joints(robot: Robot) -> None:
    """Raise `InputError` if no joint moves."""
    if not robot.nv:
        raise InputError(f"robot '{robot.name}' has no moving joint, so no forces to identify it from")
