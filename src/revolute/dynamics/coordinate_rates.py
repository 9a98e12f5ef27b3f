"""Time derivatives of positions, and positions with unit quaternions, over any scalar."""

from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars


def coordinate_rates(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """dq/dt: equal to qd except for joints such as free joints (GOA remark 7)."""
    return [
        rate
        for body, at, rate_at in zip(model.bodies, model.q_index, model.v_index, strict=True)
        for rate in body.joint.coordinate_rate(q[at], qd[rate_at])
    ]


def normalized(model: Model, q: Scalars) -> list[Scalar]:
    """The same positions, with unit quaternions."""
    return [x for body, at in zip(model.bodies, model.q_index, strict=True) for x in body.joint.normalized(q[at])]


def retracted(model: Model, q: Scalars, d: Scalars) -> list[Scalar]:
    """q after a small motion d along the velocities, to first order; quaternions keep unit length."""
    return normalized(model, [a + b for a, b in zip(q, coordinate_rates(model, q, d), strict=True)])
