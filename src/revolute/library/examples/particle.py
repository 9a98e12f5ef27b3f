"""Masses on straight lines: a particle, and two prismatic joints at a right angle."""

import sympy

from revolute.library.examples.motion import functions, moving_link, t
from revolute.machine.lagrangian import System, lagrange


def particle() -> System:
    """A mass m at height x, lifted by a force f. LP 9.4-9.6; SHV 6.1-6.5, where the height is y.

        m ddx + m g = f

    Example:
        >>> from revolute.library import examples
        >>> examples.particle().equations[0]
        Eq(ddx*m + g*m, f)
    """
    m, g, f = sympy.symbols("m g f")
    (x,) = functions("x")
    return lagrange([x], m * x.diff(t) ** 2 / 2, m * g * x, forces={x: f}, name="particle")


def cartesian() -> System:
    """A carriage m1 at height q1, and on it a slide m2 at horizontal position q2. SHV 6.69-6.77.

        (m1 + m2) ddq1 + g (m1 + m2) = f1
        m2 ddq2 = f2

    Example:
        >>> from revolute.library import examples
        >>> examples.cartesian().christoffel
        [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
    """
    m1, m2, g = sympy.symbols("m1 m2 g")
    q1, q2 = functions("q1 q2")
    r1, r2 = sympy.Matrix([0, q1]), sympy.Matrix([q2, q1])
    return lagrange([q1, q2], moving_link(m1, r1) + moving_link(m2, r2), m1 * g * q1 + m2 * g * q1, name="cartesian")
