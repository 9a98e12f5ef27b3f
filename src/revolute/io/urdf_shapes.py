"""The shapes of the links of a URDF file: boxes, cylinders, spheres, capsules and meshes, with their colours."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

from revolute.errors import InputError, ModelError
from revolute.io.description import Remark
from revolute.io.directions import read_quaternion
from revolute.io.grammar import first
from revolute.io.urdf_grammar import GEOMETRY
from revolute.io.xml import Tag, few_numbers
from revolute.model.mesh_files import absolute
from revolute.model.shapes import Shape
from revolute.spatial import Rotation, Transform, Vector

SIZES: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
}
"""Names of each shape's attributes that contain its dimensions, one number each."""


Read = Callable[[Tag], Sequence[Shape] | None]
"""Function that returns the shapes in an element, or None if the element is ignored."""


class ShapeReader:
    """Reader of the shapes of the links of a file.

    Attributes:
        remarks: remarks on omitted shapes.
        incomplete: (link, use) for omitted shapes; use is "visual" or "collision".
    """

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self.incomplete: set[tuple[str, str]] = set()

    def _read(self, link: str, parts: Iterable[Tag], read: Read) -> tuple[Shape, ...]:
        shapes: list[Shape] = []
        for part in parts:
            found = None
            try:
                found = read(part)
            except ModelError as error:
                self._leave_out(part, str(error).removeprefix(f"{part.where}: "), fault=True)
            if found is None:
                self.incomplete.add((link, part.tag))
            else:
                shapes += found
        return tuple(shapes)

    def _leave_out(self, part: Tag, reason: str, *, fault: bool = False) -> None:
        self.remarks.append(Remark(f"{part.where}: a <{part.tag}> is ignored: {reason}", fault=fault))

    @staticmethod
    def _solid(part: Tag) -> Tag:
        geometry = part.child("geometry")
        solids = geometry.all_children() if geometry is not None else []
        if len(solids) > 1:
            part.fail(f"its <geometry> has {len(solids)} shapes; write one <{part.tag}> for each")
        return solids[0] if solids else part.fail("it has no shape in <geometry>")


class URDFShapes(ShapeReader):
    """Reader of the shapes of a URDF file in a folder; the folder of a text is ""."""

    def __init__(self, root: Tag, folder: str) -> None:
        super().__init__()
        self.root, self.folder = root, folder

    def of(self, link: Tag, use: str) -> tuple[Shape, ...]:
        """The shapes of a link for one use: "visual" or "collision"."""
        return self._read(link.text("name"), link.children(use), self._shape)

    def _shape(self, node: Tag) -> Sequence[Shape] | None:
        solid, file = self._solid(node), ""
        kind = solid.tag
        if kind == "box":
            size: tuple[float, ...] = solid.vector("size")
        elif kind in SIZES:
            size = tuple(solid.number(name) for name in SIZES[kind])
        elif kind == "mesh":
            if not (file := solid.text("filename", "")):
                node.fail("its <mesh> has no filename")
            file, size = absolute(file, self.folder), solid.vector("scale", (1, 1, 1))
        else:
            if kind in GEOMETRY.inner:  # unknown names are reported elsewhere
                self._leave_out(node, f"<{kind}> is not a shape of URDF")
            return None
        pose, color, name = origin(node), self._color(node), node.text("name", "")
        try:
            return (Shape(kind, size, pose, color, file, self.folder, name),)
        except InputError as error:
            node.fail(str(error))

    def _color(self, node: Tag) -> tuple[float, ...]:
        """The colour of a shape: from its own <material>, or from a named material."""
        material = first(node, "material", self.remarks)
        return () if material is None else self._own(material) or self._materials.get(material.text("name", ""), ())

    def _own(self, material: Tag) -> tuple[float, ...]:
        """The colour defined in a material; () if it defines none, or the definition has a fault."""
        color = first(material, "color", self.remarks)
        try:
            rgba = color.numbers("rgba", 4) if color else ()
            if not all(0 <= x <= 1 for x in rgba):
                material.fail(f"<color> has rgba='{' '.join(f'{x:g}' for x in rgba)}'; its numbers must be from 0 to 1")
        except ModelError as error:
            remark = Remark(f"{error}; the colour is ignored", fault=True)
            self.remarks += [remark] * (remark not in self.remarks)  # report a shared fault only once
            return ()
        return rgba

    @cached_property
    def _materials(self) -> dict[str, tuple[float, ...]]:
        """Colours by name: colours of the robot, and colours that links define for other links."""
        parts = [part for link in self.root.named_children("link") for part in link.children("visual")]
        colors: dict[str, tuple[float, ...]] = {}
        for material in [material for owner in (self.root, *parts) for material in owner.children("material")]:
            if material.text("name", "") not in colors and (color := self._own(material)):
                colors[material.text("name")] = color
        return colors


def origin(node: Tag, remarks: list[Remark] | None = None) -> Transform:
    """The pose of an element's <origin>. Quaternions are from URDF 1.2; a length other than one adds a remark."""
    if (origin := node.child("origin")) is None:
        return Transform()
    xyz, rpy, quaternion = origin.texts("xyz", "rpy", "quat_xyzw")
    if quaternion is None:
        pose = _pose(xyz, rpy)
        return pose or Transform.from_rpy(origin.vector("xyz", (0, 0, 0)), origin.vector("rpy", (0, 0, 0)))
    p = Vector(origin.vector("xyz", (0, 0, 0)))
    if rpy is not None:
        node.fail("<origin> has both rpy and quat_xyzw; keep one")
    xyzw = origin.numbers("quat_xyzw", 4)
    return Transform(read_quaternion(node, f"<origin> has quat_xyzw='{quaternion}'", xyzw, remarks), p)


@lru_cache(maxsize=1024)
def _pose(*texts: str | None) -> Transform | None:
    """The pose of xyz and rpy; None if a text may be invalid. Cached: three of five poses repeat earlier ones."""
    xyz, rpy = [(0, 0, 0) if text is None else few_numbers(text) for text in texts]
    return Transform(_rotation(*rpy), Vector(xyz)) if xyz and rpy and len(xyz) == len(rpy) == 3 else None


_rotation = lru_cache(maxsize=256)(Rotation.from_rpy)
