"""Exact steps with constant velocities, and the steps between two positions, for any scalar type. LP section 3.2.3."""

from collections.abc import Sequence

from revolute.model.configurations import Turning
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars, nearest_turn


def integrated(model: Model, q: Scalars, d: Scalars) -> list[Scalar]:
    """q exp(d): the positions after one unit of time with the constant velocities d. LP 3.88."""
    places = zip(model.bodies, model.q_index, model.v_index, strict=True)
    return [x for body, at, to in places for x in body.joint.integrate(q[at], d[to])]


def difference(model: Model, q0: Scalars, q1: Scalars, turning: Sequence[Turning] = ()) -> list[Scalar]:
    """log(q0^-1 q1): the step d with integrated(q0, d) = q1; `turning` angles take the shortest rotation. LP 3.92."""
    places = zip(model.bodies, model.q_index, strict=True)
    d = [x for body, at in places for x in body.joint.difference(q0[at], q1[at])]
    for at in turning:
        d[at.qd] = nearest_turn(d[at.qd], 0)
    return d
