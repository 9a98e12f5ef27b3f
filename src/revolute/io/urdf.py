"""URDF: links and joints from the XML of ROS. https://wiki.ros.org/urdf/XML"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from revolute.arguments import nearest
from revolute.errors import INSTALL
from revolute.io.description import Description, Part, Remark
from revolute.io.directions import LOOSE, normalized, unit_axis
from revolute.io.grammar import first, unread_names
from revolute.io.plain import listed
from revolute.io.rotors import with_extensions
from revolute.io.source import Source
from revolute.io.urdf_grammar import ROBOT
from revolute.io.urdf_shapes import URDFShapes, origin
from revolute.io.xml import Tag, line_numbers
from revolute.model import Drive, Joint, Limits, Link, Mimic
from revolute.model.joints import Fixed, Free, JointType, Planar, Prismatic, Revolute
from revolute.model.joints.composed import Composed
from revolute.spatial import Inertia, Matrix, Vector

UNLIMITED = 1e9  # minimum size of a limit that means "no limit", because URDF requires a number
TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def read_urdf(root: Tag, source: Source) -> Description:
    """The links and joints of a URDF file or text, from its outermost element: see `revolute.load`."""
    description = urdf_parts(root, source)
    return replace(description, remarks=description.remarks + mimics(root.where, description.joints))


def urdf_parts(root: Tag, source: Source) -> Description:
    """Read an included file as `read_urdf` does, without remarks on mimics."""
    _refuse_other_formats(root, source.expanded)
    remarks = unread_names(root, ROBOT)
    shapes = URDFShapes(root, source.folder)
    links = [_link(node, shapes, remarks) for node in root.named_children("link")]
    nodes = root.named_children("joint")
    joints = [_joint(node, remarks) for node in nodes]
    _check_links(root, nodes, joints, [link.name for link in links])
    joints = with_extensions(root, joints, remarks)
    remarks += shapes.remarks + _zero_limits(root.where, joints)
    name = root.text("name", "") or (Path(source.path).stem if source.path else "robot")
    incomplete = frozenset(shapes.incomplete)

    def parts(meshes: bool) -> list[Part]:
        from revolute.io.solids import solids  # only checks of robots need solids

        return [(link, solids(link, meshes, incomplete)) for link in links]

    return Description(name, links, joints, root.where, remarks, parts=parts, incomplete=incomplete)


def _refuse_other_formats(root: Tag, expanded: bool) -> None:
    """Reject xacro, which must be expanded first, and XML that is not URDF."""
    file = "FILE.xacro" if root.where == "URDF text" else root.where
    named = root.where.endswith(".xacro")
    tags = {element.tag for element in root.element.iter()}
    parts = [part for tag in ("link", "joint") for top in root.elements(tag) for part in top.iter() if part.attrib]
    if (
        (named and not expanded)
        or any("xacro" in tag.partition("}")[0] for tag in tags if "}" in tag)
        or any(["${" in x or ("$(" in x and part.tag != "mesh") for part in parts for x in part.attrib.values()])
    ):
        import shlex

        target = file.removesuffix(".xacro").removesuffix(".urdf")
        target += ".urdf" if file.endswith(".xacro") else "_expanded.urdf"
        root.fail(
            "this is xacro, a template for URDF; expand it and load the result: "
            f"xacro {shlex.quote(file)} > {shlex.quote(target)}; or {'' if named else 'name the file .xacro, and '}"
            + INSTALL.format(extra="xacro")
        )
    if root.tag != "robot":
        hint = {"COLLADA": " (a mesh)", "mujocoinclude": " (a part of MJCF)"}.get(root.tag, "")
        outermost = f"<{root.tag}>{hint}"
        root.fail(f"the root element is {outermost}; that of URDF is <robot>, of MJCF <mujoco>, of SDF <sdf>")


def _link(node: Tag, shapes: URDFShapes, remarks: list[Remark]) -> Link:
    name, visuals, collisions = node.text("name"), shapes.of(node, "visual"), shapes.of(node, "collision")
    return Link(name, _inertia(node, remarks), visuals, collisions)


def _inertia(node: Tag, remarks: list[Remark]) -> Inertia:
    """The inertia of a link: zero without <inertial>; a missing <mass> or <inertia> is zero too."""
    if (inertial := first(node, "inertial", remarks)) is None:
        return Inertia()
    mass, moments = first(inertial, "mass", remarks), first(inertial, "inertia", remarks)
    for tag, element in (("mass", mass), ("inertia", moments)):
        if element is None:
            remarks.append(Remark(f"{node.where}: <inertial> has no <{tag}>, so it is set to zero", fault=True))
    kg = mass.number("value") if mass else 0.0
    if kg < 0:
        node.fail(f"<mass> has value='{kg:g}'; a mass must be positive or zero")
    xx, xy, xz, yy, yz, zz = moments.scalars("ixx", "ixy", "ixz", "iyy", "iyz", "izz") if moments else (0.0,) * 6
    pose = origin(inertial, remarks)
    return Inertia.from_com(kg, pose.p, Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), pose.R)


def _joint(node: Tag, remarks: list[Remark]) -> Joint:
    parent = node.required("parent", '<parent link="..."/>').text("link")
    child = node.required("child", '<child link="..."/>').text("link")
    joint = _motion(node, remarks)
    data = (_limits(node, remarks), _drive(node)) if joint.nv == 1 else ()
    return Joint(node.text("name"), parent, child, joint, origin(node, remarks), *data)


def _check_links(root: Tag, nodes: list[Tag], joints: list[Joint], links: list[str]) -> None:
    """Raise an error with its line for the first parent or child that is not a link."""
    names = set(links)
    if len(names) < len(links):  # `assemble` reports duplicate names
        return
    for node, joint in zip(nodes, joints, strict=True):
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                line = line_numbers(root)[list(root.element.iter()).index(node.elements(role)[0])]
                node.fail(f"line {line}: its {role} link '{link}' does not exist; {nearest(link, links)}")


def _motion(node: Tag, remarks: list[Remark]) -> JointType:
    kind = node.text("type")
    if kind not in TYPES:
        node.fail(f"joint type '{kind}' is unknown; URDF has {', '.join(TYPES)}")
    if kind == "fixed":
        return Fixed()
    if kind == "floating":
        return Free()
    return {"prismatic": Prismatic, "planar": Planar}.get(kind, Revolute)(_axis(node, remarks))


def _axis(node: Tag, remarks: list[Remark]) -> Vector:
    """The unit axis, or the normal of a planar joint; x if the file has none."""
    if (element := node.child("axis")) is None:
        return Vector((1, 0, 0))
    xyz, text = element.vector("xyz"), f"<axis> has xyz='{element.text('xyz')}'"
    axis, length = normalized(node, text, xyz), math.hypot(*xyz)
    if abs(length - 1) > LOOSE:
        text += f", whose length is {length:.6g}, not one; only its direction is used"
        remarks.append(Remark(f"{node.where}: {text}"))
    return unit_axis(axis)


def _limits(node: Tag, remarks: list[Remark]) -> Limits:
    if (limit := node.child("limit")) is None:
        return _NO_LIMITS

    def read(name: str) -> tuple[float, ...]:
        if name not in attributes:
            return ()
        x = limit.number(name, infinite=True)
        return (x,) if abs(x) < UNLIMITED else (math.copysign(math.inf, x),)

    attributes = limit.element.attrib
    effort, velocity, low, high = map(read, ("effort", "velocity", "lower", "upper"))
    (lower,), (upper,) = low or (0,), high or (0,)
    none = (lower, upper) == (-math.inf, math.inf) or not (low or high)
    if node.text("type") == "continuous" or none:
        return Limits(velocity=velocity, effort=effort)
    if lower > upper or math.inf in (lower, -upper):
        text = f"<limit> has lower={lower:g} and upper={upper:g}, with no position between"
        remarks.append(Remark(f"{node.where}: {text}; the joint is loaded without position limits"))
        return Limits(velocity=velocity, effort=effort)
    return Limits((lower,), (upper,), velocity, effort)


def _drive(node: Tag) -> Drive:
    dynamics, mimic = node.child("dynamics"), node.child("mimic")
    coupling = mimic and Mimic(mimic.text("joint"), mimic.number("multiplier", 1), mimic.number("offset", 0))
    if dynamics is None:
        return Drive(mimic=coupling) if coupling else _NO_DRIVE
    return Drive((dynamics.number("damping", 0),), (dynamics.number("friction", 0),), coupling)


_NO_DRIVE, _NO_LIMITS = Drive(), Limits()


def _zero_limits(where: str, joints: list[Joint]) -> list[Remark]:
    """One warning for all zero effort limits, and one for all zero velocity limits."""
    remarks = []
    for what in ("effort", "velocity"):
        if names := [joint.name for joint in joints if 0 in getattr(joint.limits, what)]:
            text = f"the {what} limit of {listed(names)} is 0, which in many files means 'unknown'; it is used as a"
            remarks.append(Remark(f"{where}: {text} limit of 0: write the rated value, or remove it", kept=True))
    return remarks


def mimics(where: str, joints: list[Joint]) -> list[Remark]:
    """One warning for all joints that mimic others, and one for leaders that do not exist."""
    couplings = [(joint.name, joint.drive.mimic.joint) for joint in joints if joint.drive.mimic]
    names = {joint.name for joint in joints}
    for joint in joints:
        if isinstance(joint.type, Composed):
            names |= {f"{joint.name}.{part}" for part, _ in joint.type.parts()}
    remarks = []
    if couplings:
        text = f"{where}: mimic joints move independently: {_listed(couplings)}; robot.with_drives() couples them"
        remarks.append(Remark(text, kept=True))
    if lost := [pair for pair in couplings if pair[1] not in names]:
        remarks.append(Remark(f"{where}: joints mimic joints that do not exist: {_listed(lost)}; correct the names"))
    return remarks


def _listed(couplings: list[tuple[str, str]]) -> str:
    rest = f" and {len(couplings) - 1} more" if len(couplings) > 1 else ""
    return ", ".join(f"'{follower}' (of '{leader}')" for follower, leader in couplings[:1]) + rest
