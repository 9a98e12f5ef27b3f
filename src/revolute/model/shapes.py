"""`Shape`: the visual or collision shape of a link. Data for display and files; no equation uses it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from itertools import chain
from typing import TYPE_CHECKING, Any

from revolute.arguments import instance
from revolute.errors import InputError
from revolute.plain_numbers import LARGEST, are_plain, plain_all, plain_text
from revolute.records import dataclass
from revolute.spatial import Transform

if TYPE_CHECKING:
    from pathlib import Path

KINDS: dict[str, tuple[str, ...]] = {
    "box": ("edge along x", "edge along y", "edge along z"),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "ellipsoid": ("half axis along x", "half axis along y", "half axis along z"),
    "plane": ("edge along x", "edge along y"),
    "mesh": ("scale along x", "scale along y", "scale along z"),
}
"""Meanings of the numbers in `Shape.size`, for each kind of shape."""


@dataclass(frozen=True)
class Shape:
    """A primitive or a mesh in the frame of a link.

    | kind | size [m] |
    | --- | --- |
    | "box" | edges along x, y, z |
    | "sphere" | radius |
    | "cylinder" | radius, length along z |
    | "capsule" | radius, length along z of the cylinder between two half spheres |
    | "ellipsoid" | half axes along x, y, z |
    | "plane" | edges along x, y; normal to z; an edge of 0 is infinite |
    | "mesh" | scale along x, y, z, without unit |

    The centre of a solid is the origin of its frame.

    Attributes:
        kind: see the table.
        size: see the table.
        placement: pose of the shape's frame in the link's frame.
        color: red, green, blue and opacity from 0 to 1; empty if the description has no colour.
        file: mesh file: a path, or a name such as "package://arm/base.stl".
        folder: folder of the description; packages are searched around it. It is ignored when shapes are compared.
        name: name of the shape; empty if it has none.

    Raises:
        InputError: the kind is unknown, or a value does not fit it.

    Example:
        >>> rod = revolute.Shape(
        ...     "cylinder",
        ...     (0.02, 0.5),
        ...     revolute.Transform(p=(0, 0, 0.25)),
        ...     color=(0.8, 0.1, 0.1, 1),
        ... )
        >>> arm = revolute.Link(
        ...     "arm", revolute.Inertia.cylinder(1.0, 0.02, 0.5), visuals=(rod,)
        ... )
        >>> arm.visuals[0].kind
        'cylinder'
    """

    kind: str
    size: tuple[float, ...]
    placement: Transform = Transform()
    color: tuple[float, ...] = ()
    file: str = ""
    folder: str = field(default="", compare=False)
    name: str = ""

    def __post_init__(self) -> None:
        for part, text in (("kind", self.kind), ("file", self.file), ("folder", self.folder), ("name", self.name)):
            if type(text) is not str:
                object.__setattr__(self, part, plain_text(instance(f"Shape: {part}", text, str)))
        if self.kind not in KINDS:
            raise InputError(f"Shape: kind is {self.kind!r}; it must be one of {', '.join(KINDS)}")
        if bool(self.file) != (self.kind == "mesh"):
            raise InputError(f"Shape: a {self.kind} must {'have' if self.kind == 'mesh' else 'not have'} a file")
        for part in ("size", "color"):
            values = getattr(self, part)
            if type(values) is not tuple or not are_plain(values):
                object.__setattr__(self, part, _plain(part, values))
        meanings = KINDS[self.kind]
        if len(self.size) != len(meanings):
            raise InputError(f"Shape: the size of a {self.kind} is ({', '.join(meanings)}), not {self.size!r}")
        lowest = -LARGEST if self.kind == "mesh" else 0  # negative scales mirror a mesh
        _within("size", self.size, lowest, LARGEST)
        if len(self.color) not in (0, 4):
            raise InputError(f"Shape: color must be (red, green, blue, opacity), not {self.color!r}")
        _within("color", self.color, 0, 1)
        placement = instance("Shape: placement", self.placement, Transform).plain("Shape: placement")
        object.__setattr__(self, "placement", placement)
        _within("placement", chain(placement.p, *chain(*placement.R.factors)), -LARGEST, LARGEST)

    @property
    def path(self) -> Path | None:
        """The path of the mesh file on this machine; None if it is not found.

        Packages are searched in the folders of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, then in `folder` and above it.

        Example:
            >>> print(revolute.Shape("mesh", (1, 1, 1), file="package://nowhere/arm.stl").path)
            None
        """
        from revolute.model.mesh_files import found

        return found(self.file, self.folder) if self.file else None


def _plain(part: str, values: Any) -> tuple[Any, ...]:
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise InputError(f"Shape: {part} must be a tuple of numbers, not {values!r}")
    return plain_all(tuple(values))


def _within(part: str, values: Iterable[Any], lowest: float, highest: float) -> None:
    """Raise unless lowest <= x <= highest; NaN raises too."""
    for x in values:
        if (type(x) is not float and type(x) is not int) or not lowest <= x <= highest:
            raise InputError(f"Shape: {part} has {x!r}; its numbers must be from {lowest:g} to {highest:g}")
