"""Twist and acceleration of a link frame, for any scalar type."""

from collections.abc import Sequence

from revolute.dynamics.kinematics import check_reference, in_child, path_to
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalars, Transform, Twist, cross

LINEAR_PARTS = {
    "rate": "the rates of the twist's components in the reference",
    "classical": "the acceleration of the point whose velocity is the twist's v",
    "spatial": "the rates of the twist's components in 'body', transformed to the reference",
}
"""Names of the definitions of an acceleration's linear part."""


def check_linear(linear: str) -> None:
    """Raise `InputError` unless the name is one of `LINEAR_PARTS`."""
    if not isinstance(linear, str) or linear not in LINEAR_PARTS:
        meanings = "; ".join(f"'{name}' ({meaning})" for name, meaning in LINEAR_PARTS.items())
        raise InputError(f"linear: there is no {linear!r} acceleration; available: {meanings}")


def frame_velocity(model: Model, q: Scalars, qd: Scalars, frame: str, reference: str = "body") -> Twist:
    """Twist of a link frame relative to the base frame. LP 9.54; GOA 26."""
    check_reference(reference)
    chain, V, _ = _outward(model, q, qd, [0] * model.nv, frame)
    return _seen(chain, V, reference)


def frame_acceleration(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, frame: str, reference: str = "body", linear: str = "rate"
) -> Twist:
    """Acceleration of a link frame relative to the base frame. LP 9.55; GOA 28, Remark 2.

    The frame "body" moves with the link and "world" is fixed: in both, the time derivative of the twist is the spatial
    acceleration. The frame "aligned" follows the link's origin without rotating: there, the time derivative of the
    twist is the classical acceleration, spatial plus w x v.

    Args:
        linear: "rate", "classical" or "spatial": see `LINEAR_PARTS`.

    Returns:
        angular, then linear acceleration.
    """
    check_reference(reference)
    check_linear(linear)
    chain, V, A = _outward(model, q, qd, qdd, frame)
    if linear == "spatial" or (linear == "rate" and reference != "aligned"):
        return _seen(chain, A, reference)
    # a classical acceleration is the spatial one plus w x v, at the point whose velocity is v
    if reference == "world":
        A, V = _seen(chain, A, reference), _seen(chain, V, reference)
        return Twist(A.ang, A.lin + cross(V.ang, V.lin))
    return _seen(chain, Twist(A.ang, A.lin + cross(V.ang, V.lin)), reference)


def _outward(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, frame: str) -> tuple[list[Transform], Twist, Twist]:
    """Poses along the path to the link frame; the frame's twist and its time derivative, expressed in the frame."""
    V = A = Twist(ZERO, ZERO)
    chain = []
    for i in path_to(model, frame):
        body, at = model.bodies[i], model.v_index[i]
        X = body.placement @ body.joint.transform(q[model.q_index[i]])
        S_qd = body.joint.velocity(qd[at])
        V, A = in_child(X, V), in_child(X, A)
        A = A + V.cross(S_qd) + body.joint.acceleration(qd[at], qdd[at])
        V = V + S_qd
        chain.append(X)
    X = model.frame(frame).placement
    return [*chain, X], in_child(X, V), in_child(X, A)


def _seen(chain: Sequence[Transform], V: Twist, reference: str) -> Twist:
    """A twist or acceleration V in the last frame of the chain, expressed in the reference."""
    if reference == "body":
        return V
    for X in reversed(chain):
        w, v = X.R @ V.ang, X.R @ V.lin
        V = Twist(w, v + cross(X.p, w) if reference == "world" else v)
    return V
