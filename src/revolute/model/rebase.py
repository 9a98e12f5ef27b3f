"""Another link as the base of a robot: the joints between the old and the new base are reversed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise

from revolute.errors import InputError
from revolute.model.body import Body, Frame
from revolute.model.joints import Free
from revolute.model.joints.one_axis import OneAxis
from revolute.model.model import AnyModel, Model
from revolute.model.named_configurations import NamedConfiguration, configuration
from revolute.spatial import Inertia, Transform

HERE = Transform()

ROUNDING = 1e-12  # difference of equal poses [m]


def rebased(model: AnyModel, link: str) -> AnyModel:
    """See `Robot.rebased`.

    A joint between bodies a and b with the placement P on a is, seen from b, X(q)^-1 P^-1. X(q)^-1 is the motion of the
    joint about the opposite axis, so q keeps its value; and the frame of a moves to P, on the axis.
    """
    frame, path = model.frame(link), _path(model, link)
    frames = {a: model.bodies[b].placement for a, b in pairwise(path)} | {path[-1]: frame.placement}
    reverse = dict(pairwise(path))
    children: list[list[int]] = [[] for _ in model.bodies]
    for i, body in enumerate(model.bodies):
        if i not in path and i:
            children[body.parent].append(i)
    for a, b in reverse.items():
        children[b].append(a)
    top = model.bodies[path[0]]
    if path[0]:  # a free base, on the world
        children[0].append(path[-1])
    order, pending = list[int](), [0 if path[0] else path[-1]]
    while pending:
        order.append(pending.pop())
        pending += reversed(children[order[-1]])
    number = {i: k for k, i in enumerate(order)}
    parents = {i: k for k, some in enumerate(children) for i in some}
    names = {a: _name(model, a, b, frames[a]) for a, b in reverse.items()} | {path[-1]: link}
    bodies = []
    for i in order:
        body, joint = model.bodies[i], top if i == path[-1] else model.bodies[reverse.get(i, i)]
        kind = joint.joint.reversed() if i in reverse and isinstance(joint.joint, OneAxis) else joint.joint
        parent = parents.get(i, -1)
        on_parent = HERE if i in reverse else joint.placement
        placement = _seen(frames[parent], on_parent) if parent in frames else on_parent
        inertia = frames[i].inverse() @ body.inertia if i in frames else body.inertia
        moved = Body(names.get(i, body.name), number.get(parent, -1), joint.joint_name, kind, placement, inertia)
        bodies.append(replace(moved, limits=joint.limits, drive=joint.drive))
    links = [_moved(f, number, frames) for f in model.frames]
    links += [Frame(names[a], number[a]) for a in reverse if names[a] not in model.link_names]
    closures = model.closures
    if not path[0]:
        on = next(f for f in links if f.body == number[0])  # the former base frame, seen from a link on its body
        closures = tuple(x.attached("", on.name, _seen(frames[0] @ on.placement, HERE)) for x in closures)
    configurations = tuple(_configured(model, x, path, frame) for x in model.configurations)
    return replace(model, bodies=tuple(bodies), frames=tuple(links), closures=closures, configurations=configurations)


def _path(model: Model, link: str) -> list[int]:
    """Bodies from the base, or from the body of a free base, to that of the link."""
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
                "but only joints with one axis can be reversed; choose a link before it, or lock it"
            )
    return path


def _name(model: Model, a: int, b: int, at: Transform) -> str:
    """The name of a body's new frame: of a link there, or of the joint on whose axis it is."""
    name = f"{model.bodies[b].joint_name}_parent"
    for f in model.frames:
        if f.body == a and _same(f.placement, at):
            return f.name
    if name in model.link_names:
        raise InputError(f"rebased: the frame on the axis of joint '{model.bodies[b].joint_name}' would have the name "
                         f"'{name}', which a link has; rename the link")  # fmt: skip
    return name


def _same(A: Transform, B: Transform) -> bool:
    """Whether two poses are equal, numbers up to rounding."""
    numbers = (int, float)
    pairs = zip(chain(*A.rows()), chain(*B.rows()), strict=True)
    return all(
        x == y or (isinstance(x, numbers) and isinstance(y, numbers) and abs(x - y) < ROUNDING) for x, y in pairs
    )


def _moved(f: Frame, number: dict[int, int], frames: dict[int, Transform]) -> Frame:
    """A link frame on its body, whose frame may have moved."""
    if f.body not in frames:
        return replace(f, body=number[f.body])
    new = frames[f.body]
    return replace(f, body=number[f.body], placement=HERE if _same(f.placement, new) else _seen(new, f.placement))


def _seen(frame: Transform, pose: Transform) -> Transform:
    """A pose expressed in a frame."""
    seen: Transform = frame.inverse() @ pose
    return seen.merged()


def _configured(model: Model, x: NamedConfiguration, path: list[int], frame: Frame) -> NamedConfiguration:
    """A named configuration, with the pose of the new base if it has that of a free one."""
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
