"""Vectors, axes, rotations and keyframes of a compiled MuJoCo model, and NaN in MJCF files.

MuJoCo reports only that there is a NaN; `refuse_nan` reports where.
"""

import math
from collections.abc import Sequence

import numpy as np

from revolute.arguments import Array
from revolute.errors import ModelError
from revolute.io.directions import of_quaternion, unit_axis
from revolute.io.mjcf_drives import MjModel
from revolute.io.xml import Tag, line_numbers
from revolute.model.named_configurations import NamedConfiguration
from revolute.spatial import Rotation, Vector


def vector(row: Array) -> Vector:
    """A vector of three numbers, with -0 replaced by 0."""
    return Vector(0 if x == 0 else x for x in row.tolist())


def axis(row: Array) -> Vector:
    """A unit axis without rounding errors."""
    if not np.isfinite(row).all():
        raise ModelError(f"the axis of a joint is not finite: {row.tolist()}")
    return unit_axis(row.tolist())


def rotation(quaternion: Array) -> Rotation:
    """The rotation of a quaternion of MuJoCo, w first."""
    w, x, y, z = quaternion.tolist()
    if not 0 < math.hypot(w, x, y, z) < math.inf:
        raise ModelError(f"an orientation has no direction: quaternion {[w, x, y, z]}; give one of length one")
    return of_quaternion((x, y, z, w))


TO_POSITIONS = {
    0: (0, 1, 2, 4, 5, 6, 3),  # free joint
    1: (1, 2, 3, 0),  # ball joint
    2: (0,),  # slide joint
    3: (0,),  # hinge joint
}
"""For each joint type, the index of each position in MuJoCo's qpos, in which quaternions begin with w."""


def keyframes(model: MjModel, joints: Sequence[str], names: Sequence[str]) -> tuple[NamedConfiguration, ...]:
    """The positions of all joints in each keyframe, by the keyframe's name. MuJoCo has already normalised q."""
    places = [
        [start + k for k in TO_POSITIONS[kind]]
        for start, kind in zip(model.jnt_qposadr.tolist(), model.jnt_type.tolist(), strict=True)
    ]
    return tuple(
        NamedConfiguration(name, tuple(joints), tuple(tuple(qpos[at].tolist()) for at in places))
        for name, qpos in zip(names, model.key_qpos, strict=True)
    )


NAMES = ("name", "class", "childclass")  # attributes whose values are names, so that "nan" is a valid value


def refuse_nan(root: Tag, warnings: Sequence[str]) -> None:
    """If MuJoCo has warned of a NaN, raise an error that names the first attribute with one.

    Included files are not searched.
"""
    if not any("nan" in warning.lower() for warning in warnings):
        return
    above = {child: parent for parent in root.element.iter() for child in parent}
    for number, element in enumerate(root.element.iter()):
        for attribute, value in element.attrib.items():
            if attribute in NAMES or "nan" not in value.lower().split():
                continue
            named = element
            while not named.get("name") and named in above:
                named = above[named]
            lines = line_numbers(root)
            line = f"line {lines[number]}: " if lines else ""
            owner = f"{named.tag} '{named.get('name')}': " if named.get("name") else ""
            root.fail(f"{owner}{line}<{element.tag}> has {attribute}='{value}': give finite numbers")
