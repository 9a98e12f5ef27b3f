"""Closures, couplings and helical joints as equality constraints of MJCF."""

from xml.etree.ElementTree import Element, SubElement

from revolute.dynamics.closures import AxisClosure, FrameClosure, JointClosure, PointClosure
from revolute.errors import ModelError
from revolute.io.plain import digits
from revolute.io.to_mjcf_shapes import pose
from revolute.model.joints import Helical, OneAxis
from revolute.model.model import Model
from revolute.spatial import Transform, Vector


def helical_slide(joint: str) -> str:
    """The name of the slide coupled to the hinge of a helical joint."""
    return f"{joint}.slide"


class EqualityWriter:
    """The equality constraints of a robot, between sites.

    Sites are used because anchors in bodies refer to q = 0, where a robot's loops may be open.

    Attributes:
        closed_bodies: indices of the bodies that closures constrain.
        within: closures between frames of one body, which have no effect and which MuJoCo rejects.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.pairs: list[tuple[str, str, str]] = []
        self.within: list[str] = []
        self.places: dict[int, list[tuple[str, Transform]]] = {}
        for k, closure in enumerate(model.closures, 1):
            if isinstance(closure, JointClosure):
                if len(closure.coefficients) > 5:
                    raise ModelError(f"closure number {k}: MJCF supports polynomials of order at most 4; remove it")
                continue
            if not isinstance(closure, (AxisClosure, FrameClosure, PointClosure)):
                raise ModelError(f"closure number {k}: MJCF has no {type(closure).__name__}; remove it")
            if len({model.frame(link).body if link else 0 for link, _ in closure.sides()}) == 1:
                self.within.append(str(closure))
                continue
            tag = "weld" if isinstance(closure, FrameClosure) else "connect"
            self._pair(tag, f"closure{k}", closure, Transform())
            if isinstance(closure, AxisClosure):  # a second point of the axis, one metre from the first
                self._pair(tag, f"closure{k}z", closure, Transform(p=Vector((0, 0, 1))))
        self.closed_bodies = frozenset(self.places)

    def _pair(self, tag: str, name: str, closure: AxisClosure | FrameClosure | PointClosure, offset: Transform) -> None:
        sites, frames = [], self.model.frames
        for side, (link, at) in zip("ab", closure.sides(), strict=True):
            frame = self.model.frame(link) if link is not None else None
            anchor = at if isinstance(at, Transform) else Transform(p=Vector(at))
            place = (frame.placement @ anchor @ offset if frame else anchor @ offset).merged()
            body, site = frame.body if frame else 0, f"{name}.{side}"
            while site in self.model.link_names:
                site += "_"
            body_name = self.model.bodies[body].name if body else "world"  # the name of a body is no site
            same = [f.name for f in frames if f.body == body and f.placement == place and f.name != body_name]
            site = same[0] if same else site  # reuse sites, or each export would add more
            self.places.setdefault(body, []).append((site, place))
            sites.append(site)
        self.pairs.append((tag, sites[0], sites[1]))

    def sites(self, element: Element, i: int) -> None:
        """Write the sites of body i that are not among its frames."""
        frame_names = {frame.name for frame in self.model.frames}
        for name, place in self.places.get(i, ()):
            if name not in frame_names:
                SubElement(element, "site", {"name": name} | pose(place))

    def write(self, root: Element) -> None:
        """Write the constraints, if there are any."""
        constraints = [(tag, {"site1": a, "site2": b}) for tag, a, b in self.pairs]
        for closure in self.model.closures:
            if isinstance(closure, JointClosure):
                names = {f"joint{k}": name for k, name in enumerate(closure.joints(), 1)}
                padded = (*closure.coefficients, 0, 0, 0, 0)[:5]
                constraints.append(("joint", names | {"polycoef": digits(padded)}))
        for body in self.model.bodies:
            if isinstance(body.joint, Helical):
                slope = (0, body.joint.pitch, 0, 0, 0)
                names = {"joint1": helical_slide(body.joint_name), "joint2": body.joint_name}
                constraints.append(("joint", names | {"polycoef": digits(slope)}))
            if mimic := body.drive.mimic:
                leader = next((other for other in self.model.bodies if other.joint_name == mimic.joint), None)
                if leader is None or not all(isinstance(joint, OneAxis) for joint in (body.joint, leader.joint)):
                    raise ModelError(
                        f"joint '{body.joint_name}': it mimics '{mimic.joint}', but MJCF couples only existing joints "
                        "with one axis; correct Drive.mimic, or remove it"
                    )
                line = digits((mimic.offset, mimic.multiplier, 0, 0, 0))
                constraints.append(("joint", {"joint1": body.joint_name, "joint2": mimic.joint, "polycoef": line}))
        if constraints:
            parent = SubElement(root, "equality")
            for tag, values in constraints:
                SubElement(parent, tag, values)
