"""Time derivatives of positions, and positions with unit quaternions, for any scalar type."""

from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars


def coordinate_rates(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """dq/dt, which differs from qd only for joints with quaternions, such as free joints (GOA remark 7)."""
    return [
        rate
        for body, at, rate_at in zip(model.bodies, model.q_index, model.v_index, strict=True)
        for rate in body.joint.coordinate_rate(q[at], qd[rate_at])
    ]


def normalized(model: Model, q: Scalars) -> list[Scalar]:
    """The positions q with quaternions normalized to unit length."""
    return [x for body, at in zip(model.bodies, model.q_index, strict=True) for x in body.joint.normalized(q[at])]


def parent_axes_rates(model: Model, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Rates of qd in axes fixed to the parents: qdd, where w x v is added to the rate of a linear velocity v."""
    rates = list(qdd)
    for body, at in zip(model.bodies, model.v_index, strict=True):
        for k, row in enumerate(body.joint.bracket(qd[at]), at.start):
            terms = zip(row, qd[at], body.joint.linear, strict=True)
            rates[k] = rates[k] + sum(x * v for x, v, linear in terms if linear)
    return rates


def euler_step(model: Model, q: Scalars, steady: Scalars, qd: Scalars, h: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """Positions after a step h with velocities `steady`; and qd, given in axes of the start, expressed in the new axes.

    In axes that rotate with w, adding accelerations would multiply linear velocities by sqrt(1 + (w h)^2) in each step.
    """
    moved = [x + h * rate for x, rate in zip(q, coordinate_rates(model, q, steady), strict=True)]
    places = zip(model.bodies, model.v_index, strict=True)
    return normalized(model, moved), [
        x for body, at in places for x in body.joint.turned(qd[at], [h * x for x in steady[at]])
    ]


def retracted(model: Model, q: Scalars, d: Scalars) -> list[Scalar]:
    """q after a small tangent displacement d, to first order; quaternions keep unit length."""
    return normalized(model, [a + b for a, b in zip(q, coordinate_rates(model, q, d), strict=True)])
