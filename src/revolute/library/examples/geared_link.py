"""A link that a motor drives, through gears or through a spring."""

import sympy

from revolute.library.examples.motion import functions, t
from revolute.machine.lagrangian import System, lagrange


def geared_link() -> System:
    """A link (mass M, centre l from the joint, inertia J_l), motor (inertia J_m) and r:1 gears. SHV ex. 6.1, 6.7-6.11.

        (r^2 J_m + J_l) ddtheta_l + (r^2 B_m + B_l) dtheta_l + M g l sin(theta_l) = r tau_m

    theta_l is 0 where the link hangs down. The motor turns by r theta_l, so its inertia and its
    damping B_m are both multiplied by r^2 at the link: torque and speed each contribute
    a factor r. The text prints B = r B_m + B_l, where a square is missing: damping would dissipate
    r B_m dtheta_l^2, but the motor's bearing dissipates B_m (r dtheta_l)^2.

    Example:
        >>> from revolute.library import examples
        >>> examples.geared_link().M
        Matrix([[J_l + J_m*r**2]])
    """
    J_m, J_l, B_m, B_l, M, g, l, r, tau_m = sympy.symbols("J_m J_l B_m B_l M g l r tau_m")
    (theta,) = functions("theta_l")
    motor, link = (r * theta).diff(t), theta.diff(t)
    return lagrange(
        [theta], J_m * motor**2 / 2 + J_l * link**2 / 2, M * g * l * (1 - sympy.cos(theta)),
        B_m * motor**2 / 2 + B_l * link**2 / 2, {theta: r * tau_m}, name="geared_link",
    )


def elastic_joint() -> System:
    """A link at angle q1, a motor at angle q2, and a torsion spring k between them. SHV ex. 6.2.

        J_l ddq1 + M g l sin(q1) + k (q1 - q2) = 0
        J_m ddq2 + k (q2 - q1) = u

    The text calls q1 = theta_l the motor's angle and q2 = theta_m the link's angle. Its indices and
    the sine of q1 show that the reverse is meant.

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
