"""The axes of SDF joints, with limits, drive data and mimics."""

from __future__ import annotations

import math

from revolute.errors import ModelError
from revolute.io.description import Remark
from revolute.io.rounding import unit_axis
from revolute.io.sdf_models import Scope
from revolute.io.sdf_poses import Poses
from revolute.io.sdf_values import MODEL, flag, number, vector
from revolute.io.xml import Tag
from revolute.model.joints import Composite, Fixed, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from revolute.model.joints.composed import Composed
from revolute.spatial import Vector

__all__ = ["DRIVE", "LIMITS", "TWO_AXES", "axis", "columns", "motion"]

TWO_AXES = ("universal", "revolute2")
PARTS = ("first", "second")
"""Names of the axes of a joint with two axes."""
LIMITS = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf, "effort": math.inf}
DRIVE = dict.fromkeys(("damping", "friction", "spring_stiffness", "spring_reference"), 0.0)
"""Limits and drive data of an axis, with their defaults."""
ENDLESS = 1e16
"""Positions of this magnitude or more mean no limit in older files."""


def motion(node: Tag, kind: str, scope: Scope, poses: Poses) -> Joint | Composed:
    """The joint of an element <joint>, by its type."""
    if kind == "fixed":
        return Fixed()
    if kind == "ball":
        return Spherical()
    first = axis(node, "axis", scope, poses)
    if kind in TWO_AXES:
        second = axis(node, "axis2", scope, poses)
        if kind == "revolute2":
            return Composite((Revolute(first), Revolute(second)), PARTS)
        try:
            return Universal(first, second)
        except ModelError as error:
            node.fail(str(error))
    if kind != "screw":
        return Prismatic(first) if kind == "prismatic" else Revolute(first)
    if node.child("screw_thread_pitch") is not None:  # metres a turn, right-handed
        return Helical(first, number(node, "screw_thread_pitch", 1.0) / (2 * math.pi))
    per_metre = number(node, "thread_pitch", 1.0)  # radians a metre, left-handed
    if abs(per_metre) < 1e-9:
        node.fail(f"<thread_pitch> is {per_metre:g} radians a metre; give <screw_thread_pitch>, in metres a turn")
    return Helical(first, -1 / per_metre)


def axis(node: Tag, tag: str, scope: Scope, poses: Poses) -> Vector:
    """The unit axis in the joint's frame."""
    element = node.required(tag, f"<{tag}><xyz>0 0 1</xyz></{tag}>")
    components = vector(element, "xyz", (0, 0, 1))
    length = math.hypot(*components)
    if not 1e-9 < length < math.inf:
        node.fail(f"<{tag}> has the axis {components}, which has no direction; give a vector of length one")
    direction = Vector(x / length for x in components)
    xyz = element.child("xyz")
    frame = xyz.text("expressed_in", "") if xyz else ""
    if scope.old or flag(element, "use_parent_model_frame"):
        frame = MODEL
    if frame:
        direction = poses.pose(scope.full(frame), scope.full(node.text("name"))).R @ direction
    return unit_axis(direction)


def columns(node: Tag, kind: str, remarks: list[Remark]) -> dict[str, tuple[float, ...]]:
    """Limits and drive data, a number for each axis; empty if all have their defaults."""
    count = 2 if kind in TWO_AXES else 0 if kind in ("fixed", "ball") else 1
    axes = [node.required(tag, f"<{tag}>") for tag in ("axis", "axis2")[:count]]
    defaults = LIMITS | DRIVE
    values = {tag: [_axis_value(axis, kind, tag, default) for axis in axes] for tag, default in defaults.items()}
    low, high = values["lower"], values["upper"]
    if any(lower > upper for lower, upper in zip(low, high, strict=True)):
        text = (
            f"{node.where}: <limit> has lower={low} and upper={high}, with no position between; the joint is "
            "loaded without position limits"
        )
        remarks.append(Remark(text))
        values["lower"] = values["upper"] = []
    return {tag: () if all(x == defaults[tag] for x in column) else tuple(column) for tag, column in values.items()}


def _axis_value(axis: Tag, kind: str, tag: str, default: float) -> float:
    inner = axis.child("limit" if tag in LIMITS else "dynamics")
    if inner is None or (kind == "continuous" and tag in ("lower", "upper")):
        return default
    value = number(inner, tag, default, infinite=tag in LIMITS)
    unlimited = abs(value) >= ENDLESS or (tag in ("velocity", "effort") and value < 0)
    return default if tag in LIMITS and unlimited else value
