"""Coordinates as functions of time, and links that move in a plane."""

from typing import Any

import sympy

from revolute.spatial.scalar import Expression

t = sympy.Symbol("t")


def functions(names: str) -> tuple[Any, ...]:
    """Symbolic functions of time with the given names, separated by blanks."""
    return tuple(sympy.Function(name)(t) for name in names.split())


def along(angle: Expression, length: Expression) -> sympy.Matrix:
    """The plane vector with this length and this angle from the horizontal x axis; y points up."""
    return sympy.Matrix([length * sympy.cos(angle), length * sympy.sin(angle)])


def moving_link(mass: Expression, centre: sympy.Matrix, inertia: Expression = 0, angle: Expression = 0) -> Expression:
    """Kinetic energy of a link in the plane: translation of its centre of mass, and rotation. SHV 6.46-6.48."""
    velocity = centre.diff(t)
    return mass * velocity.dot(velocity) / 2 + inertia * sympy.diff(angle, t) ** 2 / 2
