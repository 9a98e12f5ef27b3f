"""LP's planar 2R arm with point masses. LP 9.7-9.8."""

from __future__ import annotations

import sympy

from revolute.library.examples.motion import along, functions, moving_link
from revolute.machine.lagrangian import System, lagrange

__all__ = ["point_mass_2r"]


def point_mass_2r() -> System:
    """Two links of lengths L1 and L2 without mass, with masses m1 and m2 at their ends. LP 9.7-9.8.

        tau1 = ((m1 + m2) L1^2 + m2 (2 L1 L2 c2 + L2^2)) ddtheta1 + m2 (L1 L2 c2 + L2^2) ddtheta2
               - 2 m2 L1 L2 s2 dtheta1 dtheta2 - m2 L1 L2 s2 dtheta2^2
               + (m1 + m2) L1 g c1 + m2 g L2 c12
        tau2 = m2 (L1 L2 c2 + L2^2) ddtheta1 + m2 L2^2 ddtheta2 + m2 L1 L2 s2 dtheta1^2 + m2 g L2 c12

    The print has five slips. K2 has m2 before its first term alone, not before all three. In tau1
    the coupling term holds cos(theta1) for c2. In tau2 the centrifugal term reads
    - m2 L1 L2 dtheta1 dtheta2 s2 (a square lost, and the sign), and gravity has a minus sign.

    Example:
        >>> from revolute.library import examples
        >>> examples.point_mass_2r().M[0, 1]
        L2*m2*(L1*cos(theta2) + L2)
    """
    m1, m2, L1, L2, g = sympy.symbols("m1 m2 L1 L2 g")
    q = theta1, theta2 = functions("theta1 theta2")
    r1 = along(theta1, L1)
    r2 = r1 + along(theta1 + theta2, L2)
    return lagrange(q, moving_link(m1, r1) + moving_link(m2, r2), g * (m1 * r1[1] + m2 * r2[1]), name="point_mass_2r")
