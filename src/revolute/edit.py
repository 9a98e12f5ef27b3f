"""Robots made from a robot: other gravity, locked joints, payloads, subtrees."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from revolute import parameters
from revolute.assemble import merge_fixed
from revolute.body import Body, Drive, Limits
from revolute.errors import InputError
from revolute.joints import Fixed
from revolute.robot import Robot
from revolute.spatial import Inertia, Transform
from revolute.vectors import vector

__all__ = ["lock", "regrouped", "subtree", "with_gravity", "with_payload"]


def with_gravity(robot: Robot, gravity: Sequence[float]) -> Robot:
    """See `Robot.with_gravity`."""
    return replace(robot, gravity=vector("gravity [m/s^2]", gravity))


def regrouped(robot: Robot) -> Robot:
    """See `Robot.regrouped`."""
    return replace(robot, bodies=parameters.regrouped(robot.bodies))


def lock(robot: Robot, positions: Mapping[str, float | Sequence[float]]) -> Robot:
    """See `Robot.lock`."""
    if not isinstance(positions, Mapping):
        raise InputError(f"lock needs {{joint name: position}}, not {type(positions).__name__}")
    bodies = list(robot.bodies)
    for name, value in positions.items():
        i = robot.joint_index(name)
        joint = bodies[i].joint
        try:
            q = np.atleast_1d(np.asarray(value, dtype=float)).tolist()
        except (TypeError, ValueError):
            raise InputError(f"lock: the position of joint '{name}' is no number: {value!r}") from None
        if np.shape(q) != (joint.nq,) or not np.isfinite(q).all():
            raise InputError(f"lock: joint '{name}' needs {joint.nq} finite position(s), not {value!r}")
        placement = bodies[i].placement @ joint.transform(q)
        bodies[i] = replace(
            bodies[i], joint=Fixed(), placement=placement.merged(), limits=Limits(), drive=Drive()
        )
    new_bodies, new_frames = merge_fixed(bodies, robot.frames)
    return replace(_uncoupled(robot, positions), bodies=new_bodies, frames=new_frames)


def _uncoupled(robot: Robot, locked: Container[str]) -> Robot:
    """The robot without what couples locked joints alone.

    Raises:
        InputError: a closure couples a joint to one that is locked.
    """
    kept = []
    for closure in robot.closures:
        moving = [name for name in closure.joints() if name not in locked]
        if moving and len(moving) < len(closure.joints()):
            raise InputError(
                f"lock: '{robot.name}' couples joint '{moving[0]}' to one that is locked, by {closure!r}; lock it too, "
                "or leave the closure out: dataclasses.replace(robot, closures=...)"
            )
        if moving or not closure.joints():
            kept.append(closure)
    return replace(robot, closures=tuple(kept))


def with_payload(robot: Robot, link: str, inertia: Inertia) -> Robot:
    """See `Robot.with_payload`."""
    if not isinstance(inertia, Inertia):
        raise InputError(f"with_payload needs an Inertia, such as Inertia.from_com(2.0), not {type(inertia).__name__}")
    frame = robot.frame(link)
    bodies = list(robot.bodies)
    carrier = bodies[frame.body]
    bodies[frame.body] = replace(carrier, inertia=carrier.inertia + frame.placement @ inertia)
    return replace(robot, bodies=tuple(bodies))


def subtree(robot: Robot, link: str) -> Robot:
    """See `Robot.subtree`."""
    root = robot.frame(link)
    base = robot.bodies[root.body]
    if root.placement != Transform():
        raise InputError(
            f"subtree: link '{link}' is fixed to '{base.name}', and what a description gives of the two is merged; "
            f"ask for the subtree of '{base.name}'"
        )
    index = {root.body: 0}
    bodies = [Body(link, -1, "", Fixed(), inertia=base.inertia)]
    for i, body in enumerate(robot.bodies):
        if body.parent in index and i != root.body:
            index[i] = len(bodies)
            bodies.append(replace(body, parent=index[body.parent]))
    frames = tuple(replace(f, body=index[f.body]) for f in robot.frames if f.body in index)
    links, joints = {frame.name for frame in frames}, {body.joint_name for body in bodies[1:]}
    closures = tuple(
        closure
        for closure in robot.closures
        if (len(closure.links()) > 1 or closure.joints())
        and links.issuperset(closure.links())
        and joints.issuperset(closure.joints())
    )
    return Robot(f"{robot.name}/{link}", tuple(bodies), frames, robot.gravity, closures)
