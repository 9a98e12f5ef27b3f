"""Recording of a motion, instant by instant."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from revolute.errors import SimulationError
from revolute.model.model import Model
from revolute.simulate.torque import Torque, all_finite

__all__ = ["Advance", "Record", "march", "position_names", "require_finite"]

Array = NDArray[Any]
Motion = TypeVar("Motion")
Advance = Callable[[int, tuple[float, float], Array, Array, Array], tuple[Array, Array]]
"""(number of the span, its ends, q, qd, joint forces at its start) -> q, qd at its end."""


class Record:
    """States and joint forces of a motion; the first axis in memory is time.

    Args:
        times: (T,) instants [s].
        names: joint of each entry of q, and of qd, for messages.
        nv: number of joint forces.
        batch: leading axes of a state.
        forces: gives the joint forces of an instant.
        entry: word for what is named.
    """

    def __init__(
        self,
        times: Array,
        names: tuple[Sequence[str], Sequence[str]],
        nv: int,
        batch: tuple[int, ...],
        forces: Torque,
        entry: str = "joint",
    ) -> None:
        self._entry = entry
        self._times, self._names, self._forces, self._count = times, names, forces, 0
        self._times_list: list[float] = times.tolist()
        sizes = (len(names[0]), len(names[1]), nv)
        self._q, self._qd, self._tau = (np.empty((len(times), *batch, size)) for size in sizes)

    def add(self, q: Array, qd: Array) -> Array:
        """Record one more instant; returns its joint forces.

        Raises:
            SimulationError: the state is not finite.
        """
        k, time = self._count, self._times_list[self._count]
        if not all_finite(q, qd):
            require_finite(time, (q, qd), self._names, self._entry)
        tau = self._forces(k, time, q, qd)
        self._q[k], self._qd[k], self._tau[k] = q, qd, tau
        self._count += 1
        return tau

    def reached(self) -> tuple[Array, Array, Array, Array]:
        """t, q, qd and tau of the instants recorded so far."""
        n = self._count
        return self._times[:n], self._q[:n], self._qd[:n], self._tau[:n]


def require_finite(
    time: float, state: tuple[Array, Array], names: tuple[Sequence[str], Sequence[str]], entry: str = "joint"
) -> None:
    """`SimulationError` if a state is not finite."""
    for array, own_names in zip(state, names, strict=True):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            raise SimulationError(
                f"simulate: the motion diverges at t={time:g} s, first in {entry} "
                f"'{own_names[bad[:, -1].min()]}'; take smaller steps, or look at the forces"
            )


def march(times: Array, q: Array, qd: Array, record: Record, advance: Advance, motion: Callable[[], Motion]) -> Motion:
    """Advance from every instant to the next; `motion` makes the result of what is recorded, also if it breaks off.

    At the end of a span, forces are still those of this span. Those of the next one may jump there,
    and adaptive solvers would resolve the jump by tiny steps.
    """
    try:
        with np.errstate(all="ignore"):  # `add` reports a motion that diverges
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
