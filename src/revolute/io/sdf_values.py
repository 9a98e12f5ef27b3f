"""Texts of SDFormat elements: numbers, and poses of frames relative to other frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import zip_longest
from xml.etree.ElementTree import Element

from revolute.io.description import Remark
from revolute.io.quaternions import of_quaternion, quaternion_doubt, quaternion_fault
from revolute.io.xml import Tag
from revolute.spatial import Transform, Vector

__all__ = ["Poses", "flag", "number", "own_pose", "text", "vector"]

MODEL, WORLD = "__model__", "world"


def text(node: Tag, tag: str, default: str | None = None) -> str:
    """The text of the only child of that name; one without a default must be there."""
    child = node.child(tag)
    if child is None:
        if default is None:
            node.fail(f"<{tag}> is missing; add one: <{tag}>...</{tag}>")
        return default
    return (child.element.text or "").strip()


def flag(node: Tag, tag: str) -> bool:
    """Whether the text of a child is true; false if there is none."""
    return _as_attribute(node, tag, "false").flag("text")


def number(node: Tag, tag: str, default: float, *, infinite: bool = False) -> float:
    """The number in a child, or its default."""
    return default if node.child(tag) is None else _as_attribute(node, tag).number("text", infinite=infinite)


def vector(node: Tag, tag: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    """The three numbers in a child, or their default."""
    return default if node.child(tag) is None else _as_attribute(node, tag).vector("text")


def own_pose(node: Tag, remarks: list[Remark]) -> tuple[str, Transform]:
    """The frame that <pose> is relative to, or "", and the pose in it."""
    child = node.child("pose")
    relative_to = child.text("relative_to", "") or child.text("frame", "") if child else ""  # its name up to SDF 1.6
    if child is None or not (child.element.text or "").strip():
        return relative_to, Transform()
    pose = _as_attribute(node, "pose")
    format, degrees = child.text("rotation_format", "euler_rpy"), child.flag("degrees")
    if format == "quat_xyzw":
        x, y, z, *xyzw = pose.numbers("text", 7)
        if fault := quaternion_fault(xyzw):
            node.fail(f"<pose> has the quaternion {xyzw}: {fault}")
        if doubt := quaternion_doubt(xyzw):
            remarks.append(Remark(f"{node.where}: <pose> has the quaternion {xyzw}: {doubt}"))
        return relative_to, Transform(of_quaternion(xyzw), Vector((x, y, z)))
    if format != "euler_rpy":
        node.fail(f"<pose> has rotation_format='{format}'; it is euler_rpy or quat_xyzw")
    x, y, z, *rpy = pose.numbers("text", 6)
    unit = math.pi / 180 if degrees else 1.0
    return relative_to, Transform.from_rpy((x, y, z), [angle * unit for angle in rpy])


def _as_attribute(node: Tag, tag: str, default: str | None = None) -> Tag:
    """A child's text as an attribute, to be read by the methods of `Tag`."""
    return Tag(Element(tag, {"text": text(node, tag, default)}), node.where)


class Poses:
    """Frames of a model, each placed in another one."""

    def __init__(self, model: Tag, remarks: list[Remark]) -> None:
        self.model = model
        self.frames: dict[str, tuple[str, Transform]] = {MODEL: ("", Transform())}
        first_link = next(model.children("link")).text("name")
        self.attached: dict[str, str] = {MODEL: model.text("canonical_link", "") or first_link}
        for tag in ("link", "joint", "frame"):
            for node in model.named_children(tag):
                name = node.text("name")
                if name in self.frames:
                    model.fail(f"the name '{name}' comes twice among links, joints and frames; names must differ")
                relative_to, pose = own_pose(node, remarks)
                if tag == "joint":
                    self.attached[name] = text(node, "child")
                if tag == "frame":
                    self.attached[name] = node.text("attached_to", MODEL) or MODEL
                self.frames[name] = (relative_to or self.attached.get(name) or MODEL, pose)
        self._check()
        in_world = own_pose(model, remarks)[1]
        if placed := model.text("placement_frame", ""):
            in_world = in_world @ self.pose(placed).inverse()
        self.frames[WORLD] = (MODEL, in_world.inverse())

    def pose(self, name: str, seen_from: str = MODEL) -> Transform:
        """Pose of a frame in another, from the frames between the two only, to keep the file's numbers exact."""
        seen: tuple[dict[str, Transform], dict[str, Transform]] = ({}, {})
        for step in zip_longest(self._above(seen_from), self._above(name)):
            for one, other, entry in zip(seen, reversed(seen), step, strict=True):
                if entry:
                    frame, one[frame] = entry
                    if frame in other:
                        X: Transform = seen[0][frame].inverse() @ seen[1][frame]
                        return X.merged()
        raise AssertionError("all frames end in the model's")

    def _above(self, name: str) -> Iterator[tuple[str, Transform]]:
        """The frames from `name` up to the model's, with the pose of `name` in each of them."""
        X = Transform()
        while True:
            self._require(name)
            yield name, X
            if name == MODEL:
                return
            name, pose = self.frames[name]
            X = (pose @ X).merged()

    def _require(self, name: str) -> None:
        if name not in self.frames:
            self.model.fail(f"there is no link, joint or frame '{name}', but a pose is relative to it; add it")

    def _check(self) -> None:
        """Refuse frames that do not lead to the model's frame."""
        rooted = {MODEL, WORLD}
        for start in self.frames:
            passed: dict[str, None] = {}
            name = start
            while name not in rooted:
                self._require(name)
                if name in passed:
                    self.model.fail(f"the pose of '{name}' is relative to itself, by a cycle of relative_to; break it")
                passed[name] = None
                name = self.frames[name][0]
            rooted.update(passed)

    def link(self, name: str) -> str:
        """The link, or the world, that holds a frame: a joint's child, the canonical link for the model."""
        passed = [name]
        while passed[-1] in self.attached:
            passed.append(self.attached[passed[-1]])
            if len(passed) > len(self.attached) + 1:
                self.model.fail(f"frame '{name}' is attached to itself, by a cycle of attached_to; break it")
        return passed[-1]
