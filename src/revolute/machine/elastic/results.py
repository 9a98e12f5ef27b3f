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


@dataclass(frozen=True, eq=False)
class ElasticMotion:
    """Motions of links and motors: T instants for every state of a batch.

    Attributes:
        t: (T,) times [s].
        q: (..., T, nq) positions of links [rad, m].
        theta: (..., T, motors) positions of motors.
        qd, thetad: (..., T, nv), (..., T, motors) their velocities.
        qdd, thetadd: (..., T, nv), (..., T, motors) their accelerations.
        tau: (..., T, motors) motor forces [N m, N].
        kinetic_energy: (..., T) of links and motors [J].
        potential_energy: (..., T) of gravity and springs [J].
    """

    t: Array
    q: Array
    theta: Array
    qd: Array
    thetad: Array
    qdd: Array
    thetadd: Array
    tau: Array
    kinetic_energy: Array
    potential_energy: Array

    @property
    def energy(self) -> Array:
        """(..., T) total energy [J]."""
        total: Array = self.kinetic_energy + self.potential_energy
        return total
