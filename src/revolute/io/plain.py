"""What writers of files need: robots whose scalars are plain numbers."""

from __future__ import annotations

from numbers import Real

from revolute.errors import ModelError
from revolute.parameters import to_vector
from revolute.robot import Robot

__all__ = ["need_numbers"]


def need_numbers(robot: Robot, what: str) -> None:
    """Refuse a robot with symbols in it.

    Raises:
        ModelError: a pose or inertia that is no number, with the name of its link.
    """
    for body in robot.bodies:
        pose = (*body.placement.p, *(x for row in body.placement.R.matrix() for x in row))
        if not all(isinstance(x, Real) for x in (*pose, *to_vector(body.inertia))):
            raise ModelError(f"link '{body.name}': {what} holds numbers, and its pose or inertia has symbols")
