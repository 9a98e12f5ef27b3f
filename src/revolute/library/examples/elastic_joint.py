"""A link whose motor drives it through a spring. SHV ex. 6.2, 6.12-6.14."""

from __future__ import annotations

import sympy

from revolute.library.examples.motion import functions, t
from revolute.machine.lagrangian import System, lagrange

__all__ = ["elastic_joint"]


def elastic_joint() -> System:
    """A link at angle q1, a motor at angle q2, and a torsion spring k between them. SHV ex. 6.2.

        J_l ddq1 + M g l sin(q1) + k (q1 - q2) = 0
        J_m ddq2 + k (q2 - q1) = u

    The text calls q1 = theta_l the motor's angle and q2 = theta_m the link's. Its indices and
    the sine of q1 show that it means the reverse.

    Example:
        >>> from revolute.library import examples
        >>> examples.elastic_joint().M
        Matrix([
        [J_l,   0],
        [  0, J_m]])
    """
    J_m, J_l, M, g, l, k, u = sympy.symbols("J_m J_l M g l k u")
    q1, q2 = functions("q1 q2")
    return lagrange(
        [q1, q2],
        J_l * q1.diff(t) ** 2 / 2 + J_m * q2.diff(t) ** 2 / 2,
        M * g * l * (1 - sympy.cos(q1)) + k * (q1 - q2) ** 2 / 2,
        forces={q2: u},
        name="elastic_joint",
    )
