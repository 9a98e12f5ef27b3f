"""The shapes of the links of a URDF file: boxes, cylinders, spheres, capsules and meshes, with their colours."""

from __future__ import annotations

from functools import cached_property, lru_cache

from revolute.errors import InputError
from revolute.io.description import Remark
from revolute.io.quaternions import of_quaternion, quaternion_doubt, quaternion_fault
from revolute.io.urdf_grammar import GEOMETRY
from revolute.io.xml import Tag
from revolute.model.mesh_files import absolute
from revolute.model.shapes import Shape
from revolute.spatial import Rotation, Transform, Vector

__all__ = ["Shapes", "origin"]

SIZES: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
}
"""Shapes whose sizes are attributes of one number each."""


class Shapes:
    """Reader of the shapes of a file.

    Attributes:
        root: outermost element.
        folder: of the file; "" of a text.
        remarks: on shapes that are left out.
        incomplete: names of links with such shapes, and their use.
    """

    def __init__(self, root: Tag, folder: str) -> None:
        self.root = root
        self.folder = folder
        self.remarks: list[Remark] = []
        self.incomplete: set[tuple[str, str]] = set()

    def of(self, link: Tag, use: str) -> tuple[Shape, ...]:
        """The shapes of a link for one use: "visual" or "collision"."""
        shapes = []
        for part in link.children(use):
            shape = self._shape(part)
            if shape is None:
                self.incomplete.add((link.text("name"), use))
            else:
                shapes.append(shape)
        return tuple(shapes)

    def _shape(self, node: Tag) -> Shape | None:
        geometry = node.child("geometry")
        solids = list(geometry.all_children()) if geometry is not None else []
        if len(solids) > 1:
            node.fail(f"its <geometry> has {len(solids)} shapes; write a <{node.tag}> for each")
        if not solids:
            self._leave_out(node, "it has no shape in <geometry>")
            return None
        solid, kind, file = solids[0], solids[0].tag, ""
        if kind == "box":
            size: tuple[float, ...] = solid.vector("size")
        elif kind in SIZES:
            size = tuple(solid.number(name) for name in SIZES[kind])
        elif kind == "mesh":
            file = solid.text("filename", "")
            if not file:
                self._leave_out(node, "its <mesh> has no filename")
                return None
            file, size = absolute(file, self.folder), solid.vector("scale", (1, 1, 1))
        else:
            if kind in GEOMETRY.inner:  # all others are told with the unknown names
                self._leave_out(node, f"<{kind}> is no shape of URDF")
            return None
        pose, color, name = origin(node), self._color(node), node.text("name", "")
        try:
            return Shape(kind, size, pose, color, file, self.folder, name)
        except InputError as error:
            node.fail(f"<{node.tag}>: {error}")

    def _leave_out(self, node: Tag, reason: str) -> None:
        self.remarks.append(Remark(f"{node.where}: a <{node.tag}> is left out: {reason}"))

    def _color(self, node: Tag) -> tuple[float, ...]:
        material = node.child("material")
        if material is None:
            return ()
        color = material.child("color")
        if color is None:
            return self._materials.get(material.text("name", ""), ())
        return color.numbers("rgba", 4)

    @cached_property
    def _materials(self) -> dict[str, tuple[float, ...]]:
        """Colours by name: those of the robot, and those that links define for others to use."""
        parts = [part for link in self.root.children("link") for part in link.children("visual")]
        colors: dict[str, tuple[float, ...]] = {}
        for material in [material for owner in (self.root, *parts) for material in owner.children("material")]:
            color = material.child("color")
            if color is not None:
                colors.setdefault(material.text("name", ""), color.numbers("rgba", 4))
        return colors


def origin(node: Tag, remarks: list[Remark] | None = None) -> Transform:
    """The pose of an element's <origin>; a quaternion is of URDF 1.2. `remarks` gets one on its length."""
    origin = node.child("origin")
    if origin is None:
        return Transform()
    xyz = origin.vector("xyz", (0, 0, 0))
    if "quat_xyzw" not in origin.element.attrib:
        return Transform(_rotation(origin.vector("rpy", (0, 0, 0))), Vector(xyz))
    if "rpy" in origin.element.attrib:
        node.fail("<origin> has both rpy and quat_xyzw; keep one")
    xyzw = origin.numbers("quat_xyzw", 4)
    if fault := quaternion_fault(xyzw):
        node.fail(f"<origin> has quat_xyzw='{origin.text('quat_xyzw')}': {fault}")
    if remarks is not None and (doubt := quaternion_doubt(xyzw)):
        remarks.append(Remark(f"{node.where}: <origin> has quat_xyzw='{origin.text('quat_xyzw')}': {doubt}"))
    return Transform(of_quaternion(xyzw), Vector(xyz))


@lru_cache(maxsize=256)
def _rotation(rpy: tuple[float, float, float]) -> Rotation:
    """Kept, because shapes repeat those of each other and of inertias."""
    return Rotation.from_rpy(*rpy)
