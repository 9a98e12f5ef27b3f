"""Time derivatives of positions, and positions with unit quaternions, for any scalar type."""

from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars


def coordinate_rates(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """dq/dt: differs from qd only for joints with quaternions, such as free joints (GOA remark 7)."""
    return [
        rate
        for body, at, rate_at in zip(model.bodies, model.q_index, model.v_index, strict=True)
        for rate in body.joint.coordinate_rate(q[at], qd[rate_at])
    ]


def normalized(model: Model, q: Scalars) -> list[Scalar]:
    """The positions q with quaternions normalized to unit length."""
    return [x for body, at in zip(model.bodies, model.q_index, strict=True) for x in body.joint.normalized(q[at])]


def parent_axes_rates(model: Model, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """`Joint.parent_axes_rate` of all joints."""
    places = zip(model.bodies, model.v_index, strict=True)
    return [rate for body, at in places for rate in body.joint.parent_axes_rate(qd[at], qdd[at])]


def euler_step(model: Model, q: Scalars, steady: Scalars, qd: Scalars, h: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """Positions after a step h with the velocities `steady`; and qd, given in axes of the start, in those of the end.

    So linear velocities change along axes fixed to the parent. Along axes that turn with w, every Euler step would
    multiply them by sqrt(1 + (w h)^2).
    """
    moved = [x + h * rate for x, rate in zip(q, coordinate_rates(model, q, steady), strict=True)]
    places = zip(model.bodies, model.v_index, strict=True)
    turned = [x for body, at in places for x in body.joint.turned(qd[at], [h * x for x in steady[at]])]
    return normalized(model, moved), turned


def retracted(model: Model, q: Scalars, d: Scalars) -> list[Scalar]:
    """q after a small tangent displacement d, to first order; quaternions keep unit length."""
    return normalized(model, [a + b for a, b in zip(q, coordinate_rates(model, q, d), strict=True)])
