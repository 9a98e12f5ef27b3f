"""Coordinates as functions of time, and links that move in a plane."""

from typing import Any

import sympy

t = sympy.Symbol("t")


def functions(names: str) -> tuple[Any, ...]:
    """Symbolic functions of time with the given names, separated by blanks."""
    return tuple(sympy.Function(name)(t) for name in names.split())


def along(angle: Any, length: Any) -> sympy.Matrix:
    """The plane vector with this length and this angle from the horizontal x axis; y points up."""
    return sympy.Matrix([length * sympy.cos(angle), length * sympy.sin(angle)])


def moving_link(mass: Any, centre: sympy.Matrix, inertia: Any = 0, angle: Any = 0) -> Any:
    """Kinetic energy of a link in the plane: translation of its centre of mass, and rotation. SHV 6.46-6.48."""
    velocity = centre.diff(t)
    return mass * velocity.dot(velocity) / 2 + inertia * sympy.diff(angle, t) ** 2 / 2
