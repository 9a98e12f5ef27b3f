"""Assemble the numbered tree of a `Robot` from named links and joints in any order.

All readers of robot descriptions call `assemble`. It finds the root, orders the bodies depth first with siblings in the
given order, merges links that fixed joints connect, and reports why a description is not a tree.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from revolute.arguments import instance, instances, nearest
from revolute.errors import ModelError, warn_caller
from revolute.model.body import Body, Drive, Frame, Limits
from revolute.model.checks import check_base, check_unique
from revolute.model.joints import Composed, Fixed, Free, JointType
from revolute.model.model import Model
from revolute.model.parameters import implausibilities
from revolute.model.shapes import Shape
from revolute.records import dataclass
from revolute.spatial import Inertia, Transform
from revolute.spatial.vectors import vector

Fields = dict[str, Any]  # field values of a `Body` or a `Frame`, by name


@dataclass(frozen=True)
class Link:
    """A named rigid body; `inertia` is about the link frame's origin, expressed in the link frame.

    `visuals` are shapes for display, `collisions` are shapes for collision checking. No equation uses them.
    """

    name: str
    inertia: Inertia = Inertia()
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.inertia, Inertia):
            instance("Link: name", self.name, str)
            instance(f"link '{self.name}': inertia", self.inertia, Inertia)
        for use in ("visuals", "collisions"):
            shapes = getattr(self, use)
            if type(shapes) is not tuple or any([type(shape) is not Shape for shape in shapes]):
                object.__setattr__(self, use, instances(f"link '{self.name}': {use}", shapes, Shape))


@dataclass(frozen=True)
class Joint:
    """A named joint between two links; `placement` is the pose of the joint's frame in the parent link.

    A composed joint, such as `Universal`, has limits and drive data for each of its coordinates, and is expanded to one
    joint per coordinate.
    """

    name: str
    parent: str
    child: str
    type: JointType | Composed = Fixed()
    placement: Transform = Transform()
    limits: Limits = Limits()
    drive: Drive = Drive()

    def __post_init__(self) -> None:
        if not all(map(isinstance, _parts(self), _KINDS.values())):
            for part, kind in _KINDS.items():
                what = "Joint" if kind is str else f"joint '{self.name}'"
                instance(f"{what}: {part}", getattr(self, part), kind)


_KINDS: dict[str, Any] = {
    "name": str, "parent": str, "child": str, "type": (JointType, Composed), "placement": Transform, "limits": Limits,
    "drive": Drive,
}  # fmt: skip
_parts = attrgetter(*_KINDS)


def assemble(
    name: str, links: Iterable[Link], joints: Iterable[Joint], *, base: str = "fixed",
    gravity: Sequence[float] = (0, 0, -9.81), warn: bool = True, source: str | None = None,
) -> Model:
    """Build a robot from links and joints.

    Args:
        name: name of the robot.
        links: all links, in any order.
        joints: all joints, in any order; siblings keep this order.
        base: "fixed" fixes the root link; "free" lets it float on a joint
            "root_joint", whose q is (position, quaternion) and qd the body twist (w, v).
        gravity: acceleration of free fall in the base frame [m/s^2].
        warn: warn about inertias that are physically inconsistent.
        source: name of the description in messages; the robot's name by default.

    Raises:
        ModelError: the links and joints do not form a tree (cycle, two roots, missing or duplicate names), or a mass is
            negative or not finite. The message names the link or joint.
    """
    check_base(base)
    where = source or f"robot '{name}'"
    links, joints = instances(f"{where}: links", links, Link), instances(f"{where}: joints", joints, Joint)
    by_name = {link.name: link for link in links}
    _check_names(where, links, joints, by_name)
    if any(isinstance(joint.type, Composed) for joint in joints):
        links, joints = _expanded(where, links, joints)
        by_name = {link.name: link for link in links}
        _check_names(where, links, joints, by_name)
    root = _root(where, links, joints)
    children: dict[str, list[Joint]] = {link.name: [] for link in links}
    for joint in joints:
        children[joint.parent].append(joint)

    bodies: list[Fields] = [] if base == "fixed" else [_body(Joint("", "", "universe"), -1, Inertia())]
    frames: list[Fields] = []
    pending = [(Joint("root_joint" if bodies else "", "", root, Free() if bodies else Fixed()), len(bodies) - 1)]
    while pending:
        joint, parent = pending.pop()
        index, link = len(bodies), by_name[joint.child]
        bodies.append(_body(joint, parent, link.inertia))
        visuals, collisions = link.visuals, link.collisions
        frames.append(
            {"name": link.name, "body": index, "placement": _HERE, "visuals": visuals, "collisions": collisions}
        )
        pending += [(child, index) for child in reversed(children[link.name])]
    model = Model(name, *merge_fixed(bodies, frames), gravity=vector("gravity [m/s^2]", gravity))
    for text in implausible_links(where, links) if warn else ():
        warn_caller(text)
    return model


def _body(joint: Joint, parent: int, inertia: Inertia) -> Fields:
    return {
        "name": joint.child, "parent": parent, "joint_name": joint.name, "joint": joint.type,
        "placement": joint.placement, "inertia": inertia, "limits": joint.limits, "drive": joint.drive,
    }


def implausible_links(where: str, links: Sequence[Link]) -> Iterator[str]:
    """A warning for every link with a physically inconsistent inertia."""
    for link, reason in zip(links, implausibilities([link.inertia for link in links]), strict=True):
        if reason:
            yield (
                f"{where}: link '{link.name}': this inertia is not physically consistent: {reason}. It is used as "
                "given; check the values, their units and their frame"
            )


def merge_fixed(bodies: Iterable[Fields], frames: Iterable[Fields]) -> tuple[tuple[Body, ...], tuple[Frame, ...]]:
    """Create bodies and frames from their fields; merge bodies on fixed joints, and their frames, into the parents."""
    merged: list[Fields] = []
    places: list[tuple[int, Transform]] = []  # index of the new body that contains each old body, and pose in it
    for body in bodies:
        parent, pose = places[body["parent"]] if body["parent"] != -1 else (-1, _HERE)
        placement = _placed(pose, body["placement"])
        if isinstance(body["joint"], Fixed) and parent != -1:
            places.append((parent, placement))
            merged[parent]["inertia"] += placement @ body["inertia"]
        else:
            places.append((len(merged), _HERE))
            merged.append({**body, "parent": parent, "placement": placement})
    moved = []
    for frame in frames:
        index, pose = places[frame["body"]]
        moved.append(Frame(**{**frame, "body": index, "placement": _placed(pose, frame["placement"])}))
    return tuple([Body(**body) for body in merged]), tuple(moved)


_HERE = Transform()


def _placed(pose: Transform, placement: Transform) -> Transform:
    return (placement if pose is _HERE else pose @ placement).merged()


def _expanded(where: str, links: Sequence[Link], joints: Sequence[Joint]) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """Replace every composed joint by a chain of joints `<joint>.<part>`, with massless links of the same names."""
    all_links, simple_joints = [*links], []
    for whole in joints:
        if not isinstance(whole.type, Composed):
            simple_joints.append(whole)
            continue
        parts, parent, placement = whole.type.parts(), whole.parent, whole.placement
        if whole.drive.mimic:
            raise ModelError(f"{where}: joint '{whole.name}' cannot mimic another: it has {len(parts)} coordinates")
        for k, (part, joint) in enumerate(parts):
            name, last = f"{whole.name}.{part}", k + 1 == len(parts)
            child = whole.child if last else name
            limits, drive = (_entry(where, whole.name, data, k, len(parts)) for data in (whole.limits, whole.drive))
            simple_joints.append(Joint(name, parent, child, joint, placement, limits, drive))
            if not last:
                all_links.append(Link(name))
            parent, placement = child, Transform()
    return tuple(all_links), tuple(simple_joints)


def _entry(where: str, name: str, data: Any, k: int, n: int) -> Any:
    """The limits or drive data of coordinate k of a joint with n coordinates."""
    columns = {field.name: getattr(data, field.name) for field in fields(data) if field.name != "mimic"}
    for key, values in columns.items():
        if len(values) not in (0, n):
            kind = type(data).__name__
            raise ModelError(f"{where}: joint '{name}': {kind}.{key} must have {n} numbers or none, not {len(values)}")
    return replace(data, **{key: values[k : k + 1] for key, values in columns.items()})


def _check_names(where: str, links: Sequence[Link], joints: Sequence[Joint], by_name: dict[str, Link]) -> None:
    if not links:
        raise ModelError(f"{where}: it has no links")
    for kind, names in (("link", [link.name for link in links]), ("joint", [joint.name for joint in joints])):
        check_unique(where, kind, names)
        if "" in names:
            raise ModelError(f"{where}: a {kind} has no name")
    for joint in joints:
        if joint.parent == joint.child and joint.child in by_name:
            raise ModelError(f"{where}: joint '{joint.name}': its parent and child are the same link, '{joint.child}'")
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in by_name:
                hint = nearest(link, by_name)
                raise ModelError(f"{where}: joint '{joint.name}': its {role} link '{link}' does not exist; {hint}")


def _root(where: str, links: Sequence[Link], joints: Sequence[Joint]) -> str:
    """The root: the only link that is not the child of a joint."""
    joint_of: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in joint_of:
            raise ModelError(
                f"{where}: link '{joint.child}' is the child of two joints, '{joint_of[joint.child].name}' and "
                f"'{joint.name}'; a tree cannot have closed loops"
            )
        joint_of[joint.child] = joint
    below: dict[str, list[str]] = {link.name: [] for link in links if link.name not in joint_of}
    root_of = {root: root for root in below}
    for link in links:
        name, path = link.name, {link.name: None}
        while name not in root_of:
            name = joint_of[name].parent
            if name in path:
                raise ModelError(_cycle(where, joint_of, name))
            path[name] = None
        root_of |= dict.fromkeys(path, root_of[name])
        below[root_of[link.name]].append(link.name)
    if len(below) > 1:
        shown = [f"'{root}' ({_count(len(names) - 1)})" for root, names in below.items()]
        rest = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
        raise ModelError(
            f"{where}: it has {len(below)} roots, links without a parent joint: "
            f"{', '.join(shown[:5])}{rest}; connect them with joints, or remove the loose links"
        )
    return next(iter(below))


def _cycle(where: str, joint_of: dict[str, Joint], link: str) -> str:
    """The error message about the cycle of joints that contains a link."""
    names, steps = [link], list[str]()
    while not steps or names[-1] != link:
        joint = joint_of[names[-1]]
        names.append(joint.parent)
        steps.append(f"'{joint.parent}' -{joint.name}-> '{joint.child}'")
    steps = steps[::-1]
    shown = steps if len(steps) <= 8 else [*steps[:7], f"... {len(steps) - 8} more ...", steps[-1]]
    return (f"{where}: its joints form a cycle: {', '.join(shown)}; remove one of them, since only trees are supported")


def _count(links: int) -> str:
    return f"{links} link{'s' * (links > 1)} on it" if links else "alone"
