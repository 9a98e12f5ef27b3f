"""Poses of link frames, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar

__all__ = ["REFERENCES", "check_reference", "frame_pose", "frame_poses", "path_to"]

REFERENCES = {
    "body": "the link frame: its origin, its axes",
    "aligned": "the link frame's origin, the base frame's axes",
    "world": "the base frame: its origin, its axes",
}
"""In what frame a link's twist, its rate, or its Jacobian is written."""


def check_reference(reference: str) -> None:
    """Raise InputError unless it is one of `REFERENCES`."""
    if not isinstance(reference, str) or reference not in REFERENCES:
        known = "; ".join(f"'{name}' ({meaning})" for name, meaning in REFERENCES.items())
        raise InputError(f"there is no reference {reference!r}; there are: {known}")


def frame_pose(model: Model, q: Sequence[Scalar], frame: str) -> Transform:
    """Pose of a link frame in the base frame: T_0i = T_01 T_12 ... LP 9.49, 9.53; GOA 26.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        frame: name of a link.

    Returns:
        the pose; its rotation is multiplied out.
    """
    link = model.frame(frame)
    pose, i = link.placement, link.body
    while i > 0:
        body = model.bodies[i]
        pose = body.placement @ (body.joint.transform(q[model.q_index[i]]) @ pose)
        i = body.parent
    return pose.merged()


def frame_poses(model: Model, q: Sequence[Scalar]) -> list[Transform]:
    """Poses of all link frames in the base frame, in the order of `link_names`.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].

    Returns:
        the poses; their rotations are multiplied out.
    """
    T = [Transform()]
    for body, at in zip(model.bodies[1:], model.q_index[1:], strict=True):
        T.append((T[body.parent] @ (body.placement @ body.joint.transform(q[at]))).merged())
    return [(T[frame.body] @ frame.placement).merged() for frame in model.frames]


def path_to(model: Model, frame: str) -> list[int]:
    """The bodies that carry a link frame, from the base's child to its own; the base is none."""
    path, i = [], model.frame(frame).body
    while i > 0:
        path.append(i)
        i = model.bodies[i].parent
    return path[::-1]
