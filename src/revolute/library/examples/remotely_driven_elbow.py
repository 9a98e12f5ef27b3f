"""The planar elbow with both motors at its base. SHV 6.92-6.99."""

from __future__ import annotations

import sympy

from revolute.library.examples.motion import along, functions, moving_link
from revolute.machine.lagrangian import System, lagrange

__all__ = ["remotely_driven_elbow"]


def remotely_driven_elbow() -> System:
    """The planar elbow in coordinates p1 = q1, p2 = q1 + q2: a belt turns the second link. SHV 6.92-6.99.

        M11 = m1 lc1^2 + m2 l1^2 + I1,    M12 = m2 l1 lc2 cos(p2 - p1),    M22 = m2 lc2^2 + I2
        M11 ddp1 + M12 ddp2 - m2 l1 lc2 sin(p2 - p1) dp2^2 + (m1 lc1 + m2 l1) g cos(p1) = tau1
        M12 ddp1 + M22 ddp2 + m2 l1 lc2 sin(p2 - p1) dp1^2 + m2 lc2 g cos(p2) = tau2

    No force contains the product dp1 dp2 of two velocities: the remote drive removes the Coriolis
    forces and leaves the centrifugal ones.

    Example:
        >>> from revolute.library import examples
        >>> examples.remotely_driven_elbow().M[0, 1]
        l1*lc2*m2*cos(p1 - p2)
    """
    m1, m2, l1, lc1, lc2, I1, I2, g = sympy.symbols("m1 m2 l1 lc1 lc2 I1 I2 g")
    p1, p2 = functions("p1 p2")
    r1 = along(p1, lc1)
    r2 = along(p1, l1) + along(p2, lc2)
    kinetic = moving_link(m1, r1, I1, p1) + moving_link(m2, r2, I2, p2)
    return lagrange([p1, p2], kinetic, g * (m1 * r1[1] + m2 * r2[1]), name="remotely_driven_elbow")
