"""Keyframes of MJCF as named configurations. https://mujoco.readthedocs.io/en/stable/XMLreference.html#keyframe"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.model.named_configurations import NamedConfiguration

__all__ = ["keyframes"]

TO_POSITIONS = {
    0: (0, 1, 2, 4, 5, 6, 3),  # free
    1: (1, 2, 3, 0),  # ball
    2: (0,),  # slide
    3: (0,),  # hinge
}
"""For each joint type, the indices of its positions in those of MuJoCo, whose quaternions have w first."""


def keyframes(model: Any, joints: Sequence[str], names: Sequence[str]) -> tuple[NamedConfiguration, ...]:
    """The positions of all joints in each keyframe of a compiled model, whose quaternions MuJoCo has normalised.

    Args:
        model: compiled.
        joints: names of its joints.
        names: of its keyframes.
    """
    places = [
        [start + k for k in TO_POSITIONS[kind]]
        for start, kind in zip(model.jnt_qposadr.tolist(), model.jnt_type.tolist(), strict=True)
    ]
    return tuple(
        NamedConfiguration(name, tuple(joints), tuple(tuple(qpos[at].tolist()) for at in places))
        for name, qpos in zip(names, model.key_qpos, strict=True)
    )
