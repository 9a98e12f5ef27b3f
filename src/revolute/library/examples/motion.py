"""Coordinates as functions of time, and links that move in a plane."""

from typing import Any

import sympy

t = sympy.Symbol("t")


def functions(names: str) -> tuple[Any, ...]:
    """Functions of time with the given names, which are separated by blanks."""
    return tuple(sympy.Function(name)(t) for name in names.split())


def along(angle: Any, length: Any) -> sympy.Matrix:
    """The vector of a length at an angle from the horizontal x axis; y points up."""
    return sympy.Matrix([length * sympy.cos(angle), length * sympy.sin(angle)])


def moving_link(mass: Any, centre: sympy.Matrix, inertia: Any = 0, angle: Any = 0) -> Any:
    """Kinetic energy of a link in the plane: of its centre of mass, and of its rotation. SHV 6.46-6.48."""
    velocity = centre.diff(t)
    return mass * velocity.dot(velocity) / 2 + inertia * sympy.diff(angle, t) ** 2 / 2
