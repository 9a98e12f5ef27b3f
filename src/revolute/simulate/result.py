"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Simulation"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion: T instants for every state of a batch.

    Attributes:
        t: (T,) times [s].
        q: (..., T, nq) joint positions [rad, m].
        qd, qdd: (..., T, nv) joint velocities and accelerations.
        tau: (..., T, nv) joint forces that were applied [N m, N], damping not included.
        kinetic_energy, potential_energy: (..., T) [J].
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    kinetic_energy: Array
    potential_energy: Array

    @classmethod
    def of(cls, t: Array, q: Array, qd: Array, qdd: Array, tau: Array, kinetic: Array, potential: Array) -> Simulation:
        """From arrays whose first axis is time."""
        rows = (np.moveaxis(x, 0, -2) for x in (q, qd, qdd, tau))
        return cls(t, *rows, *(np.moveaxis(np.asarray(x), 0, -1) for x in (kinetic, potential)))

    @property
    def energy(self) -> Array:
        """(..., T) total energy [J]."""
        total: Array = self.kinetic_energy + self.potential_energy
        return total
