"""Composition of robots: attach one to another, add frames, fix or free the base."""

from collections.abc import Sequence
from dataclasses import replace

from revolute.arguments import instance
from revolute.errors import InputError
from revolute.model.body import Body, Frame
from revolute.model.checks import check_base
from revolute.model.joints import Fixed, Free
from revolute.model.model import AnyModel, Model
from revolute.model.named_configurations import NamedConfiguration
from revolute.spatial import Inertia, Transform

ROOT_JOINT = "root_joint"  # name of the floating joint of a free base


def attach(model: AnyModel, other: Model, link: str, placement: Transform, prefix: str) -> AnyModel:
    """See `Robot.attach`."""
    instance("attach: other", other, Model)
    instance("attach: placement", placement, Transform)
    if loose := _floating(other):
        advice = "attach its to_base('fixed')" if floats(other) else "lock that joint, or attach in the opposite order"
        where = f"floats on joint '{loose.joint_name}', and would float on '{link}'"
        raise InputError(f"attach: '{other.name}' {where}; {advice}")
    instance("attach: prefix", prefix, str)
    names = {"link": ({*model.link_names}, other.link_names), "joint": ({*model.joint_names}, other.joint_names)}
    for kind, (ours, theirs) in names.items():
        if repeated := [prefix + name for name in theirs if prefix + name in ours]:
            advice = f"another prefix than {prefix!r}" if prefix else "a prefix to the attached robot: prefix='left_'"
            raise InputError(f"attach: both robots have a {kind} '{repeated[0]}'; give {advice}")
    mount = model.frame(link)
    carrier, pose = mount.body, mount.placement @ placement
    subtree = _subtree(model, carrier)
    first, more = subtree[-1] + 1, other.n_joints  # bodies of `other` follow all descendants of the carrier
    bodies = [replace(b, parent=b.parent + more if b.parent >= first else b.parent) for b in model.bodies]
    base, *moving = other.bodies
    bodies[carrier] = replace(bodies[carrier], inertia=bodies[carrier].inertia + pose @ base.inertia)

    def placed(part: Body | Frame, on: int) -> tuple[int, Transform]:
        """The index of the body that carries a part of the other robot, and the part's pose in that body."""
        return (first - 1 + on, part.placement) if on else (carrier, (pose @ part.placement).merged())

    attached, others = [], []
    for body in moving:
        (parent, at), drive = placed(body, body.parent), body.drive
        if drive.mimic:
            drive = replace(drive, mimic=replace(drive.mimic, joint=prefix + drive.mimic.joint))
        name, joint_name = prefix + body.name, prefix + body.joint_name
        attached.append(replace(body, name=name, parent=parent, joint_name=joint_name, placement=at, drive=drive))
    for f in other.frames:
        parent, at = placed(f, f.body)
        others.append(replace(f, name=prefix + f.name, body=parent, placement=at))
    frames = [replace(f, body=f.body + more if f.body >= first else f.body) for f in model.frames]
    behind = 1 + max(k for k, f in enumerate(model.frames) if f.body in subtree)
    return replace(
        model,
        bodies=(*bodies[:first], *attached, *bodies[first:]),
        frames=(*frames[:behind], *others, *frames[behind:]),
        closures=(*model.closures, *(closure.attached(prefix, link, placement) for closure in other.closures)),
        configurations=_both(model.configurations, other.configurations, prefix),
    )


def _both(
    ours: Sequence[NamedConfiguration], theirs: Sequence[NamedConfiguration], prefix: str
) -> tuple[NamedConfiguration, ...]:
    """The named configurations of two robots; those with the same name are merged, such as "home" of both arms."""
    joined = {x.name: x for x in ours}
    for x in theirs:
        joints = tuple([prefix + name for name in x.joints])
        first = joined.get(x.name, NamedConfiguration(x.name, (), ()))
        joined[x.name] = replace(first, joints=first.joints + joints, positions=first.positions + x.positions)
    return tuple(joined.values())


def _subtree(model: Model, root: int) -> list[int]:
    """The indices of a body and of all bodies that it carries, in order."""
    subtree = {root}
    for i, body in enumerate(model.bodies):
        if body.parent in subtree:
            subtree.add(i)
    return sorted(subtree)


def with_frame(model: AnyModel, name: str, link: str, placement: Transform) -> AnyModel:
    """See `Robot.with_frame`."""
    instance("with_frame: name", name, str)
    instance("with_frame: placement", placement, Transform)
    if name in model.link_names:
        raise InputError(f"with_frame: robot '{model.name}' has a link '{name}' already; give another name")
    carrier = model.frame(link)
    frame = Frame(name, carrier.body, (carrier.placement @ placement).merged())
    return replace(model, frames=(*model.frames, frame))


def floats(model: Model) -> bool:
    """Whether the root link is the first moving body, as after `load(..., base="free")`."""
    world, *moving = model.bodies
    return (
        len(moving) > 0
        and isinstance(moving[0].joint, Free)
        and moving[0].placement == Transform()
        and all(body.parent > 0 for body in moving[1:])
        and world.inertia == Inertia()
        and all(frame.body for frame in model.frames)
    )


def _floating(model: Model) -> Body | None:
    """The first body that floats on a base without mass, the world; None if there is none, or if the base has mass."""
    world = model.bodies[0]
    riders = [body for body in model.bodies[1:] if body.parent == 0 and isinstance(body.joint, Free)]
    return riders[0] if riders and world.inertia == Inertia() else None


def to_base(model: AnyModel, base: str) -> AnyModel:
    """See `Robot.to_base`."""
    check_base(base)
    if not floats(model) and (loose := _floating(model)):
        raise InputError(
            f"to_base: the base of '{model.name}' is '{model.bodies[0].name}', on which '{loose.name}' floats with "
            f"joint '{loose.joint_name}'; to fix it, lock that joint: lock({{'{loose.joint_name}': position}})"
        )
    if floats(model) == (base == "free"):
        return model
    if base == "fixed":
        root, *others = model.bodies[1:]
        fixed = Body(root.name, -1, "", Fixed(), inertia=root.inertia)
        return replace(
            model,
            bodies=(fixed, *(replace(body, parent=body.parent - 1) for body in others)),
            frames=tuple(replace(frame, body=frame.body - 1) for frame in model.frames),
        )
    if ROOT_JOINT in model.joint_names:
        raise InputError(f"to_base: robot '{model.name}' has a joint '{ROOT_JOINT}' already, between other links")
    root, *others = model.bodies
    universe = Body("universe", -1, "", Fixed())
    floating = Body(root.name, 0, ROOT_JOINT, Free(), inertia=root.inertia)
    return replace(
        model,
        bodies=(universe, floating, *(replace(body, parent=body.parent + 1) for body in others)),
        frames=tuple(replace(frame, body=frame.body + 1) for frame in model.frames),
        closures=tuple(closure.attached("", root.name, Transform()) for closure in model.closures),
    )
