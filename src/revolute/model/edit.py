"""Modified copies of a robot: other gravity, locked joints, payloads, subtrees."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from revolute.errors import InputError
from revolute.model.assemble import merge_fixed
from revolute.model.body import Body, Drive, Limits
from revolute.model.joints import Fixed
from revolute.model.model import AnyModel
from revolute.spatial import Inertia, Transform
from revolute.spatial.vectors import vector


def with_gravity(model: AnyModel, gravity: Sequence[float]) -> AnyModel:
    """See `Robot.with_gravity`."""
    return replace(model, gravity=vector("gravity [m/s^2]", gravity))


def lock(model: AnyModel, positions: Mapping[str, float | Sequence[float]]) -> AnyModel:
    """See `Robot.lock`."""
    if not isinstance(positions, Mapping):
        example = {model.joint_names[-1]: 0.0}
        raise InputError(f"lock needs {{joint name: position}}, such as {example}, not {type(positions).__name__}")
    bodies = list(model.bodies)
    for name, value in positions.items():
        i = model.joint_index(name)
        joint = bodies[i].joint
        try:
            q = np.atleast_1d(np.asarray(value, dtype=float)).tolist()
        except (TypeError, ValueError):
            raise InputError(f"lock: the position of joint '{name}' must be a number, not {value!r}") from None
        if np.shape(q) != (joint.nq,) or not np.isfinite(q).all():
            raise InputError(f"lock: joint '{name}' needs {joint.nq} finite position(s), not {value!r}")
        placement = bodies[i].placement @ joint.transform(q)
        bodies[i] = replace(bodies[i], joint=Fixed(), placement=placement.merged(), limits=Limits(), drive=Drive())
    new_bodies, new_frames = merge_fixed(map(vars, bodies), map(vars, model.frames))
    return replace(_uncoupled(model, positions), bodies=new_bodies, frames=new_frames)


def _uncoupled(model: AnyModel, locked: Container[str]) -> AnyModel:
    """The robot without closures that couple only locked joints."""
    closures = []
    for closure in model.closures:
        moving = [name for name in closure.joints() if name not in locked]
        if moving and len(moving) < len(closure.joints()):
            raise InputError(
                f"lock: '{model.name}' couples joint '{moving[0]}' to a locked one, by {closure!r}; lock it too, "
                "or remove the closure: dataclasses.replace(robot, closures=...)"
            )
        if moving or not closure.joints():
            closures.append(closure)
    return replace(model, closures=tuple(closures))


def with_payload(model: AnyModel, link: str, inertia: Inertia) -> AnyModel:
    """See `Robot.with_payload`."""
    if not isinstance(inertia, Inertia):
        hint = "; link and inertia seem to be swapped" if isinstance(link, Inertia) else ""
        kind = type(inertia).__name__
        raise InputError(f"with_payload needs an Inertia, such as Inertia.from_com(2.0), not {kind}{hint}")
    frame = model.frame(link)
    bodies = list(model.bodies)
    carrier = bodies[frame.body]
    bodies[frame.body] = replace(carrier, inertia=carrier.inertia + frame.placement @ inertia)
    return replace(model, bodies=tuple(bodies))


def subtree(model: AnyModel, link: str) -> AnyModel:
    """See `Robot.subtree`."""
    root = model.frame(link)
    base = model.bodies[root.body]
    if root.placement != Transform():
        raise InputError(
            f"subtree: link '{link}' is fixed to '{base.name}', and the two are merged; "
            f"ask for the subtree of '{base.name}'"
        )
    index = {root.body: 0}
    bodies = [Body(link, -1, "", Fixed(), inertia=base.inertia)]
    for i, body in enumerate(model.bodies):
        if body.parent in index and i != root.body:
            index[i] = len(bodies)
            bodies.append(replace(body, parent=index[body.parent]))
    frames = tuple(replace(f, body=index[f.body]) for f in model.frames if f.body in index)
    links, joints = {frame.name for frame in frames}, {body.joint_name for body in bodies[1:]}
    closures = tuple(
        closure
        for closure in model.closures
        if (len(closure.links()) > 1 or closure.joints())
        and links.issuperset(closure.links())
        and joints.issuperset(closure.joints())
    )
    return replace(model, name=f"{model.name}/{link}", bodies=tuple(bodies), frames=frames, closures=closures)
