"""Unexplained energy gain, which indicates that a fixed step is too long for the forces."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from revolute.arguments import Array
from revolute.errors import SimulationWarning
from revolute.simulate.record import Diverged
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Torque

PART = 0.25
"""Allowed unexplained energy gain, relative to the exchanged energy; large, because coarse steps may be intended."""

FEWEST = 20
"""Minimum number of instants for a check: N Euler steps from rest have a relative energy error of about 1/N."""


class Gain(NamedTuple):
    """Energy gain [J] that the forces do not explain, in one row of the batch; it is largest in step k."""

    row: tuple[int, ...]
    k: int
    unexplained: float
    start: float
    most: float


def unexplained_gain(work: Array, energy: Array, kinetic: Array) -> Gain | None:
    """The largest gain of (..., T) energies beyond the (..., T - 1) work, if it exceeds `PART` of what is exchanged."""
    gains = np.diff(energy, axis=-1) - work
    total = np.cumsum(gains, axis=-1).max(axis=-1)
    to_and_fro = np.abs(work).sum(axis=-1) + kinetic.max(axis=-1)
    excess = np.where(np.isfinite(total), total - PART * to_and_fro, -np.inf)
    if not excess.size or excess.max() <= 0:
        return None
    row = tuple(map(int, np.unravel_index(int(np.argmax(excess)), excess.shape)))
    own = energy[row]
    return Gain(row, int(np.argmax(gains[row])), float(total[row]), float(own[0]), float(own.max()))


def require_finite_energy(motion: Simulation) -> None:
    """Raise `Diverged` if an energy is not finite, although the state is; `partial` is the motion before."""
    bad = np.argwhere(~np.isfinite(motion.energy))
    if len(bad):
        *row, k = map(int, bad[bad[:, -1].argmin()])
        where = f"simulate: the motion diverges at t={motion.t[k]:g} s, where its energy is not finite"
        error = Diverged(f"{where}; use smaller steps, or check the forces", motion[:k])
        error.t, error.row = float(motion.t[k]), tuple(row)
        raise error


def warn_of_gain(
    motion: Simulation, method: str, difference: Callable[[Array, Array], Array],
    middle: Callable[[Array], Array] | None, advice: Callable[[Gain], str] = lambda gain: "use shorter steps",
) -> None:
    """Issue a `SimulationWarning` if a motion with fixed steps gains energy that the forces do not explain.

    The motion has all instants, and only weight, springs, friction and joint forces. From the displacements of the
    steps, `middle` returns the (..., T - 1, n) joint forces at their midpoints, for Simpson's rule; it is None for
    forces that are constant between instants.
    """
    if len(motion.t) < FEWEST:
        return
    rise = motion.energy.max(axis=-1) - motion.energy[..., 0]
    if not (rise > PART * motion.kinetic_energy.max(axis=-1)).any():  # most motions gain no significant energy
        return
    balance = motion.energy, motion.kinetic_energy
    with np.errstate(all="ignore"):
        power = np.einsum("...n,...n->...", motion.tau, motion.qd)
        if middle and not unexplained_gain(np.diff(motion.t) * (power[..., :-1] + power[..., 1:]) / 2, *balance):
            return  # the trapezoidal rule suffices, so Simpson's rule need not evaluate functions again
        moves = difference(motion.q[..., :-1, :], motion.q[..., 1:, :])
        ends = motion.tau[..., :-1, :], motion.tau[..., 1:, :]
        forces = (ends[0] + 4 * middle(moves) + ends[1]) / 6 if middle else ends[0]
        gain = unexplained_gain(np.einsum("...n,...n->...", moves, forces), *balance)
    if gain is not None:
        row = f" of row {', '.join(map(str, gain.row))} of the batch" if gain.row else ""
        warnings.warn(
            f"simulate: the motion{row} gains {gain.unexplained:.3g} J that no force explains: its energy is "
            f"{gain.start:.3g} J at the start and up to {gain.most:.3g} J. The steps are too long for the forces, most "
            f"of all at t={motion.t[gain.k]:g} s: {advice(gain)}",
            SimulationWarning,
            stacklevel=5,
        )


def forces_between(
    motion: Simulation, torque: Torque, integrate: Callable[[Array, Array], Array], moves: Array
) -> Array:
    """(..., T - 1, n) joint forces at the midpoints of the steps of a motion."""
    q = integrate(motion.q[..., :-1, :], moves / 2)
    qd = (motion.qd[..., :-1, :] + motion.qd[..., 1:, :]) / 2
    times = ((motion.t[:-1] + motion.t[1:]) / 2).tolist()
    return np.stack([torque(k, time, q[..., k, :], qd[..., k, :]) for k, time in enumerate(times)], axis=-2)
