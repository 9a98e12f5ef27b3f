"""A particle on a vertical line. LP 9.4-9.6; SHV 6.1-6.5."""

from __future__ import annotations

import sympy

from revolute.library.examples.motion import functions, t
from revolute.machine.lagrangian import System, lagrange

__all__ = ["particle"]


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
