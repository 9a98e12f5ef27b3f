"""Robots made from a robot: other gravity, locked joints, payloads, subtrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from revolute.assemble import merge_fixed
from revolute.body import Body, Drive, Frame, Limits
from revolute.errors import InputError
from revolute.joints import Fixed
from revolute.robot import Robot
from revolute.spatial import Inertia, Transform, Vector

__all__ = ["lock", "subtree", "with_gravity", "with_payload"]


def with_gravity(robot: Robot, gravity: Sequence[float]) -> Robot:
    """See `Robot.with_gravity`."""
    if np.shape(gravity) != (3,):
        raise InputError(f"gravity must be three finite numbers [m/s^2], not {gravity}")
    return replace(robot, gravity=Vector(gravity))


def lock(robot: Robot, positions: Mapping[str, float | Sequence[float]]) -> Robot:
    """See `Robot.lock`."""
    bodies = list(robot.bodies)
    for name, value in positions.items():
        i = robot.joint_index(name)
        joint = bodies[i].joint
        q = [float(x) for x in value] if isinstance(value, Sequence) else [float(value)]
        if len(q) != joint.nq:
            raise InputError(f"joint '{name}' has {joint.nq} position(s), not {len(q)}")
        placement = bodies[i].placement @ joint.transform(q)
        bodies[i] = replace(
            bodies[i], joint=Fixed(), placement=placement.merged(), limits=Limits(), drive=Drive()
        )
    new_bodies, new_frames = merge_fixed(bodies, robot.frames)
    return replace(robot, bodies=new_bodies, frames=new_frames)


def with_payload(robot: Robot, link: str, inertia: Inertia) -> Robot:
    """See `Robot.with_payload`."""
    frame = robot.frame(link)
    bodies = list(robot.bodies)
    carrier = bodies[frame.body]
    bodies[frame.body] = replace(carrier, inertia=carrier.inertia + frame.placement @ inertia)
    return replace(robot, bodies=tuple(bodies))


def subtree(robot: Robot, link: str) -> Robot:
    """See `Robot.subtree`."""
    root = robot.frame(link)
    seen_from_link = root.placement.inverse()
    index = {root.body: 0}
    base = robot.bodies[root.body]
    bodies = [Body(link, -1, "", Fixed(), inertia=(seen_from_link @ base.inertia))]
    for i, body in enumerate(robot.bodies):
        if body.parent in index and i != root.body:
            index[i] = len(bodies)
            placement = seen_from_link @ body.placement if body.parent == root.body else body.placement
            bodies.append(replace(body, parent=index[body.parent], placement=placement.merged()))
    frames = [
        Frame(f.name, index[f.body], (_pose(f, root, seen_from_link)).merged())
        for f in robot.frames
        if f.body in index
    ]
    return Robot(f"{robot.name}/{link}", tuple(bodies), tuple(frames), robot.gravity)


def _pose(frame: Frame, root: Frame, seen_from_link: Transform) -> Transform:
    return seen_from_link @ frame.placement if frame.body == root.body else frame.placement
