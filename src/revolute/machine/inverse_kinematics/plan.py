"""Plans of inverse kinematics: machine code, limits and starts, shared by calls with the same frames and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import random_generator
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.attempts import Attempts, Desk
from revolute.machine.inverse_kinematics.machine import PosedMachine
from revolute.machine.machine import Array
from revolute.model.configurations import angle_places, random_configurations
from revolute.model.model import Model
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.compiler.searches import Pool
    from revolute.machine.functions.inverse_kinematics import Frames, Rows

__all__ = ["Plan", "inside"]

STARTS = 128
"""Minimum number of random positions from which the nearest are used as starts. With more, the search for the nearest
costs more than it saves in steps."""

AT_LIMITS = 3.0
"""Penalty of a start's distance for each joint at a limit, where searches get stuck more often. About the best of
0 ... 10 for the arms UR5, Panda and xArm7."""

SEEDS = 4
"""Number of pools cached."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Searches with all data that is constant between calls.

    Attributes:
        frames, rows: link frames, and the rows of their errors that count.
        attempts: searches for poses of these.
        restarts: maximum number of random starts after the first.
        error: the compiled function of the remaining error.
        inside: (nq,) positions within all limits.
        pools: by seed, the latest ones.
        desks: memory for single poses, which is not in use, by seed and by whether the caller gives a start.
    """

    frames: Frames
    rows: Rows
    attempts: Attempts
    restarts: int
    error: Any
    inside: Array
    pools: dict[Any, Pool]
    desks: dict[Any, list[Desk]]

    def pool(self, machine: PosedMachine, rng: Any, attempts: int) -> Pool | None:
        """Random starts, and where they lead to, if there are attempts from them; those of a seed are kept."""
        if not attempts:
            random_generator(CALLER, rng)  # raises if it is not one
            return None
        kept = self.pools.get(rng) if type(rng) is int else None
        if kept is None:
            kept = self._drawn(machine, random_generator(CALLER, rng))
            if type(rng) is int:
                if len(self.pools) >= SEEDS:
                    self.pools.clear()
                    self.desks.clear()
                self.pools[rng] = kept
        return kept

    def _drawn(self, machine: PosedMachine, rng: np.random.Generator) -> Pool:
        from revolute.compiler.searches import Pool

        lower, upper = self.attempts.limits
        space, count = machine._space, max(STARTS, self.restarts + 1)
        starts = random_configurations(CALLER, space, lower, upper, count, rng, self.attempts.coupled)
        anywhere = random_configurations(CALLER, space, *_without_limits_of_angles(space, lower, upper), count, rng)
        poses = [np.asarray(machine.forward_kinematics(starts, frame)).reshape(-1, 16) for frame in self.frames]
        places = np.column_stack([*poses, 1 + AT_LIMITS * _nearness(starts, lower, upper)])
        return Pool(starts, places, anywhere)

    def within(self, q: Array, converged: Array) -> Array:
        """(N, nq) ends of searches. Those that do not reach their poses are moved into limits of several positions."""
        if self.attempts.coupled is None or converged.all():
            return q
        return np.where(converged[:, None], q, self.attempts.coupled.pulled(q, self.inside))

    def desk(self, machine: PosedMachine, rng: int, own: bool) -> Desk:
        """Memory for one pose, to be given back by `free`."""
        try:
            return self.desks.setdefault((rng, own), []).pop()
        except IndexError:
            count = self.restarts + (not own)
            return Desk(self.attempts, self.pool(machine, rng, count), count, own)

    def free(self, desk: Desk, rng: int, own: bool) -> None:
        """Return the memory for later calls."""
        self.desks.setdefault((rng, own), []).append(desk)


def inside(machine: PosedMachine, attempts: Attempts) -> Array:
    """(nq,) the mean of random positions: inside all limits of several positions, which are a convex set."""
    rng = np.random.default_rng(0)
    q = random_configurations(CALLER, machine._space, *attempts.limits, STARTS, rng, attempts.coupled)
    return np.asarray(q.mean(axis=0))


def _nearness(q: Array, lower: Array, upper: Array) -> Array:
    """(N,) how near positions are to their limits: for each joint that has both, 0 in the middle and 1 at a limit."""
    limited = np.isfinite(lower) & np.isfinite(upper) & (lower < upper)
    low, high = lower[limited], upper[limited]
    squares: Array = ((2 * q[:, limited] - low - high) / (high - low)) ** 2
    return np.asarray(squares.sum(axis=1))


def _without_limits_of_angles(space: Model, lower: Array, upper: Array) -> tuple[Array, Array]:
    free = np.zeros(space.nq, bool)
    free[angle_places(space)] = True
    return np.where(free, -np.inf, lower), np.where(free, np.inf, upper)
