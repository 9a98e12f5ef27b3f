"""SDF: links and joints of a model in an SDFormat file. http://sdformat.org/spec"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from revolute.dynamics.closures import AxisClosure, Closure, FrameClosure, PointClosure
from revolute.errors import InputError
from revolute.io.description import Description, Part, Remark
from revolute.io.grammar import first
from revolute.io.rotors import with_rotor
from revolute.io.sdf_axes import TWO_AXES, Couplings, columns, limits, motion
from revolute.io.sdf_models import Models, Scope
from revolute.io.sdf_poses import Poses
from revolute.io.sdf_shapes import SDFShapes
from revolute.io.sdf_values import WORLD, flag, number, own_pose, text
from revolute.io.sdf_versions import gravity
from revolute.io.solids import solids
from revolute.io.source import Source
from revolute.io.urdf import mimics
from revolute.io.xml import Tag
from revolute.model import Drive, Joint, Limits, Link
from revolute.model.joints import Fixed, JointType, Revolute, Spherical
from revolute.model.joints.composed import Composed
from revolute.model.link_frames import with_z_along
from revolute.spatial import Inertia, Rotation, Transform

TYPES = ("revolute", "continuous", "prismatic", "screw", "universal", "revolute2", "ball", "fixed", "gearbox")
CLOSING = ("revolute", "continuous", "ball", "fixed")  # types of joints that can close a kinematic loop
_CLOSURES: dict[type, Any] = {Revolute: AxisClosure, Spherical: PointClosure, Fixed: FrameClosure}


def read_sdf(root: Tag, source: Source, base: str, model: str | None = None) -> Description:
    """The links and joints of a model of an SDF file or text, with nested models: see `revolute.load`."""
    models = Models(root, source, model)
    reader = _SDFReader(models)
    g = gravity(root, models.world, reader.remarks)
    reader.place_base(base)
    reader.add_frames(models.scopes, base)
    name = models.scopes[0].name or (Path(source.path).stem if source.path else "robot")
    remarks = models.remarks + reader.remarks + reader.shapes.remarks + reader.couplings.remarks
    remarks += mimics(root.where, reader.joints)
    closures = (*reader.closures, *reader.couplings.closures)

    def parts(meshes: bool) -> list[Part]:
        return [(link, solids(link, meshes, reader.shapes.incomplete)) for link in reader.own_links]

    links, joints, lifted = reader.links, reader.joints, frozenset(reader.weightless)
    return Description(name, links, joints, root.where, remarks, closures, g, parts=parts, weightless=lifted)


class _SDFReader:
    """Links, joints and closures of a model and of its nested models."""

    def __init__(self, models: Models) -> None:
        self.model = models.scopes[0].model
        self.joints: list[Joint] = []
        self.closures: list[Closure] = []
        self.remarks: list[Remark] = []
        self.weightless: set[str] = set()
        self.poses = Poses(models.scopes, self.remarks)
        self.shapes = SDFShapes(self.poses)
        for scope in models.scopes:
            if scope.file.urdf:
                self.shapes.incomplete |= {(scope.full(name), use) for name, use in scope.file.urdf.incomplete}
        moving = [scope for scope in models.scopes if not scope.still]
        for scope in moving:
            if scope.static and (scope.outer or scope.model.children("joint")):
                words = "it is <static>, so SDFormat fixes it; here its joints move"
                self.remarks.append(Remark(f"{self.model.where}: model '{scope.name}': {words}"))
        every = [(node, scope) for scope in moving for node in scope.parts("link")]
        self.own_links = [self._link(node, scope) for node, scope in every]
        self.links = [*self.own_links]
        every = [(node, scope) for scope in models.inner_first for node in scope.parts("joint")]
        kinds = {scope.full(node.text("name")): node.text("type") for node, scope in every}
        self.couplings = Couplings(kinds, self.poses)
        gears, joints = (
            [(node, scope) for node, scope in every if (node.text("type") == "gearbox") == wanted]
            for wanted in (True, False)
        )
        self.ends = {scope.full(node.text("name")): self._ends(node, scope) for node, scope in joints}
        tree = self._tree(kinds)
        for node, scope in joints:
            self._joint(node, scope, scope.full(node.text("name")) in tree)
        for node, scope in gears:
            self.couplings.gearbox(node, scope, self.joints)

    def place_base(self, base: str) -> None:
        """Mount the root link at the model's pose in the world, or leave it floating."""
        children = {joint.child for joint in self.joints}
        roots = [link.name for link in self.links if link.name not in children]
        on_world = any(joint.parent == WORLD for joint in self.joints)
        if base == "free":
            if on_world:
                raise InputError(f"base must be 'fixed' for '{self.model.where}': a joint attaches it to the world")
            return
        self.links.insert(0, Link(WORLD))
        if len(roots) == 1 and not on_world:
            pose = self.poses.pose(roots[0], WORLD)
            self.joints.insert(0, Joint(f"{WORLD}:{roots[0]}", WORLD, roots[0], Fixed(), pose))

    def add_frames(self, scopes: Sequence[Scope], base: str) -> None:
        """Add the frames of models, and of the world if there is one, as links without mass."""
        for scope in scopes:
            for node in scope.parts("frame") if not scope.still else ():
                name = scope.full(node.text("name"))
                carrier = self.poses.link(name)
                if base == "fixed" or carrier != WORLD:
                    pose = self.poses.pose(name, carrier)
                    self.links.append(Link(name))
                    self.joints.append(Joint(f"{name}:mount", carrier, name, Fixed(), pose))

    def _link(self, node: Tag, scope: Scope) -> Link:
        name = scope.full(node.text("name"))
        if scope.file.urdf:
            return replace(scope.file.urdf.links[node.text("name")], name=name)
        if not flag(node, "gravity", "true"):
            self.weightless.add(name)
        visuals, collisions = (self.shapes.of(node, scope, use) for use in ("visual", "collision"))
        return Link(name, self._inertia(node, scope, name), visuals, collisions)

    def _inertia(self, node: Tag, scope: Scope, name: str) -> Inertia:
        if (inertial := first(node, "inertial", self.remarks)) is None:
            self.remarks.append(Remark(f"{node.where}: it has no <inertial>, so SDFormat gives it 1 kg and 1 kg m^2"))
            return Inertia.from_com(1.0, (0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        inertial = type(inertial)(inertial.element, node.where)
        if inertial.flag("auto"):
            inertial.fail("automatic inertia from shapes is not supported; write mass and inertia")
        mass, moments = number(inertial, "mass", 1.0), inertial.child("inertia")
        if mass < 0:
            node.fail(f"<mass> is {mass:g}; a mass must be positive or zero")
        xx, yy, zz = (number(moments, tag, 1.0) if moments else 1.0 for tag in ("ixx", "iyy", "izz"))
        xy, xz, yz = (number(moments, tag, 0.0) if moments else 0.0 for tag in ("ixy", "ixz", "iyz"))
        relative_to, pose = own_pose(inertial, self.remarks)
        if relative_to and scope.full(relative_to) != name:
            words = f"the <pose> in <inertial> is read in the frame of the link, not of '{relative_to}'; write it so"
            self.remarks.append(Remark(f"{node.where}: {words}"))
        return Inertia.from_com(mass, pose.p, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), pose.R)

    def _ends(self, node: Tag, scope: Scope) -> tuple[str, str]:
        kind = node.text("type")
        if kind not in TYPES and not scope.file.urdf:
            node.fail(f"joint type '{kind}' is unknown; SDF has {', '.join(TYPES)}")
        parent, child = (self.poses.link(scope.full(text(node, tag))) for tag in ("parent", "child"))
        if child == WORLD:
            node.fail("its child is the world; swap <parent> and <child>")
        if parent == child:
            node.fail(f"its parent and child are the same link, '{child}'; correct one of them")
        return parent, child

    def _tree(self, kinds: dict[str, str]) -> set[str]:
        """Names of joints that form a tree; others close loops. Joints that cannot close a loop are selected first."""
        children: set[str] = set()
        joined: dict[str, str] = {}
        tree = set()

        def group(link: str) -> str:
            """The link that represents the links connected to this one so far."""
            while link in joined:
                link = joined[link]
            return link

        for name, (parent, child) in sorted(self.ends.items(), key=lambda item: kinds[item[0]] in CLOSING):
            if child not in children and group(parent) != group(child):
                tree.add(name)
                children.add(child)
                joined[group(child)] = group(parent)
        return tree

    def _joint(self, node: Tag, scope: Scope, in_tree: bool) -> None:
        name, kind = scope.full(node.text("name")), node.text("type")
        parent, child = self.ends[name]
        joint, limits, drive = self._content(node, kind, scope)
        in_parent, in_child = (self.poses.pose(name, link) for link in (parent, child))
        if not in_tree:
            self._close(node, joint, (child, in_child), (None if parent == WORLD else parent, in_parent))
            return
        if kind in TWO_AXES:
            self.couplings.of_two_axes(node, name, scope)
        if isinstance(joint, Revolute):
            self.couplings.hinges[parent, child] = name, joint.axis
        child_in_joint = in_child.inverse().merged()
        between = child if child_in_joint == Transform() else f"{child}:{name}"
        self.joints.append(Joint(name, parent, between, joint, in_parent, limits, drive))
        if between != child:
            self.links.append(Link(between))
            self.joints.append(Joint(f"{child}:mount", between, child, Fixed(), child_in_joint))

    def _content(self, node: Tag, kind: str, scope: Scope) -> tuple[JointType | Composed, Limits, Drive]:
        """The motion of a joint, its limits and its drive."""
        if scope.file.urdf:
            whole = scope.file.urdf.joints[node.text("name")]
            mimic = whole.drive.mimic and replace(whole.drive.mimic, joint=scope.full(whole.drive.mimic.joint))
            return whole.type, whole.limits, replace(whole.drive, mimic=mimic)
        joint = motion(node, kind, scope, self.poses)
        values = columns(node, kind, self.remarks)
        mimic = None if kind in TWO_AXES else self.couplings.mimic(node, "axis", scope)
        stiffness, rest = values["spring_stiffness"], values["spring_reference"]
        drive = Drive(values["damping"], values["friction"], mimic, stiffness=stiffness, rest_position=rest)
        if isinstance(joint, JointType) and joint.nv == 1:
            drive = with_rotor(node, drive, node.where, self.remarks)
        return joint, limits(values), drive

    def _close(
        self, node: Tag, joint: JointType | Composed, a: tuple[str, Transform], b: tuple[str | None, Transform]
    ) -> None:
        """Add a loop closure: a joint between links that other joints already connect."""
        turn = Transform(Rotation((with_z_along(joint.axis),))) if isinstance(joint, Revolute) else Transform()
        if (kind := _CLOSURES.get(type(joint))) is None:
            node.fail(
                f"link '{a[0]}' is the child of other joints too, but only revolute, ball and fixed joints can close "
                "loops; give one joint of the loop such a type"
            )
        at_a, at_b = ((place @ turn).merged() for _, place in (a, b))
        self.closures.append(kind(a[0], b[0], at_a, at_b))
        text = "it closes a loop, but the robot is the tree without it; it is in Robot.closures, without its limits and"
        self.remarks.append(Remark(f"{node.where}: {text} drive, and robot.with_closures() enforces it", kept=True))
