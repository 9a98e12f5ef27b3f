"""What SDFormat writes as text of elements: numbers, and poses of frames on frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import zip_longest
from xml.etree.ElementTree import Element

import numpy as np

from revolute.io.mjcf_numbers import rotation
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
    """Whether a child says true or 1."""
    return text(node, tag, "false").lower() in ("true", "1")


def number(node: Tag, tag: str, default: float, *, infinite: bool = False) -> float:
    """The number in a child; SDFormat has a default for all of them."""
    return default if node.child(tag) is None else _as_attribute(node, tag).number("text", infinite=infinite)


def vector(node: Tag, tag: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    """The three numbers in a child."""
    return default if node.child(tag) is None else _as_attribute(node, tag).vector("text")


def own_pose(node: Tag) -> tuple[str, Transform]:
    """What <pose> is relative to, if it says so, and the pose there."""
    child = node.child("pose")
    if child is None or not (child.element.text or "").strip():
        return (child.text("relative_to", "") if child else ""), Transform()
    given = _as_attribute(node, "pose")
    if child.text("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *xyzw = given.numbers("text", 7)
        if not 1e-9 < math.hypot(*xyzw) < math.inf:
            node.fail(f"<pose> has the quaternion {xyzw}, which has no direction; give one of length one")
        own = Transform(rotation(np.roll(xyzw, 1)), Vector((x, y, z)))
    else:
        x, y, z, *rpy = given.numbers("text", 6)
        unit = math.pi / 180 if child.text("degrees", "false").lower() in ("true", "1") else 1.0
        own = Transform.from_rpy((x, y, z), [angle * unit for angle in rpy])
    return child.text("relative_to", ""), own


def _as_attribute(node: Tag, tag: str) -> Tag:
    """A child's text where numbers are read from, and complained about."""
    return Tag(Element(tag, {"text": text(node, tag)}), node.where)


class Poses:
    """Frames of a model, each on another."""

    def __init__(self, model: Tag) -> None:
        self.model = model
        self.frames: dict[str, tuple[str, Transform]] = {MODEL: ("", Transform())}
        links = [node.text("name") for node in model.children("link")]
        self.attached: dict[str, str] = {MODEL: model.text("canonical_link", "") or links[0]}
        for tag in ("link", "joint", "frame"):
            for node in model.children(tag):
                name = node.text("name")
                node = Tag(node.element, f"{model.where}: {tag} '{name}'")
                if name in self.frames:
                    model.fail(f"the name '{name}' comes twice among links, joints and frames; names must differ")
                on, own = own_pose(node)
                if tag == "joint":
                    self.attached[name] = text(node, "child")
                    on = on or self.attached[name]
                if tag == "frame":
                    self.attached[name] = node.text("attached_to", MODEL) or MODEL
                    on = on or self.attached[name]
                self.frames[name] = (on or MODEL, own)
        self._check()
        in_world = own_pose(model)[1]
        if placed := model.text("placement_frame", ""):
            in_world = in_world @ self.pose(placed).inverse()
        self.frames[WORLD] = (MODEL, in_world.inverse())

    def pose(self, name: str, seen_from: str = MODEL) -> Transform:
        """Pose of a frame in another, by the frames between the two alone: figures of the file stay as they are."""
        seen: tuple[dict[str, Transform], dict[str, Transform]] = ({}, {})
        for step in zip_longest(self._above(seen_from), self._above(name)):
            for one, other, found in zip(seen, reversed(seen), step, strict=True):
                if found:
                    frame, one[frame] = found
                    if frame in other:
                        X: Transform = seen[0][frame].inverse() @ seen[1][frame]
                        return X.merged()
        raise AssertionError("all frames are on the model's")

    def _above(self, name: str) -> Iterator[tuple[str, Transform]]:
        """The frames from one up to the model's, with its pose in each of them."""
        X = Transform()
        while True:
            self._known(name)
            yield name, X
            if name == MODEL:
                return
            name, own = self.frames[name]
            X = (own @ X).merged()

    def _known(self, name: str) -> None:
        if name not in self.frames:
            self.model.fail(f"there is no link, joint or frame '{name}', which something is relative to; add it")

    def _check(self) -> None:
        """Every frame is, by others, on the model's."""
        good = {MODEL, WORLD}
        for start in self.frames:
            passed: dict[str, None] = {}
            name = start
            while name not in good:
                self._known(name)
                if name in passed:
                    self.model.fail(f"the pose of '{name}' is relative to itself, by a cycle of relative_to; break it")
                passed[name] = None
                name = self.frames[name][0]
            good.update(passed)

    def link(self, name: str) -> str:
        """The link, or the world, that a frame is attached to; of a joint its child's, of the model the first."""
        passed = [name]
        while passed[-1] in self.attached:
            passed.append(self.attached[passed[-1]])
            if len(passed) > len(self.attached) + 1:
                self.model.fail(f"frame '{name}' is attached to itself, by a cycle of attached_to; break it")
        return passed[-1]
