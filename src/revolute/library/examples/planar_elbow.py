"""The planar elbow: two revolute joints, links with mass and inertia. SHV 6.78-6.91, 6.123-6.133."""

from __future__ import annotations

import sympy

from revolute.library.examples.motion import along, functions, moving_link
from revolute.machine.lagrangian import System, lagrange

__all__ = ["planar_elbow"]


def planar_elbow() -> System:
    """Links of lengths l1, l2 with masses m, centres lc from their joints, and inertias I. SHV 6.78-6.91.

        M11 = m1 lc1^2 + m2 (l1^2 + lc2^2 + 2 l1 lc2 c2) + I1 + I2
        M12 = m2 (lc2^2 + l1 lc2 c2) + I2,    M22 = m2 lc2^2 + I2
        C = [[h dq2, h (dq1 + dq2)], [-h dq1, 0]],    h = -m2 l1 lc2 s2
        g1 = (m1 lc1 + m2 l1) g c1 + m2 lc2 g c12,    g2 = m2 lc2 g c12

    Five constants determine all torques (SHV 6.123-6.133; `regressor`): Theta1 = m1 lc1^2 + m2 (l1^2 +
    lc2^2) + I1 + I2, Theta2 = m2 l1 lc2, Theta3 = m2 lc2^2 + I2, Theta4 = m1 lc1 + m2 l1 and
    Theta5 = m2 lc2, where g is known. Our copy of the text lacks the display equations; these are
    derived anew.

    Example:
        >>> from revolute.library import examples
        >>> examples.planar_elbow().C
        Matrix([
        [-dq2*l1*lc2*m2*sin(q2), -l1*lc2*m2*(dq1 + dq2)*sin(q2)],
        [ dq1*l1*lc2*m2*sin(q2),                              0]])
    """
    m1, m2, l1, lc1, lc2, I1, I2, g = sympy.symbols("m1 m2 l1 lc1 lc2 I1 I2 g")
    q1, q2 = functions("q1 q2")
    r1 = along(q1, lc1)
    r2 = along(q1, l1) + along(q1 + q2, lc2)
    kinetic = moving_link(m1, r1, I1, q1) + moving_link(m2, r2, I2, q1 + q2)
    return lagrange([q1, q2], kinetic, g * (m1 * r1[1] + m2 * r2[1]), name="planar_elbow")
