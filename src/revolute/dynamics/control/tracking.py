"""Tracking errors of a state; of quaternions, on the rotation group. Bullo & Murray 1999; LP section 11.4."""

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import Scalar, Scalars, Vector, cross, quaternion


@dataclass(frozen=True)
class Tracking:
    """Tracking errors of a state, and its reference velocity and acceleration, nv scalars each."""

    e: Scalars  # position errors in the tangent space, that of joint velocities
    ed: Scalars  # velocity errors, qd - v
    rate: Scalars  # de/dt, which equals ed except for a joint with a quaternion
    # v, a: the reference velocity and acceleration
    v: Scalars
    a: Scalars


def tracking(model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars) -> Tracking:
    """Errors of q and qd. For joints with one axis, they are differences; v and a are qd_ref and qdd_ref.

    Velocities of a joint with a quaternion are expressed in its link's frame. With A = R^T R_ref, which maps from the
    reference frame to the link frame,

        e = log(R_ref^T R),    v = A w_ref,    a = dv/dt = A wd_ref - w x v,    de/dt = J(e) (w - v)

    with J the inverse of the right Jacobian of SO(3). As e^T J = e^T, the time derivative of |e|^2 / 2 is e . (w - v).
    The origin of a free joint has the errors R^T (p - p_ref); its v and a are the velocity and the
    acceleration of the reference's origin, expressed in the link frame.
    """
    e: list[Scalar] = []
    v: list[Scalar] = []
    a: list[Scalar] = []
    for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True):
        if body.joint.quaternion_at is None:
            parts: tuple[Scalars, ...] = [x - y for x, y in zip(q[at], q_ref[at], strict=True)], qd_ref[to], qdd_ref[to]
        else:
            parts = _turning(q[at], qd[to], q_ref[at], qd_ref[to], qdd_ref[to])
        for total, part in zip((e, v, a), parts, strict=True):
            total += part
    ed = [x - y for x, y in zip(qd, v, strict=True)]
    rate = [
        x
        for body, to in zip(model.bodies, model.v_index, strict=True)
        for x in (ed[to] if body.joint.quaternion_at is None else _rate(e[to], ed[to], qd[to]))
    ]
    return Tracking(e, ed, rate, v, a)


def _turning(q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, qdd_ref: Scalars) -> tuple[Scalars, ...]:
    """e, v and a of a joint whose positions end with a quaternion, and whose velocities begin with w."""
    x, y, z, s = quaternion.normalized(q_ref[-4:])
    error = quaternion.product((-x, -y, -z, s), quaternion.normalized(q[-4:]))  # rotation vector of R_ref^T R
    A = quaternion.rotation(error).T
    w, w_ref = Vector(qd[:3]), Vector(qd_ref[:3])
    v = A @ w_ref
    turn = quaternion.logarithm(error), v, A @ Vector(qdd_ref[:3]) - cross(w, v)
    if len(q) == 4:
        return turn
    offset = quaternion.rotation(q[-4:]).T @ (Vector(q[:3]) - Vector(q_ref[:3]))
    slide = A @ Vector(qd_ref[3:])
    rate = A @ (cross(w_ref, Vector(qd_ref[3:])) + Vector(qdd_ref[3:])) - cross(w, slide)
    return tuple((*x, *y) for x, y in zip(turn, (offset, slide, rate), strict=True))


def _rate(e: Scalars, ed: Scalars, qd: Scalars) -> Scalars:
    """de/dt of a joint with a quaternion."""
    turn = quaternion.motion([-x for x in e[:3]], ed[:3])
    return (*turn, *(Vector(ed[3:]) - cross(Vector(qd[:3]), Vector(e[3:])))) if len(e) == 6 else turn


def times(K: Scalars, x: Scalars) -> list[Scalar]:
    """K x, where K contains a diagonal, or a matrix row by row."""
    n = len(x)
    if len(K) == n:
        return [k * y for k, y in zip(K, x, strict=True)]
    return [sum(k * y for k, y in zip(K[row * n : (row + 1) * n], x, strict=True)) for row in range(n)]
