"""The Jacobian of a link frame and its time derivatives, for any scalar type.

See also GOA Algorithm.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import add, sub

from revolute.dynamics.kinematics import check_reference, path_to
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalars, Transform, Twist, cross

NONE = Twist(ZERO, ZERO)


def jacobian(model: Model, q: Scalars, frame: str, reference: str = "body") -> list[Twist]:
    """Columns J_j with V = sum_j J_j qd_j, where V is the twist of a link frame. GOA 27; JIN 35.

    A joint moves its load as one rigid body. With (R, o) the pose of the joint's body in the
    reference frame, the joint's column is (w, R S.lin + o x w), w = R S.ang. Reference frames:

        "body"      the link frame,
        "aligned"   the frame at the link's origin, with the orientation of the base frame,
        "world"     the base frame: v is the velocity of the link's point at the base origin.

    Columns of joints that do not carry the link are zero.
    """
    columns = [NONE] * model.nv
    for i, X in _poses(model, q, frame, reference).items():
        joint, at = model.bodies[i].joint, model.v_index[i]
        S = joint.columns()
        w = [X.R @ column.ang for column in S]
        columns[at] = [Twist(w[k], X.R @ column.lin + cross(X.p, w[k])) for k, column in enumerate(S)]
    return columns


def jacobian_rate(model: Model, q: Scalars, qd: Scalars, frame: str, reference: str = "body") -> list[Twist]:
    """Columns of dJ/dt, all expressed in the reference frame. GOA 28.

    A column is constant in the frame of its joint's body. If that body has the twist U relative to the reference,

        dJ/dt = U x J = (u x w, u x v + u' x w),    U = (u, u'),  J = (w, v)

    For "world", U is the sum of J qd over the joints up to that body; for "body", minus the sum over the joints beyond
    it. The frame of "aligned" moves with the link and does not rotate: its u is that of "world", its u' that of "body".
    A joint with one coordinate does not change its own column, so either sum may include it.
    """
    J = jacobian(model, q, frame, reference)
    U = _body_twists(model, frame, reference, [column * x for column, x in zip(J, qd, strict=True)])
    return [u.cross(column) for u, column in zip(U, J, strict=True)]


def jacobian_second_rate(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, frame: str, reference: str = "body"
) -> list[Twist]:
    """Columns of d2J/dt2 = dU/dt x J + U x dJ/dt: see `jacobian_rate`. GOA 29."""
    J = jacobian(model, q, frame, reference)
    U = _body_twists(model, frame, reference, [column * x for column, x in zip(J, qd, strict=True)])
    Jd = [u.cross(column) for u, column in zip(U, J, strict=True)]
    parts = [rate * x + column * xd for rate, column, x, xd in zip(Jd, J, qd, qdd, strict=True)]
    Ud = _body_twists(model, frame, reference, parts)
    return [Ud[k].cross(J[k]) + U[k].cross(Jd[k]) for k in range(model.nv)]


def _poses(model: Model, q: Scalars, frame: str, reference: str) -> dict[int, Transform]:
    """{body index: pose in the reference}, for the bodies that carry the link."""
    check_reference(reference)
    link, path = model.frame(frame), path_to(model, frame)
    X = {i: model.bodies[i].placement @ model.bodies[i].joint.transform(q[model.q_index[i]]) for i in path}
    T = {0: Transform()}
    if reference == "body":  # traverse the joints from the link to the base
        T[link.body] = link.placement.inverse().merged()
        for i in reversed(path):
            R = Transform(T[i].R @ X[i].R.T).merged().R
            T[model.bodies[i].parent] = Transform(R, T[i].p - R @ X[i].p)
        return {i: T[i] for i in path}
    for i in path:
        T[i] = (T[model.bodies[i].parent] @ X[i]).merged()
    if reference == "aligned":  # expressed in the base frame, relative to the link's origin
        o = -(T[link.body].R @ link.placement.p)
        for i in reversed(path):
            T[i] = Transform(T[i].R, o)
            o = o - T[model.bodies[i].parent].R @ X[i].p
    return {i: T[i] for i in path}


def _body_twists(model: Model, frame: str, reference: str, parts: Sequence[Twist]) -> list[Twist]:
    """For every column, the twist of its body relative to the reference, from the terms J_j qd_j."""
    path = path_to(model, frame)
    of_joints = [sum(parts[model.v_index[i]], NONE) for i in path]
    up = list(accumulate(of_joints, add, initial=NONE))
    down = list(accumulate(reversed(of_joints), sub, initial=NONE))[::-1]
    twists = [NONE] * model.nv
    for k, i in enumerate(path):
        nv = model.bodies[i].joint.nv
        before = up[k + (nv > 1)]
        beyond = down[k + (nv > 1 or reference == "body")]
        U = {"world": before, "body": beyond, "aligned": Twist(before.ang, beyond.lin)}[reference]
        twists[model.v_index[i]] = [U] * nv
    return twists
