"""The instants of a motion as they are reached."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from revolute.errors import SimulationError
from revolute.model.model import Model
from revolute.simulate.torque import Torque

__all__ = ["Advance", "Record", "march", "position_names"]

Array = NDArray[Any]
Motion = TypeVar("Motion")
Advance = Callable[[int, tuple[float, float], Array, Array, Array], tuple[Array, Array]]
"""(number of the span, its ends, q, qd, joint forces at its start) -> q, qd at its end."""


class Record:
    """States and joint forces, time first in memory.

    Args:
        times: (T,) instants [s].
        names: joints of positions, and of velocities, for messages.
        nv: number of joint forces.
        batch: leading axes of a state.
        forces: the joint forces of an instant.
    """

    def __init__(
        self,
        times: Array,
        names: tuple[Sequence[str], Sequence[str]],
        nv: int,
        batch: tuple[int, ...],
        forces: Torque,
    ) -> None:
        self._times, self._names, self._forces, self._done = times, names, forces, 0
        sizes = (len(names[0]), len(names[1]), nv)
        self._q, self._qd, self._tau = (np.empty((len(times), *batch, size)) for size in sizes)

    def add(self, q: Array, qd: Array) -> Array:
        """One more instant; its joint forces. A state that is not finite stops the simulation."""
        k = self._done
        for array, names in zip((q, qd), self._names, strict=True):
            if math.isfinite(array.sum()):  # one pass; a sum of finite numbers that overflows is looked into
                continue
            wrong = np.argwhere(~np.isfinite(array))
            if len(wrong):
                raise SimulationError(
                    f"simulate: the motion diverges at t={self._times[k]:g} s, first in joint "
                    f"'{names[wrong[:, -1].min()]}'; take smaller steps, or look at the forces"
                )
        tau = self._forces(k, float(self._times[k]), q, qd)
        self._q[k], self._qd[k], self._tau[k] = q, qd, tau
        self._done += 1
        return tau

    def reached(self) -> tuple[Array, Array, Array, Array]:
        """t, q, qd and tau of what has been recorded."""
        n = self._done
        return self._times[:n], self._q[:n], self._qd[:n], self._tau[:n]


def march(times: Array, q: Array, qd: Array, record: Record, advance: Advance, motion: Callable[[], Motion]) -> Motion:
    """The motion from every instant to the next; `motion` makes it of what is recorded, also where it breaks off.

    Forces are those of the span that is advanced over, also where a solver asks for them at its
    end: those of the next span would be a jump there, which solvers resolve by tiny steps.
    """
    try:
        with np.errstate(all="ignore"):  # a motion that diverges is reported as such
            tau = record.add(q, qd)
            for k, span in enumerate(itertools.pairwise(times.tolist())):
                q, qd = advance(k, span, q, qd, tau)
                tau = record.add(q, qd)
    except SimulationError as error:
        raise SimulationError(str(error), motion()) from error.__cause__
    return motion()


def position_names(robot: Model) -> list[str]:
    """The joint of every entry of q."""
    return [body.joint_name for body in robot.bodies for _ in range(body.joint.nq)]
