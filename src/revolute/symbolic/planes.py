"""Planes in which chains of parallel joints move."""

from collections.abc import Sequence
from numbers import Real

from revolute.model.model import Model
from revolute.symbolic.waves import Plane


def parallel_planes(robot: Model, digits: Sequence[int]) -> tuple[Plane, ...]:
    """Chains of revolute joints whose axes stay parallel; `digits` contains `Ring.digit` of each coordinate."""
    planes: list[list[tuple[int, int]]] = []
    last: dict[int, list[tuple[int, int]]] = {}  # {body: the plane that currently ends with this body}
    for i, body in enumerate(robot.bodies):
        if body.joint.turning_axis() is not None:
            carrier, sign = _parallel(robot, i)
            plane = last.pop(carrier, None) if sign else None
            if plane is None:
                plane, sign = [], 1
                planes.append(plane)
            else:
                sign *= plane[-1][1]
            plane.append((digits[robot.q_index[i].start], sign))
            last[i] = plane
    return tuple(map(tuple, planes))


def _parallel(model: Model, i: int) -> tuple[int, int]:
    """The next rotating body towards the base, and 1 or -1 if its axis is always parallel or opposite, otherwise 0."""
    body = model.bodies[i]
    R, p = body.placement.R, body.parent
    while model.bodies[p].joint.sliding_axis() is not None:
        R, p = model.bodies[p].placement.R @ R, model.bodies[p].parent
    axis, carrier = body.joint.turning_axis(), model.bodies[p].joint.turning_axis()
    if axis is None or carrier is None:
        return p, 0
    for sign in (1, -1):
        apart = R @ axis - carrier * sign
        if all(abs(float(x)) < 1e-12 if isinstance(x, Real) else x == 0 for x in apart):
            return p, sign
    return p, 0
