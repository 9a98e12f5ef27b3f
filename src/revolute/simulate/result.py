"""The result of a simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Simulation"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A motion: T instants for every state of a batch.

    Attributes:
        t: (T,) times [s].
        q: (..., T, nq) joint positions [rad, m].
        qd, qdd: (..., T, nv) joint velocities and accelerations.
        tau: (..., T, nv) joint forces that were applied [N m, N], damping not included.
        kinetic_energy, potential_energy: (..., T) [J].
        controller: {name: (..., T, ...)} states of a controller that has some, such as parameters that it learns.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    kinetic_energy: Array
    potential_energy: Array
    controller: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, t: Array, q: Array, qd: Array, qdd: Array, tau: Array, kinetic: Array, potential: Array) -> Simulation:
        """From arrays whose first axis is time."""
        q, qd, qdd, tau = (np.moveaxis(x, 0, -2) for x in (q, qd, qdd, tau))
        kinetic, potential = (np.moveaxis(np.asarray(x), 0, -1) for x in (kinetic, potential))
        return cls(t, q, qd, qdd, tau, kinetic, potential)

    def __repr__(self) -> str:
        """One line: how many motions and instants, and when."""
        *batch, instants, _ = self.q.shape
        motions = f"{math.prod(batch):,} motions, " if batch else ""
        when = f"t from {self.t[0]:g} to {self.t[-1]:g} s" if instants else "no instant"
        return f"<{type(self).__name__}: {motions}{instants:,} instants, {when}, q {self.q.shape}, qd {self.qd.shape}>"

    @property
    def energy(self) -> Array:
        """(..., T) total energy [J]."""
        total: Array = self.kinetic_energy + self.potential_energy
        return total
