"""The five-bar linkage, a parallelogram, and the condition under which it decouples. SHV 6.100-6.111."""

import sympy

from revolute.library.examples.motion import along, functions, moving_link
from revolute.machine.lagrangian import System, lagrange


def five_bar() -> System:
    """Two links driven at the base, and two links that close the parallelogram. SHV 6.100-6.107.

    See also SHV 6.108-6.111.

    Links 1 and 3 are parallel at angle q1, links 2 and 4 at angle q2. Link 3 sits at the end
    of link 2, l2 away; link 4 at the end of link 1, l1 away, with its centre of mass on the
    side away from the parallelogram.

        M11 = m1 lc1^2 + m3 lc3^2 + m4 l1^2 + I1 + I3
        M12 = (m3 l2 lc3 - m4 l1 lc4) cos(q2 - q1)
        M22 = m2 lc2^2 + m3 l2^2 + m4 lc4^2 + I2 + I4
        g1 = g (m1 lc1 + m3 lc3 + m4 l1) cos(q1),    g2 = g (m2 lc2 + m3 l2 - m4 lc4) cos(q2)

    If m3 l2 lc3 = m4 l1 lc4 (see `balanced`), the mass matrix is diagonal and constant: there are
    no Coriolis or centrifugal forces, and the joints are decoupled.

    Example:
        >>> from revolute.library import examples
        >>> examples.five_bar().M[0, 1]
        (-l1*lc4*m4 + l2*lc3*m3)*cos(q1 - q2)
        >>> examples.balanced(examples.five_bar()).M[0, 1]
        0
    """
    (m1, m2, m3, m4), (I1, I2, I3, I4) = sympy.symbols("m1:5"), sympy.symbols("I1:5")
    l1, l2, lc1, lc2, lc3, lc4, g = sympy.symbols("l1 l2 lc1 lc2 lc3 lc4 g")
    q1, q2 = functions("q1 q2")
    r1, r2 = along(q1, lc1), along(q2, lc2)
    r3, r4 = along(q2, l2) + along(q1, lc3), along(q1, l1) - along(q2, lc4)
    links = ((m1, r1, I1, q1), (m2, r2, I2, q2), (m3, r3, I3, q1), (m4, r4, I4, q2))
    kinetic = sum(moving_link(*link) for link in links)
    potential = g * (m1 * r1[1] + m2 * r2[1] + m3 * r3[1] + m4 * r4[1])
    return lagrange([q1, q2], kinetic, potential, name="five_bar")


def balanced(linkage: System) -> System:
    """The five-bar linkage with lc3 such that m3 l2 lc3 = m4 l1 lc4. SHV 6.108-6.111."""
    m3, m4, l1, l2, lc4 = sympy.symbols("m3 m4 l1 l2 lc4")
    return linkage.subs({"lc3": m4 * l1 * lc4 / (m3 * l2)})
