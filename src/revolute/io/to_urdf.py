"""A robot as URDF."""

import math
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from revolute.errors import ModelError, warn_caller
from revolute.io.plain import digits, listed, need_numbers, need_xml, warn_of_losses
from revolute.io.urdf import UNLIMITED
from revolute.io.urdf_shapes import SIZES
from revolute.model import Body, Frame, Model, Shape
from revolute.model.compose import floats
from revolute.model.joints import Free, Planar, Prismatic, Revolute
from revolute.spatial import Inertia, Transform


def to_urdf(model: Model) -> str:
    """See `Robot.to_urdf`."""
    need_numbers(model, "URDF")
    need_xml(model, "URDF")
    if model.closures:
        raise ModelError(
            f"robot '{model.name}': {model.closures[0]}: URDF supports only trees; write .toml or .xml, or "
            "dataclasses.replace(robot, closures=())"
        )
    _check_frames(model)
    root = Element("robot", name=model.name)
    first = 1 if floats(model) else 0
    taken, shapes = set(model.joint_names), _ShapeWriter()
    own_frames = {frame.name: frame for frame in model.frames}
    for i, body in enumerate(model.bodies[first:], first):
        link = _link(root, body.name, body.inertia)
        if body.name in own_frames:
            shapes.write(link, own_frames[body.name])
        if i > first:
            _joint(root, body, model.bodies[body.parent].name)
        for frame in model.frames:
            if frame.body == i and frame.name != body.name:
                shapes.write(_mounted(root, frame, body.name, taken), frame)
    if root.find(".//capsule") is not None:  # urdfdom ignores capsules of version 1.0
        root.set("version", "1.1")
    shapes.warn(model.name)
    gravity = [] if tuple(model.gravity) == (0, 0, -9.81) else ["(" + ", ".join(f"{x:g}" for x in model.gravity) + ")"]
    warn_of_losses(model, "URDF", ("damping", "friction", "friction_backward"), {"gravity": gravity})
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _check_frames(model: Model) -> None:
    owners = {body.name: i for i, body in enumerate(model.bodies)}
    for frame in model.frames:
        at_home = frame.placement == Transform() and owners.get(frame.name) == frame.body
        if frame.name in owners and not at_home:
            raise ModelError(f"link '{frame.name}': its frame is not that of its body; URDF has one frame per link")


def _link(root: Element, name: str, inertia: Inertia) -> Element:
    link = SubElement(root, "link", name=name)
    if inertia == Inertia():
        return link
    if inertia.m == 0 and any(inertia.h):
        raise ModelError(f"link '{name}': it has a first moment without mass, which URDF cannot represent")
    inertial = SubElement(link, "inertial")
    _origin(inertial, Transform(p=inertia.com()))
    SubElement(inertial, "mass", value=digits([inertia.m]))
    C = inertia.about_com()
    names = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
    SubElement(inertial, "inertia", {name: digits([C[i][j]]) for name, i, j in names})
    return link


def _joint(root: Element, body: Body, parent: str) -> None:
    joint, limits, drive = body.joint, body.limits, body.drive
    kinds: dict[type, str] = {Free: "floating", Prismatic: "prismatic", Planar: "planar"}
    kinds[Revolute] = "revolute" if limits.lower or limits.upper else "continuous"
    if (kind := kinds.get(type(joint), "")) == "":
        raise ModelError(f"joint '{body.joint_name}': URDF has no {type(joint).__name__.lower()} joint; use .toml")
    element = SubElement(root, "joint", name=body.joint_name, type=kind)
    _origin(element, body.placement)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=body.name)
    if isinstance(joint, Planar):
        SubElement(element, "axis", xyz=digits(joint.normal))
    if not isinstance(joint, (Revolute, Prismatic)):
        return
    SubElement(element, "axis", xyz=digits(joint.axis))
    rates = {"effort": limits.effort, "velocity": limits.velocity}
    if kind != "continuous":
        rates = {"lower": limits.lower or (-math.inf,), "upper": limits.upper or (math.inf,)} | rates
    ends = {name: (value or (math.inf,))[0] for name, value in rates.items()}
    if kind != "continuous" or min(ends.values()) < math.inf:  # urdfdom requires finite numbers, and all in one <limit>
        values = {name: digits([min(max(end, -UNLIMITED), UNLIMITED)]) for name, end in ends.items()}
        SubElement(element, "limit", values)
    if drive.damping or drive.friction:
        dynamics = {"damping": drive.damping or (0,), "friction": drive.friction or (0,)}
        SubElement(element, "dynamics", {name: digits(value) for name, value in dynamics.items()})
    if mimic := drive.mimic:
        line = {"multiplier": digits([mimic.multiplier]), "offset": digits([mimic.offset])}
        SubElement(element, "mimic", {"joint": mimic.joint} | line)


def _mounted(root: Element, frame: Frame, carrier: str, taken: set[str]) -> Element:
    """A massless link for a frame fixed to a body, on a joint with an unused name."""
    name = f"{frame.name}_fixed"
    while name in taken:
        name += "_"
    link = SubElement(root, "link", name=frame.name)
    joint = SubElement(root, "joint", name=name, type="fixed")
    _origin(joint, frame.placement)
    SubElement(joint, "parent", link=carrier)
    SubElement(joint, "child", link=frame.name)
    return link


class _ShapeWriter:
    """Writer of the shapes of a robot. It records the colours written so far."""

    def __init__(self) -> None:
        self.colors: dict[tuple[float, ...], str] = {}
        self.left_out: list[str] = []

    def write(self, link: Element, frame: Frame) -> None:
        """Add the shapes of a link frame to its element."""
        for use, shapes in (("visual", frame.visuals), ("collision", frame.collisions)):
            for shape in shapes:
                if shape.kind in ("ellipsoid", "plane"):
                    self.left_out.append(f"{frame.name} ({shape.kind})")
                else:
                    self._write(link, use, shape)

    def _write(self, link: Element, use: str, shape: Shape) -> None:
        element = SubElement(link, use, {"name": shape.name} if shape.name else {})
        if shape.placement != Transform():
            _origin(element, shape.placement)
        geometry = SubElement(element, "geometry")
        if shape.kind == "mesh":
            scale = {} if shape.size == (1, 1, 1) else {"scale": digits(shape.size)}
            SubElement(geometry, "mesh", {"filename": shape.file} | scale)
        elif shape.kind == "box":
            SubElement(geometry, "box", size=digits(shape.size))
        else:
            sizes = {name: digits([x]) for name, x in zip(SIZES[shape.kind], shape.size, strict=True)}
            SubElement(geometry, shape.kind, sizes)
        if shape.color:
            name = self.colors.setdefault(shape.color, f"color{len(self.colors) + 1}")
            SubElement(SubElement(element, "material", name=name), "color", rgba=digits(shape.color))

    def warn(self, robot: str) -> None:
        """Warn of shapes that URDF cannot represent."""
        if self.left_out:
            warn_caller(f"robot '{robot}': URDF has no such shapes, so they are omitted: {listed(self.left_out)}")


def _origin(parent: Element, X: Transform) -> None:
    SubElement(parent, "origin", xyz=digits(X.p), rpy=digits(X.R.rpy()))
