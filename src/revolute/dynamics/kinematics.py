"""Poses of bodies and link frames, for any scalar type."""

from collections.abc import Sequence

from revolute.errors import InputError
from revolute.model.model import Model
from revolute.model.other_libraries import other_names
from revolute.spatial import ZERO, Scalars, Transform, Twist, cross

REFERENCES = {
    "body": "the link frame: its origin, its axes",
    "aligned": "the link frame's origin, the base frame's axes",
    "world": "the base frame: its origin, its axes",
}
"""Names of the frames in which the twist of a link, its time derivative, or the link's Jacobian is expressed."""


def check_reference(reference: str) -> None:
    """Raise `InputError` unless the reference is one of `REFERENCES`."""
    if not isinstance(reference, str) or reference not in REFERENCES:
        meanings = "; ".join(f"'{name}' ({meaning})" for name, meaning in REFERENCES.items())
        meant = other_names().references.get(str(reference).rpartition(".")[2])
        hint = f": write '{meant}'" if meant else ""
        raise InputError(f"there is no reference {reference!r}{hint}; available: {meanings}")


def frame_pose(model: Model, q: Scalars, frame: str) -> Transform:
    """Pose of a link frame in the base frame, as one matrix: T_0i = T_01 T_12 ... LP 9.49, 9.53; GOA Algorithm."""
    link = model.frame(frame)
    pose, i = link.placement, link.body
    while i > 0:
        body = model.bodies[i]
        pose = body.placement @ (body.joint.transform(q[model.q_index[i]]) @ pose)
        i = body.parent
    return pose.merged()


def frame_poses(model: Model, q: Scalars, frames: Sequence[str] | None = None) -> list[Transform]:
    """Poses of link frames in the base frame; by default of all links, in the order of `link_names`."""
    links = model.frames if frames is None else [model.frame(name) for name in frames]
    T = [Transform()]
    for body, at in zip(model.bodies[1:], model.q_index[1:], strict=True):
        T.append((T[body.parent] @ (body.placement @ body.joint.transform(q[at]))).merged())
    return [(T[link.body] @ link.placement).merged() for link in links]


def poses_in_parents(model: Model, q: Scalars) -> list[Transform]:
    """The pose of every body in its parent, starting with the base."""
    return [body.placement @ body.joint.transform(q[at]) for body, at in zip(model.bodies, model.q_index, strict=True)]


def in_child(X: Transform, V: Twist) -> Twist:
    """A twist or acceleration V in the parent frame, expressed in the child frame, whose pose is X. LP 9.54."""
    for step in X.steps:
        RT = step.R.T
        V = Twist(RT @ V.ang, RT @ (V.lin + cross(V.ang, step.p)))
    return V


def twists(model: Model, X: Sequence[Transform], qd: Scalars) -> list[Twist]:
    """The twist of every body, in its frame, from poses in the parents; the base is at rest. LP 9.53; GOA Algorithm."""
    V = [Twist(ZERO, ZERO)]
    for i, body in enumerate(model.bodies[1:], 1):
        V.append(in_child(X[i], V[body.parent]) + body.joint.velocity(qd[model.v_index[i]]))
    return V


def path_to(model: Model, frame: str) -> list[int]:
    """Indices of the bodies that carry a link frame, from the base (excluded) to the frame's body (included)."""
    path, i = [], model.frame(frame).body
    while i > 0:
        path.append(i)
        i = model.bodies[i].parent
    return path[::-1]
