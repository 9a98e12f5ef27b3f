"""Linear and gas springs between two links: counterbalances of heavy arms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from revolute.arguments import number, scalars
from revolute.errors import InputError
from revolute.identification.forces.terms import Term
from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["counterbalance"]

Anchor = tuple[str, tuple[float, float, float]]
"""A link, and a point in its frame [m]."""

SHORTEST = 1e-9
"""Minimum length of a spring with a defined direction [m]."""


@dataclass(frozen=True, eq=False)
class Pull:
    """Forces of the coordinates that balance a spring with the pull f(l): f(l) dl/dq. NaN where no gas is left.

    With `slope` f is l - length, otherwise (1 - compression (l - length))^-exponent: 1 without compression.
    """

    robot: Robot | DrivenRobot
    fixed: Anchor
    moving: Anchor
    length: float
    slope: bool = False
    compression: float = 0.0
    exponent: float = 1.0

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        length, gradient = lengths(self.robot, self.fixed, self.moving, q)
        stretch = length - self.length
        if self.slope:
            pull = stretch
        else:
            volume = 1 - self.compression * stretch
            pull = np.where(volume > 0, volume, np.nan) ** -self.exponent
        return np.asarray(pull[:, None] * gradient)


def counterbalance(
    robot: Robot | DrivenRobot, name: str, fixed: Anchor, moving: Anchor, *, length: float,
    compression: float | None = None, exponent: float = 1.0,
) -> list[Term]:
    """The terms of a spring between points of two links. Weigand et al. 2021; Khalil & Dombre 9.

    A linear spring pulls its ends together with

        f = force + stiffness (l - length)

    and has the parameters "name.force" and "name.stiffness". Both may be negative: it pushes. A gas spring, such as a
    hydropneumatic cylinder, has the polytropic law

        f = force (1 - compression (l - length))^-exponent

    and "name.force". Compression is the piston area divided by the gas volume at `length`: positive if a longer spring
    compresses the gas.

    Args:
        robot: with both links; its coordinates are those of the samples.
        name: of the counterbalance.
        fixed: link and point (x, y, z) in its frame [m].
        moving: the other end.
        length: length at which the force equals the parameter [m].
        compression: of a gas [1/m]; None for a linear spring.
        exponent: of the gas: 1 at constant temperature, up to 1.4 for fast motions.

    Raises:
        UnknownNameError: a link does not exist.
        InputError: a number is invalid.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import counterbalance
        >>> arm = revolute.robots.planar(1)
        >>> force, stiffness = counterbalance(
        ...     arm, "spring", ("base", (0, 1, 0)), ("link1", (1, 0, 0)), length=1.0
        ... )
        >>> at_rest = np.zeros((1, 1))
        >>> # the lever arm; it becomes shorter
        >>> force.name, force.factor(at_rest, at_rest, at_rest).round(3)
        ('spring.force', array([[-0.707]]))
    """
    for end in (fixed, moving):
        robot.forward_kinematics(np.zeros(robot.nq), end[0])  # names the link if there is none
        scalars(f"counterbalance '{name}': a point", end[1], 3)
    if not number(f"counterbalance '{name}': length", length) > 0:
        raise InputError(f"counterbalance '{name}': length must be positive, not {length}")
    if not number(f"counterbalance '{name}': exponent", exponent) > 0:
        raise InputError(f"counterbalance '{name}': exponent must be positive, not {exponent}")
    if compression is None:
        slope = Pull(robot, fixed, moving, length, slope=True)
        return [Term(f"{name}.force", Pull(robot, fixed, moving, length)), Term(f"{name}.stiffness", slope)]
    c = number(f"counterbalance '{name}': compression", compression)
    return [Term(f"{name}.force", Pull(robot, fixed, moving, length, False, c, exponent))]


def lengths(robot: Robot | DrivenRobot, fixed: Anchor, moving: Anchor, q: Array) -> tuple[Array, Array]:
    """(T,) distances of two points of links [m], NaN where they coincide, and (T, nv) derivatives by coordinates."""
    ends = [robot.forward_kinematics(q, link, point=np.array(p, dtype=float))[:, :3, 3] for link, p in (fixed, moving)]
    rates = [robot.jacobian(q, link, "aligned", point=np.array(p, dtype=float))[:, 3:] for link, p in (fixed, moving)]
    along = ends[1] - ends[0]
    length = np.linalg.norm(along, axis=1)
    length[length < SHORTEST] = np.nan
    return length, np.einsum("ti,tij->tj", along / length[:, None], rates[1] - rates[0])
