"""Another link as the base of a robot: the joints between the old and the new base are reversed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise

from revolute.errors import InputError
from revolute.model.assemble import Joint, Link, assemble
from revolute.model.body import Body, Frame
from revolute.model.joints import Free, JointType
from revolute.model.joints.one_axis import OneAxis
from revolute.model.model import AnyModel, Model
from revolute.model.named_configurations import NamedConfiguration, configuration
from revolute.spatial import Inertia, Transform

HERE = Transform()
ROUNDING = 1e-12  # difference of equal poses [m]


def rebased(model: AnyModel, link: str) -> AnyModel:
    """See `Robot.rebased`.

    If a joint between bodies a and b has the placement P on a, the pose of a in b is X(q)^-1 P^-1. X(q)^-1 is the
    motion of the joint about the opposite axis, so q keeps its value; and the frame of a moves to P, on the axis.
    """
    bodies, frame, path = model.bodies, model.frame(link), _path(model, link)
    mounts = {a: _mount(model, a, b) for a, b in pairwise(path)} | {path[-1]: (link, frame.placement)}
    masses = {body.name: body.inertia for body in bodies}
    links = [Link(f.name, masses.pop(f.name, Inertia()), f.visuals, f.collisions) for f in model.frames]
    links += [Link(name, inertia) for name, inertia in masses.items()]  # the world of a free base
    links += [Link(name) for name, _ in mounts.values() if name not in model.link_names]
    joints = []
    for name, i, at in [(f.name, f.body, f.placement) for f in model.frames]:
        carrier, frame_of = mounts.get(i, (bodies[i].name, HERE))
        if name != carrier:
            placement = HERE if _same(at, frame_of) else frame_of.inverse() @ at
            joints.append(Joint(f"{name} on its body", carrier, name, placement=placement))
    for i, body in enumerate(bodies[1:], 1):
        if i not in path:
            joints.append(_joint(body, bodies[body.parent].name, body.name, body.joint, body.placement))
    for a, b in pairwise(path):
        body, joint = bodies[b], bodies[b].joint
        assert isinstance(joint, OneAxis)
        joints.append(_joint(body, body.name, mounts[a][0], joint.reversed(), HERE))
    closures, root = model.closures, bodies[path[0]]
    if path[0]:
        joints.append(_joint(root, bodies[0].name, link, root.joint, root.placement))
    else:  # the former base frame is that of its link
        closures = tuple(x.attached("", bodies[0].name, HERE) for x in closures)
    new, order = assemble(model.name, links, joints, warn=False), {name: k for k, name in enumerate(model.link_names)}
    frames = sorted((f for f in new.frames if f.name not in masses), key=lambda f: order.get(f.name, len(order)))
    configurations = tuple(_configured(model, x, path, frame) for x in model.configurations)
    return replace(model, bodies=new.bodies, frames=tuple(frames), closures=closures, configurations=configurations)


def _joint(body: Body, parent: str, child: str, kind: JointType, placement: Transform) -> Joint:
    """The joint of a body, with this type and placement, between the links `parent` and `child`."""
    return Joint(body.joint_name, parent, child, kind, placement, body.limits, body.drive)


def _path(model: Model, link: str) -> list[int]:
    """Indices of the bodies from the base, or from the body of a free base, to the body of the link."""
    path = [model.frame(link).body]
    while path[-1]:
        path.append(model.bodies[path[-1]].parent)
    path.reverse()
    if len(path) > 1 and isinstance(model.bodies[path[1]].joint, Free) and model.bodies[0].inertia == Inertia():
        path = path[1:]
    for i in path[1:]:
        if not isinstance(joint := model.bodies[i].joint, OneAxis):
            raise InputError(
                f"rebased: joint '{model.bodies[i].joint_name}' ({joint.words()}) is between the base and '{link}', "
                "but only joints with one axis can be reversed; choose a link before this joint, or lock it"
            )
    return path


def _mount(model: Model, a: int, b: int) -> tuple[str, Transform]:
    """Name and pose of body a's new frame, on the axis of b's joint; if a link has this pose, its name is used."""
    at, name = model.bodies[b].placement, f"{model.bodies[b].joint_name}_parent"
    for f in model.frames:
        if f.body == a and _same(f.placement, at):
            return f.name, at
    if name in model.link_names:
        raise InputError(f"rebased: the frame on the axis of joint '{model.bodies[b].joint_name}' would have the name "
                         f"'{name}', which a link has; rename the link")  # fmt: skip
    return name, at


def _same(A: Transform, B: Transform) -> bool:
    """Whether two poses are equal; numbers may differ by rounding errors."""
    numbers = (int, float)
    pairs = zip(chain(*A.rows()), chain(*B.rows()), strict=True)
    return all(
        x == y or (isinstance(x, numbers) and isinstance(y, numbers) and abs(x - y) < ROUNDING) for x, y in pairs
    )


def _configured(model: Model, x: NamedConfiguration, path: list[int], frame: Frame) -> NamedConfiguration:
    """A named configuration, with the pose of the new base if it contains the pose of a free base."""
    root = model.bodies[path[0]]
    if root.joint_name not in x.joints:
        return x
    q = configuration(model, x.name, None).tolist()
    steps = [model.bodies[i].placement @ model.bodies[i].joint.transform(q[model.q_index[i]]) for i in path[1:]]
    pose = root.joint.transform(q[model.q_index[path[0]]])
    for step in (*steps, frame.placement):
        pose = pose @ step
    try:
        base = (*(float(p) for p in pose.merged().p), *pose.merged().quaternion())
    except (InputError, TypeError):
        raise InputError(
            f"rebased: the configuration '{x.name}' has a pose of the free base, and that of the new base depends on "
            "symbols; substitute values first: robot.subs"
        ) from None
    pairs = zip(x.joints, x.positions, strict=True)
    return replace(x, positions=tuple(base if name == root.joint_name else own for name, own in pairs))
