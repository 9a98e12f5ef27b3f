"""A robot as MJCF. https://mujoco.readthedocs.io/en/stable/XMLreference.html"""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from revolute.body import Body
from revolute.errors import ModelError
from revolute.io.plain import check_characters, need_numbers
from revolute.joints import Free, Joint, Prismatic, Revolute, Spherical
from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.spatial import Inertia, Rotation, Transform

__all__ = ["to_mjcf"]

UNLIMITED = 1e9
"""What stands for the missing end of a range that has one end only."""

TYPES: dict[type[Joint], str] = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", Free: "free"}


def to_mjcf(robot: Robot) -> str:
    """See `Robot.to_mjcf`."""
    need_numbers(robot, "MJCF")
    check_characters(robot)
    children: list[list[int]] = [[] for _ in robot.bodies]
    for i, body in enumerate(robot.bodies[1:], 1):
        children[body.parent].append(i)
    root = Element("mujoco", model=robot.name)
    SubElement(root, "compiler", angle="radian")
    SubElement(root, "option", gravity=_numbers(robot.gravity))
    world = SubElement(root, "worldbody")
    _sites(world, robot, 0)
    waiting = [(i, world) for i in reversed(children[0])]
    while waiting:
        i, parent = waiting.pop()
        chain = [i]
        while _only_axis(robot, chain[-1], children):
            chain += children[chain[-1]]
        element = _body(parent, robot, chain)
        waiting += [(child, element) for child in reversed(children[chain[-1]])]
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _only_axis(robot: Robot, i: int, children: list[list[int]]) -> bool:
    """Whether a body is but the link between two joints, which MJCF has as joints of one body."""
    below, body = children[i], robot.bodies[i]
    return (
        body.inertia == Inertia()
        and not any(frame.body == i and frame.name != body.name for frame in robot.frames)
        and len(below) == 1
        and not isinstance(body.joint, Free)
        and not isinstance(robot.bodies[below[0]].joint, Free)
    )


def _body(parent: Element, robot: Robot, chain: list[int]) -> Element:
    """A body with the joints of a chain; all are written in its own frame, that of the last link."""
    bodies = [robot.bodies[i] for i in chain]
    back = [Transform()]  # from the last frame to that of each joint, at q = 0, from the last on
    for body in reversed(bodies[1:]):
        back.insert(0, body.placement @ back[0])
    element = SubElement(parent, "body", {"name": bodies[-1].name} | _pose(bodies[0].placement @ back[0]))
    for body, to_last in zip(bodies, back, strict=True):
        _joint(element, body, to_last.inverse())
    _sites(element, robot, chain[-1])
    _inertial(element, bodies[-1])
    return element


def _joint(element: Element, body: Body, seen: Transform) -> None:
    joint, limits, drive = body.joint, body.limits, body.drive
    kind = TYPES.get(type(joint))
    if kind is None:
        raise ModelError(f"joint '{body.joint_name}': MJCF has no {type(joint).__name__.lower()} joint; use .toml")
    if kind == "free" and (body.parent != 0 or body.placement != Transform()):
        raise ModelError(f"joint '{body.joint_name}': free joints of MJCF start at the world's origin; this does not")
    values = {"name": body.joint_name, "type": kind}
    if isinstance(joint, (Revolute, Prismatic)):
        values["axis"] = _numbers(seen.R @ joint.axis)
        low, high = (limits.lower or (-math.inf,))[0], (limits.upper or (math.inf,))[0]
        if math.isfinite(low) or math.isfinite(high):
            values["limited"], values["range"] = "true", _numbers([max(low, -UNLIMITED), min(high, UNLIMITED)])
        if limits.effort and math.isfinite(limits.effort[0]):
            values["actuatorfrclimited"] = "true"
            values["actuatorfrcrange"] = _numbers([-limits.effort[0], limits.effort[0]])
    if kind != "free" and any(seen.p):
        values["pos"] = _numbers(seen.p)
    for name, given in (("damping", drive.damping), ("frictionloss", drive.friction), ("armature", drive.armature)):
        if len(set(given)) > 1:
            raise ModelError(f"joint '{body.joint_name}': MJCF has one {name} for all axes of a joint, not {given}")
        if any(given):
            values[name] = _numbers(given[:1])
    SubElement(element, "joint", values)


def _inertial(element: Element, body: Body) -> None:
    C = body.inertia.about_com()
    full = (C[0][0], C[1][1], C[2][2], C[0][1], C[0][2], C[1][2])
    values = {"pos": _numbers(body.inertia.com()), "mass": _numbers([body.inertia.m]), "fullinertia": _numbers(full)}
    SubElement(element, "inertial", values)


def _sites(element: Element, robot: Robot, i: int) -> None:
    """Frames of a body, but for its own."""
    for frame in robot.frames:
        if frame.body == i and (frame.name != element.get("name") or frame.placement != Transform()):
            SubElement(element, "site", {"name": frame.name} | _pose(frame.placement))


def _pose(X: Transform) -> dict[str, str]:
    found = {"pos": _numbers(X.p)} if any(X.p) else {}
    return found | ({} if Rotation() == X.merged().R else {"quat": _numbers(_quaternion(X.R))})


def _quaternion(rotation: Rotation) -> tuple[float, ...]:
    """Of length one, w first; the largest part from the diagonal, so that no digits are lost."""
    R = [[float(x) for x in row] for row in rotation.matrix()]
    squares = [1 + R[0][0] + R[1][1] + R[2][2], *(1 + 2 * R[k][k] - R[0][0] - R[1][1] - R[2][2] for k in range(3))]
    largest = max(range(4), key=squares.__getitem__)
    if largest == 0:
        parts = [squares[0], R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        parts = [R[k][j] - R[j][k], 0.0, 0.0, 0.0]
        parts[1 + i], parts[1 + j], parts[1 + k] = squares[largest], R[j][i] + R[i][j], R[k][i] + R[i][k]
    length = math.hypot(*parts)
    return tuple(part / length for part in parts)


def _numbers(values: Iterable[Scalar]) -> str:
    return " ".join(repr(float(x)) for x in values)
