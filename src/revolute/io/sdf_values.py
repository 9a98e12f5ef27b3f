"""Texts of SDFormat elements: numbers, vectors, poses."""

import math
from xml.etree.ElementTree import Element

from revolute.io.description import Remark
from revolute.io.directions import read_quaternion
from revolute.io.xml import Tag
from revolute.spatial import Transform, Vector

MODEL, WORLD, SEPARATOR = "__model__", "world", "::"
"""Names of the model frame and of the world, and the separator between the names of a model and of its part."""


def text(node: Tag, tag: str, default: str | None = None) -> str:
    """The text of the only child with that name, which is required unless there is a default."""
    if (child := node.child(tag)) is None:
        if default is None:
            node.fail(f"<{tag}> is missing; add one: <{tag}>...</{tag}>")
        return default
    return (child.element.text or "").strip()


def flag(node: Tag, tag: str, default: str = "false") -> bool:
    """Whether the text of a child is "true" or "1"."""
    return _as_attribute(node, tag, default).flag("text")


def number(node: Tag, tag: str, default: float | None = None, *, infinite: bool = False) -> float:
    """The number in a child, which is required unless there is a default."""
    if default is not None and node.child(tag) is None:
        return default
    return _as_attribute(node, tag).number("text", infinite=infinite)


def numbers(node: Tag, tag: str, count: int | None = None) -> tuple[float, ...]:
    """The numbers in a required child: `count` numbers, or any number of them if `count` is None."""
    return _as_attribute(node, tag).numbers("text", count)


def vector(node: Tag, tag: str, default: tuple[float, float, float] | None = None) -> tuple[float, float, float]:
    """The three numbers in a child, which is required unless there is a default."""
    if default is not None and node.child(tag) is None:
        return default
    return _as_attribute(node, tag).vector("text")


def own_pose(node: Tag, remarks: list[Remark]) -> tuple[str, Transform]:
    """The reference frame of <pose> ("" if the file names none), and the pose in that frame."""
    child = node.child("pose")
    relative_to = child.text("relative_to", "") or child.text("frame", "") if child else ""  # "frame" up to SDF 1.6
    if child is None or not (child.element.text or "").strip():
        return relative_to, Transform()
    pose = _as_attribute(node, "pose")
    format, degrees = child.text("rotation_format", "euler_rpy"), child.flag("degrees")
    if format == "quat_xyzw":
        x, y, z, *xyzw = pose.numbers("text", 7)
        R = read_quaternion(node, f"<pose> has the quaternion {xyzw}", xyzw, remarks)
        return relative_to, Transform(R, Vector((x, y, z)))
    if format != "euler_rpy":
        node.fail(f"<pose> has rotation_format='{format}'; it must be euler_rpy or quat_xyzw")
    x, y, z, *rpy = pose.numbers("text", 6)
    unit = math.pi / 180 if degrees else 1.0
    return relative_to, Transform.from_rpy((x, y, z), [angle * unit for angle in rpy])


def _as_attribute(node: Tag, tag: str, default: str | None = None) -> Tag:
    """A `Tag` with a child's text in the attribute `text`, so that the methods for attributes can read it."""
    return Tag(Element(tag, {"text": text(node, tag, default)}), node.where)


def version(node: Tag) -> tuple[int, ...]:
    """The version of an element as numbers: (1, 9); by default 1.7."""
    parts = node.text("version", "1.7").split(".")
    if not all(part.isascii() and part.isdecimal() for part in parts):
        node.fail(f"<{node.tag}> has version='{'.'.join(parts)}'; write it like 1.9")
    return tuple(map(int, parts))
