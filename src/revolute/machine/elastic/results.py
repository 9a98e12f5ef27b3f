"""Results of robots with elastic joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["ElasticMotion", "Feedforward"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Feedforward:
    """Forces and motion of the motors for which the links follow a motion.

    Attributes:
        tau: (..., nv) motor forces [N m, N].
        theta, thetad, thetadd: (..., nv) motor positions, behind the gears, and their rates.
        spring: (..., nv) forces of the springs on the links.
    """

    tau: Array
    theta: Array
    thetad: Array
    thetadd: Array
    spring: Array


@dataclass(frozen=True, eq=False)
class ElasticMotion:
    """A motion of links and motors.

    Attributes:
        t: (T,) times [s].
        q, theta: (T, nv) positions of links and motors [rad, m].
        qd, thetad: (T, nv) their velocities.
        tau: (T, nv) motor forces [N m, N].
        energy: (T,) kinetic, potential and spring energy [J].
    """

    t: Array
    q: Array
    theta: Array
    qd: Array
    thetad: Array
    tau: Array
    energy: Array
