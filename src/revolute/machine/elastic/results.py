"""Results of robots with elastic joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["Feedforward"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Feedforward:
    """Forces and motion of the motors for which the links follow a motion.

    Attributes:
        tau: (..., motors) motor forces [N m, N].
        theta, thetad, thetadd: (..., motors) motor positions, behind the gears, and their rates.
        spring: (..., motors) forces of the springs on the links.
        undriven: (..., nv - motors) forces that the motion needs at joints of several coordinates, which have no
            motor: a free base. Nothing gives them: they are zero for a motion that is possible.
    """

    tau: Array
    theta: Array
    thetad: Array
    thetadd: Array
    spring: Array
    undriven: Array
