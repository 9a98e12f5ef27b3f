"""Shapes of links as elements of URDF."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from revolute.errors import warn_caller
from revolute.io.plain import digits, listed
from revolute.io.urdf_shapes import SIZES
from revolute.model.body import Frame
from revolute.model.shapes import Shape
from revolute.spatial import Transform

__all__ = ["ShapeWriter", "write_origin"]


class ShapeWriter:
    """Writer of the shapes of a robot; it stores the colours written so far."""

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
            write_origin(element, shape.placement)
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
            warn_caller(f"robot '{robot}': URDF has no such shapes, so they are left out: {listed(self.left_out)}")


def write_origin(parent: Element, X: Transform) -> None:
    """Add a pose to an element."""
    SubElement(parent, "origin", xyz=digits(X.p), rpy=digits(X.R.rpy()))
