"""The visual and collision shapes of the links of an SDF file."""

from collections.abc import Sequence

from revolute.errors import InputError, ModelError
from revolute.io.description import Remark
from revolute.io.directions import normalized
from revolute.io.grammar import first
from revolute.io.sdf_grammar import GEOMETRY
from revolute.io.sdf_models import Scope
from revolute.io.sdf_poses import Poses
from revolute.io.sdf_values import number, numbers, own_pose, text, vector
from revolute.io.urdf_shapes import SIZES, ShapeReader
from revolute.io.xml import Tag
from revolute.model.link_frames import with_z_along
from revolute.model.mesh_files import absolute
from revolute.model.shapes import Shape
from revolute.spatial import Rotation, Transform

VECTORS = {"box": "size", "ellipsoid": "radii"}  # shapes whose dimensions are one element with three numbers


class SDFShapes(ShapeReader):
    """Reader of the shapes of an SDF file."""

    def __init__(self, poses: Poses) -> None:
        super().__init__()
        self.poses = poses

    def of(self, link: Tag, scope: Scope, use: str) -> tuple[Shape, ...]:
        """The shapes of a link for one use: "visual" or "collision"."""
        name = scope.full(link.text("name"))
        return self._read(name, link.children(use), lambda part: self._shape(part, scope, name))

    def _shape(self, part: Tag, scope: Scope, link: str) -> Sequence[Shape] | None:
        solid, file, folder = self._solid(part), "", scope.file.folder
        kind = solid.tag
        if kind == "empty":
            return ()
        if kind not in GEOMETRY.children:
            if kind in GEOMETRY.inner:  # unknown names are reported elsewhere
                self._leave_out(part, f"<{kind}> is not a supported shape")
            return None
        if kind == "mesh" and not text(solid, "uri", ""):
            self._leave_out(part, "its <mesh> has no <uri>")
            return None
        if kind == "mesh" and solid.child("submesh"):
            self._leave_out(part, "it is part of a mesh, a <submesh>; save that part in a separate file")
            return None
        relative_to, pose = own_pose(part, self.remarks)
        if relative_to:
            pose = self.poses.pose(scope.full(relative_to), link) @ pose
        size: tuple[float, ...]
        if kind == "mesh":
            file, size = absolute(text(solid, "uri"), folder), vector(solid, "scale", (1, 1, 1))
        elif kind == "plane":
            size, pose = numbers(solid, "size", 2), pose @ Transform(self._upright(part, solid))
        elif kind in VECTORS:
            size = vector(solid, VECTORS[kind])
        else:
            size = tuple(number(solid, name) for name in SIZES[kind])
        color = self._color(part) if part.tag == "visual" else ()
        try:
            return (Shape(kind, size, pose.merged(), color, file, folder, part.text("name", "")),)
        except InputError as error:
            part.fail(str(error))

    def _upright(self, part: Tag, plane: Tag) -> Rotation:
        """Rotation of z to the normal of a plane."""
        normal = vector(plane, "normal", (0, 0, 1))
        return Rotation((with_z_along(normalized(part, f"<plane> has the normal {normal}", normal)),))

    def _color(self, part: Tag) -> tuple[float, ...]:
        """The diffuse, or else the ambient colour; opacity is one by default. Empty if the colour has a fault."""
        material = first(part, "material", self.remarks)
        kinds = [tag for tag in ("diffuse", "ambient") if material and material.children(tag)]
        if not material or not kinds:
            return ()
        try:
            *rgb, opacity = (*numbers(material, kinds[0]), 1.0)[:4]
            color = (*rgb, opacity * (1 - number(part, "transparency", 0.0)))
            if len(color) != 4 or not all(0 <= x <= 1 for x in color):
                part.fail(f"<{kinds[0]}> and <transparency> give {color}; a colour must be 3 or 4 numbers from 0 to 1")
        except ModelError as error:
            self.remarks.append(Remark(f"{error}; the colour is ignored", fault=True))
            return ()
        return color
