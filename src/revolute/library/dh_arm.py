"""Arms with generic parameters, the usual examples for operation counts in the literature."""

import math

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.io.dh import DHRow, DHTable, arm
from revolute.machine.robot import Robot
from revolute.spatial import Inertia


def dh_arm(joints: int, twist: str = "general") -> Robot:
    """A serial arm of revolute joints; only the first frame has zero parameters.

    Link lengths, offsets and all ten inertial parameters of each link are irregular numbers. The
    first joint's axis is z of the base, against gravity. BP sections 5.3.2 and 6.4 count operations for arms with such
    modified Denavit-Hartenberg parameters.

    Args:
        joints: number of joints.
        twist: twist angles: "general" for irregular angles, "right" for 90 degrees in all rows.

    Raises:
        InputError: there is no joint, or the twist is unknown.

    Example:
        >>> from revolute.published.counting import formulation
        >>> links = formulation("generalized_links")
        >>> print(revolute.robots.dh_arm(6).count(links, counting="source"))
        381 mul + 362 add, 0 div, 10 calls
        >>> print(revolute.robots.dh_arm(6, "right").count(links, counting="source"))
        228 mul + 248 add, 0 div, 10 calls
    """
    whole_number("dh_arm: joints", joints, 1)
    if not isinstance(twist, str) or twist not in ("general", "right"):
        raise InputError(f"a twist must be 'general' or 'right', not {twist!r}")
    rows = []
    for k in range(joints):
        x = [0.1 + 0.9 * math.modf((1 + k * 11 + j) * 0.6180339887498949)[0] for j in range(11)]
        xy, xz, yz = 0.2 * x[1], -0.2 * x[2], 0.2 * x[4]
        moments = ((2 + x[0], xy, xz), (xy, 2 + x[3], yz), (xz, yz, 2 + x[5]))
        inertia = Inertia.from_com(5 * x[6], (0.3 * x[7], -0.3 * x[8], 0.3 * x[9]), moments)
        offset = 2.0 ** -(1 + k * 5 % 12)  # powers of two, so that d (c c + s s) and d (c s - s c) are exact
        alpha = x[0] if twist == "general" else math.pi / 2
        rows.append(DHRow(0.5 * x[10], alpha, offset, inertia=inertia) if k else DHRow(inertia=inertia))
    return Robot.from_model(arm(f"{twist}_dh_arm{joints}", DHTable("modified", tuple(rows)), warn=False))
