"""A robot as MJCF. https://mujoco.readthedocs.io/en/stable/XMLreference.html"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from revolute.errors import ModelError, warn_caller
from revolute.io.plain import digits, need_numbers, need_xml, unused, warn_of_losses
from revolute.io.to_mjcf_contacts import write_contacts
from revolute.io.to_mjcf_equality import EqualityWriter, helical_slide
from revolute.io.to_mjcf_shapes import GeomWriter, pose
from revolute.model import Body, Contact, Drive, Limits, Model, derived
from revolute.model.joints import Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from revolute.model.link_frames import children_of
from revolute.model.parameters import implausibility
from revolute.spatial import Inertia, Transform

UNLIMITED = 1e9  # value written for the missing end of a one-sided range
NARROW = 1e-9
"""Width written for a range of zero width, which MuJoCo rejects; relative to the ends if they exceed one."""
LEAST, SLIM = 1e-12, 1e-10
"""LEAST: minimum mass [kg] and principal moment [kg m^2] written for a moving body, since MuJoCo rejects zero.
SLIM: minimum principal moment as a fraction of the largest one."""

TYPES: dict[type[JointType], str] = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", Free: "free"}
_Part = tuple[str, JointType, Limits, Drive]  # name, type, limits and drive of one MJCF joint


def to_mjcf(model: Model, contacts: Sequence[Contact] = ()) -> str:
    """See `Robot.to_mjcf`."""
    need_numbers(model, "MJCF")
    need_xml(model, "MJCF")
    model, contacts = _without_moving_world(model, contacts)
    children = children_of(model.bodies)
    root = Element("mujoco", model=model.name)
    SubElement(root, "compiler", angle="radian")
    SubElement(root, "option", gravity=digits(model.gravity))
    world = SubElement(root, "worldbody")
    _sites(world, model, 0)
    equalities, geoms = EqualityWriter(model), GeomWriter(model)
    equalities.sites(world, 0)
    geoms.write(world, 0)
    elements = {0: world}
    waiting = [(i, world) for i in reversed(children[0])]
    while waiting:
        i, parent = waiting.pop()
        chain = [i]
        while _only_links_joints(model, chain[-1], children) and chain[-1] not in equalities.closed_bodies:
            chain += children[chain[-1]]
        element = elements[chain[-1]] = _body(parent, model, chain)
        equalities.sites(element, chain[-1])
        geoms.write(element, chain[-1])
        waiting += [(child, element) for child in reversed(children[chain[-1]])]
    equalities.write(root)
    geoms.finish(root, [element.get("name", "") for element in world.findall("body")])
    if contacts:
        write_contacts(root, model, contacts, elements, geoms.names)
    _warn_of_losses(model, equalities.within)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _without_moving_world(model: Model, contacts: Sequence[Contact]) -> tuple[Model, Sequence[Contact]]:
    """The model and contacts, with a moving link 'world' renamed: 'world' is MuJoCo's fixed body."""
    if "world" not in (body.name for body in model.bodies[1:]):
        return model, contacts
    name = unused("world_link", model.link_names)
    warn_caller(f"robot '{model.name}': MJCF has no moving link 'world'; it is written as '{name}'")
    bodies, frames = (
        tuple(replace(x, name=name) if x.name == "world" else x for x in parts)
        for parts in (model.bodies, model.frames)
    )

    def renamed(contact: Contact) -> Contact:
        surface = renamed(contact.surface) if isinstance(contact.surface, Contact) else contact.surface
        return replace(contact, link=name if contact.link == "world" else contact.link, surface=surface)

    return derived(model, bodies=bodies, frames=frames), [renamed(contact) for contact in contacts]


def _warn_of_losses(model: Model, within: Sequence[str]) -> None:
    bodies = model.bodies[1:]
    several = [x for x in bodies if not isinstance(x.joint, (Revolute, Prismatic, Helical))]
    base = model.bodies[0]
    others = {
        "velocity limits": [x.joint_name for x in bodies if any(map(math.isfinite, x.limits.velocity))],
        "effort limits of zero": [x.joint_name for x in bodies if 0 in x.limits.effort],
        "effort limits of several axes": [x.joint_name for x in several if any(map(math.isfinite, x.limits.effort))],
        "closures between frames of one body": within,
        "base mass and inertia": [base.name] if base.inertia != Inertia() else [],
    }
    held = ("damping", "friction", "friction_backward", "armature", "rotor_inertia", "stiffness")
    warn_of_losses(model, "MJCF", held, others)


def _only_links_joints(model: Model, i: int, children: list[list[int]]) -> bool:
    """Whether a body only connects two joints, without mass, shapes or other frames. MJCF puts both on one body."""
    below, body = children[i], model.bodies[i]
    frames = [frame for frame in model.frames if frame.body == i]
    return (
        body.inertia == Inertia()
        and not any(frame.name != body.name or frame.visuals or frame.collisions for frame in frames)
        and len(below) == 1
        and not isinstance(body.joint, Free)
        and not isinstance(model.bodies[below[0]].joint, Free)
    )


def _body(parent: Element, model: Model, chain: list[int]) -> Element:
    """Add and return a <body> with the joints of a chain, all in the frame of the last link."""
    bodies = [model.bodies[i] for i in chain]
    last_in_joint = [Transform()]  # pose of the last link in each joint's frame, at q = 0
    for body in reversed(bodies[1:]):
        last_in_joint.insert(0, body.placement @ last_in_joint[0])
    element = SubElement(parent, "body", {"name": bodies[-1].name} | pose(bodies[0].placement @ last_in_joint[0]))
    for body, last in zip(bodies, last_in_joint, strict=True):
        if isinstance(body.joint, Free) and (body.parent != 0 or body.placement != Transform()):
            raise ModelError(f"joint '{body.joint_name}': MJCF allows free joints only at the world's origin")
        for part in _parts(body):
            _joint(element, part, last.inverse())
    _sites(element, model, chain[-1])
    _inertial(element, bodies[-1])
    return element


def _parts(body: Body) -> list[_Part]:
    """A joint as joints of MJCF: a planar joint as two slides and a hinge, a helical joint as a hinge and a slide."""
    joint, limits, drive, name = body.joint, body.limits, body.drive, body.joint_name
    if type(joint) in TYPES:
        return [(name, joint, limits, drive)]
    if isinstance(joint, Helical):
        slide = helical_slide(name), Prismatic(joint.axis), Limits(), Drive()
        return [(name, Revolute(joint.axis), limits, drive), slide]
    if not isinstance(joint, Planar):
        raise ModelError(f"joint '{name}': MJCF has no {type(joint).__name__.lower()} joint; use .toml")
    if any(drive.friction[1:]) or any(len(set(column[1:])) > 1 for column in drive.columns().values()):
        raise ModelError(
            f"joint '{name}': friction in its plane, and damping or inertia that differ along x and y, rotate with the "
            "link, but MJCF slide joints do not; use .toml"
        )
    axes = (Prismatic(joint.first), Prismatic(joint.second), Revolute(joint.normal))
    parts: list[_Part] = []
    for k, axis in enumerate(axes):  # q is (x, y, angle), but qd is (w, vx, vy)
        bounds = {side: tuple(getattr(limits, side)[k : k + 1]) for side in ("lower", "upper")}
        effort = limits.effort[:1] if k == 2 else ()
        data: dict[str, Any] = {name: values[(k + 1) % 3 :][:1] for name, values in drive.columns().items()}
        parts.append((f"{name}.{joint.q_names[k]}", axis, Limits(**bounds, effort=effort), Drive(**data)))
    return parts


def _joint(element: Element, part: _Part, placement: Transform) -> None:
    """Add a <joint>; `placement` is the pose of its frame in the body."""
    name, joint, limits, drive = part
    kind = TYPES[type(joint)]
    values = {"name": name, "type": kind}
    if isinstance(joint, (Revolute, Prismatic)):
        values["axis"] = digits(placement.R @ joint.axis)
        low, high = (limits.lower or (-math.inf,))[0], (limits.upper or (math.inf,))[0]
        if math.isfinite(low) or math.isfinite(high):
            low, high = max(low, -UNLIMITED), min(high, UNLIMITED)
            values["limited"], values["range"] = "true", digits([low, max(high, low + NARROW * max(abs(low), 1.0))])
        if limits.effort and 0 < limits.effort[0] < math.inf:
            values["actuatorfrclimited"] = "true"
            values["actuatorfrcrange"] = digits([-limits.effort[0], limits.effort[0]])
    if kind != "free" and any(placement.p):
        values["pos"] = digits(placement.p)
    columns = {"damping": drive.damping, "frictionloss": drive.friction, "armature": _reflected(drive)}
    for what, column in columns.items():
        if len(set(column)) > 1:
            raise ModelError(f"joint '{name}': MJCF has one {what} for all axes of a joint, not {column}")
        if any(column):
            values[what] = digits(column[:1])
    if any(drive.stiffness):
        values["stiffness"] = digits(drive.stiffness[:1])
        if joint.nv == 1:
            values["springref"] = digits(drive.rest_position or (0,))
        elif any(drive.rest_position):
            raise ModelError(f"joint '{name}': in MJCF springs of ball joints rest at q = (0, 0, 0, 1); use .toml")
    SubElement(element, "joint", values)


def _reflected(drive: Drive) -> tuple[float, ...]:
    """Inertias of rotors at the joint: armature + gear_ratio^2 rotor_inertia."""
    if not drive.rotor_inertia:
        return drive.armature
    ratios = drive.gear_ratio or (1.0,) * len(drive.rotor_inertia)
    armature = drive.armature or (0.0,) * len(drive.rotor_inertia)
    return tuple(a + n * n * j for a, n, j in zip(armature, ratios, drive.rotor_inertia, strict=True))


def _inertial(element: Element, body: Body) -> None:
    """Add mass and inertia, slightly increased where MuJoCo would reject the body."""
    inertia = body.inertia
    if implausibility(inertia):
        raise ModelError(f"link '{body.name}': physically inconsistent inertia, which MuJoCo rejects; correct it")
    if inertia.m < LEAST:
        inertia = Inertia.from_com(LEAST)
    C = np.array(inertia.about_com(), dtype=float)
    moments, axes = np.linalg.eigh(C)
    enough = np.maximum(moments, max(LEAST, SLIM * moments[-1]))
    enough += max((1 + SLIM) * enough[2] - enough[0] - enough[1], 0)  # satisfy the triangle inequality with a margin
    if (enough > moments).any():
        C = axes @ np.diag(enough) @ axes.T
    full = (C[0, 0], C[1, 1], C[2, 2], C[0, 1], C[0, 2], C[1, 2])
    SubElement(element, "inertial", pos=digits(inertia.com()), mass=digits([inertia.m]), fullinertia=digits(full))


def _sites(element: Element, model: Model, i: int) -> None:
    """Add the frames of a body, except its own, as sites."""
    body_name = element.get("name", "world")
    for frame in model.frames:
        if frame.body == i and (frame.name != body_name or frame.placement != Transform()):
            SubElement(element, "site", {"name": frame.name} | pose(frame.placement))
