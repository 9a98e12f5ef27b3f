"""Planar arms of two links: with inertia, with point masses, with both motors at the base."""

import sympy

from revolute.library.examples.motion import along, functions, moving_link
from revolute.machine.lagrangian import System, lagrange


def planar_elbow() -> System:
    """Links of lengths l1, l2 with masses m, centres lc from their joints, and inertias I. SHV 6.78-6.91.

        M11 = m1 lc1^2 + m2 (l1^2 + lc2^2 + 2 l1 lc2 c2) + I1 + I2
        M12 = m2 (lc2^2 + l1 lc2 c2) + I2,    M22 = m2 lc2^2 + I2
        C = [[h dq2, h (dq1 + dq2)], [-h dq1, 0]],    h = -m2 l1 lc2 s2
        g1 = (m1 lc1 + m2 l1) g c1 + m2 lc2 g c12,    g2 = m2 lc2 g c12

    Five constants determine all torques (SHV 6.123-6.133; `regressor`): Theta1 = m1 lc1^2 + m2 (l1^2 +
    lc2^2) + I1 + I2, Theta2 = m2 l1 lc2, Theta3 = m2 lc2^2 + I2, Theta4 = m1 lc1 + m2 l1 and
    Theta5 = m2 lc2, if g is known. Our copy of the text lacks these equations; they are derived anew.

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


def point_mass_2r() -> System:
    """Two links of lengths L1 and L2 without mass, with masses m1 and m2 at their ends. LP 9.7-9.8.

        tau1 = ((m1 + m2) L1^2 + m2 (2 L1 L2 c2 + L2^2)) ddtheta1 + m2 (L1 L2 c2 + L2^2) ddtheta2
               - 2 m2 L1 L2 s2 dtheta1 dtheta2 - m2 L1 L2 s2 dtheta2^2
               + (m1 + m2) L1 g c1 + m2 g L2 c12
        tau2 = m2 (L1 L2 c2 + L2^2) ddtheta1 + m2 L2^2 ddtheta2 + m2 L1 L2 s2 dtheta1^2 + m2 g L2 c12

    The printed text has five errors. K2 has m2 before its first term only, not before all three. In tau1
    the coupling term has cos(theta1) instead of c2. In tau2 the centrifugal term reads
    - m2 L1 L2 dtheta1 dtheta2 s2 (square and sign are wrong), and gravity has a minus sign.

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
