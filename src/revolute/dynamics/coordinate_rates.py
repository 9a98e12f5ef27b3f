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


def retracted(model: Model, q: Scalars, d: Scalars) -> list[Scalar]:
    """q after a small tangent displacement d, to first order; quaternions keep unit length."""
    return normalized(model, [a + b for a, b in zip(q, coordinate_rates(model, q, d), strict=True)])
