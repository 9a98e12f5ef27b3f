"""Shapes and poses of links in MJCF."""

import os
import struct
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from revolute.errors import warn_caller
from revolute.io.mjcf_shapes import HIDDEN, SIZES
from revolute.io.plain import digits, listed
from revolute.model import Frame, Model, Shape
from revolute.spatial import Rotation, Transform

USES = {"visuals": {"contype": "0", "conaffinity": "0", "group": str(HIDDEN - 1)}, "collisions": {"group": str(HIDDEN)}}
"""Attributes of visible geoms, and of hidden collision geoms."""
MOST_FACES = 200_000  # maximum number of faces of an STL file that MuJoCo accepts


class GeomWriter:
    """Writer of the shapes of a robot. It records the names and mesh files written so far."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names: set[str] = set()
        self.meshes: dict[tuple[str, tuple[float, ...]], str] = {}
        self.left_out: list[str] = []

    def write(self, element: Element, i: int) -> None:
        """Add the shapes of a body, and of links fixed to it."""
        for frame in self.model.frames:
            if frame.body == i:
                for use, attributes in USES.items():
                    for shape in getattr(frame, use):
                        self._write(element, frame, shape, attributes)

    def _write(self, element: Element, frame: Frame, shape: Shape, attributes: dict[str, str]) -> None:
        values = {"type": shape.kind}
        if shape.kind == "mesh":
            path = shape.path
            if path is None or not _is_read_by_mujoco(path):
                self.left_out.append(f"{frame.name} ({shape.file})")
                return
            values["mesh"] = self.meshes.setdefault((str(path), shape.size), f"mesh{len(self.meshes) + 1}")
        else:
            flat = shape.kind == "plane"
            if (flat and frame.body) or not (flat or all(shape.size)):
                self.left_out.append(f"{frame.name} ({shape.kind} {'that moves' if flat else 'without volume'})")
                return
            size = [x / factor for x, (_, factor) in zip(shape.size, SIZES[shape.kind], strict=True)]
            values["size"] = digits([*size, 1] if flat else size)
        if shape.name and shape.name not in self.names:
            self.names.add(shape.name)
            values["name"] = shape.name
        if shape.color:
            values["rgba"] = digits(shape.color)
        SubElement(element, "geom", values | pose(frame.placement @ shape.placement) | attributes)

    def finish(self, root: Element, children: list[str]) -> None:
        """Add the files of meshes; exclude collisions of the base with its children, as of all other neighbours."""
        if self.meshes:
            assets = Element("asset")
            root.insert(1, assets)
            for (file, scale), name in self.meshes.items():
                scaled = {} if scale == (1, 1, 1) else {"scale": digits(scale)}
                SubElement(assets, "mesh", {"name": name, "file": file, "inertia": "shell"} | scaled)  # for flat meshes
        if any(frame.body == 0 and frame.collisions for frame in self.model.frames):
            contact = SubElement(root, "contact")
            for child in children:
                SubElement(contact, "exclude", body1="world", body2=child)
        if self.left_out:
            text = f"robot '{self.model.name}': shapes that MuJoCo lacks are omitted: {listed(self.left_out)}"
            warn_caller(text)


def _is_read_by_mujoco(path: Path) -> bool:
    """Whether MuJoCo reads a mesh: OBJ, its own format, or binary STL with 1 to `MOST_FACES` faces."""
    if path.suffix.lower() != ".stl":
        return path.suffix.lower() in (".obj", ".msh")
    try:
        with path.open("rb") as file:
            head, size = file.read(84), os.fstat(file.fileno()).st_size
    except OSError:
        return False
    faces = struct.unpack("<I", head[80:])[0] if len(head) == 84 else 0
    return 0 < faces <= MOST_FACES and size == 84 + 50 * faces


def pose(X: Transform) -> dict[str, str]:
    """The MJCF attributes of a pose; identities are omitted."""
    position = {"pos": digits(X.p)} if any(X.p) else {}
    x, y, z, w = X.R.quaternion()
    return position | ({} if Rotation() == X.merged().R else {"quat": digits((w, x, y, z))})
