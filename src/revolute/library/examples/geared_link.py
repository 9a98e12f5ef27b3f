"""A link that a DC motor drives through gears. SHV ex. 6.1, 6.7-6.11."""

from __future__ import annotations

import sympy

from revolute.library.examples.motion import functions, t
from revolute.machine.lagrangian import System, lagrange

__all__ = ["geared_link"]


def geared_link() -> System:
    """A link (mass M, centre l from the joint, inertia J_l) and its motor (J_m), r:1 geared. SHV ex. 6.1, 6.7-6.11.

        (r^2 J_m + J_l) ddtheta + (r^2 B_m + B_l) dtheta + M g l sin(theta) = r tau_m

    theta_l is 0 where the link hangs. The motor turns by r theta_l, so its inertia and its
    damping B_m both reflect to the link by r^2: damping is a torque per speed, and each brings
    a factor r. The print has B = r B_m + B_l, where a square is lost: the link would lose the power
    r B_m dtheta^2, but the motor's bearing takes B_m (r dtheta)^2.

    Example:
        >>> from revolute.library import examples
        >>> examples.geared_link().M
        Matrix([[J_l + J_m*r**2]])
    """
    J_m, J_l, B_m, B_l, M, g, l, r, tau_m = sympy.symbols("J_m J_l B_m B_l M g l r tau_m")
    (theta,) = functions("theta_l")
    motor, link = (r * theta).diff(t), theta.diff(t)
    return lagrange(
        [theta],
        J_m * motor**2 / 2 + J_l * link**2 / 2,
        M * g * l * (1 - sympy.cos(theta)),
        B_m * motor**2 / 2 + B_l * link**2 / 2,
        {theta: r * tau_m},
        name="geared_link",
    )
