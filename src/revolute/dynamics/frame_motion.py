"""Twist and acceleration of a link frame, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.kinematics import check_reference, path_to
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial import Motion, Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, cross

__all__ = ["KINDS", "check_kind", "frame_acceleration", "frame_velocity"]

KINDS = {
    "rate": "the rate of the numbers of the twist in that reference",
    "classical": "the acceleration of the point that the twist's v belongs to",
    "spatial": "the rate of the body's twist, seen from the reference",
}
"""What the linear part of an acceleration is."""


def check_kind(kind: str) -> None:
    """Raise InputError unless it is one of `KINDS`."""
    if not isinstance(kind, str) or kind not in KINDS:
        known = "; ".join(f"'{name}' ({meaning})" for name, meaning in KINDS.items())
        raise InputError(f"there is no kind {kind!r} of acceleration; there are: {known}")


def frame_velocity(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], frame: str, reference: str = "body"
) -> Motion:
    """Twist of a link frame relative to the base frame. LP 9.54; GOA 26.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        frame: name of a link.
        reference: "body", "aligned" or "world": see `jacobian`.

    Returns:
        the twist (w, v).
    """
    check_reference(reference)
    chain, V, _ = _outward(model, q, qd, [0] * model.nv, frame)
    return _seen(chain, V, reference)


def frame_acceleration(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    frame: str,
    reference: str = "body",
    kind: str = "rate",
) -> Motion:
    """Acceleration of a link frame relative to the base frame. LP 9.55; GOA 26.

    The axes and the origin of "body" and "world" move with the link or not at all, so that
    the spatial acceleration is the twist's rate; those of "aligned" follow the origin and
    do not turn, and the twist's rate is the classical acceleration, which has w x v more.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        qdd: (nv,) rates of the components of `qd`.
        frame: name of a link.
        reference: "body", "aligned" or "world": see `jacobian`.
        kind: "rate", "classical" or "spatial": see `KINDS`.

    Returns:
        angular, then linear acceleration.
    """
    check_reference(reference)
    check_kind(kind)
    chain, V, A = _outward(model, q, qd, qdd, frame)
    if kind == "spatial" or (kind == "rate" and reference != "aligned"):
        return _seen(chain, A, reference)
    if reference == "world":
        A, V = _seen(chain, A, reference), _seen(chain, V, reference)
        return Motion(A.ang, A.lin + cross(V.ang, V.lin))
    return _seen(chain, Motion(A.ang, A.lin + cross(V.ang, V.lin)), reference)


def _outward(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], frame: str
) -> tuple[list[Transform], Motion, Motion]:
    """Poses on the way from the base to the link frame, and its twist and the rate of that, along its axes."""
    V = A = Motion(ZERO, ZERO)
    chain = []
    for i in path_to(model, frame):
        body, at = model.bodies[i], model.v_index[i]
        X = body.placement @ body.joint.transform(q[model.q_index[i]])
        S_qd = body.joint.velocity(qd[at])
        V, A = _in_child(X, V), _in_child(X, A)
        A = A + V.cross(S_qd) + body.joint.acceleration(qd[at], qdd[at])
        V = V + S_qd
        chain.append(X)
    X = model.frame(frame).placement
    return [*chain, X], _in_child(X, V), _in_child(X, A)


def _in_child(X: Transform, V: Motion) -> Motion:
    """A motion of the parent frame as one of the child frame."""
    RT = X.R.T
    return Motion(RT @ V.ang, RT @ (V.lin + cross(V.ang, X.p)))


def _seen(chain: Sequence[Transform], V: Motion, reference: str) -> Motion:
    """A motion of the last frame, written in a reference."""
    if reference == "body":
        return V
    for X in reversed(chain):
        w, v = X.R @ V.ang, X.R @ V.lin
        V = Motion(w, v + cross(X.p, w) if reference == "world" else v)
    return V
