"""Searches of one machine for poses, and their plans, which calls with the same frames and options share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from revolute.arguments import random_generator
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.search import HASTY, PATIENT, PosedMachine, begin, searches_of
from revolute.machine.machine import Array, Threads
from revolute.model.configurations import angle_places, random_configurations
from revolute.model.coupled_limits import CoupledLimits
from revolute.model.model import Model
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.compiler.searches import Pool, RowSearch
    from revolute.machine.functions.inverse_kinematics import Frames, Rows

STARTS = 128
"""Minimum number of random positions, the nearest of which are starts of searches. With more positions, finding the
nearest ones costs more time than fewer steps save."""

AT_LIMITS = 3.0
"""Penalty added to a start's distance for each joint at a limit, as searches at limits fail more often. It is about the
best of 0 ... 10 for the arms UR5, Panda and xArm7."""

SEEDS = 4
"""Maximum number of cached pools of random starts, one per seed."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Searches for poses of `frames`, by some `rows` of their errors, with all data that is constant between calls.

    `error` is the compiled function of the remaining error, `inside` positions within all limits. `pools` are by seed;
    `desks`, memory for single poses that is not in use, also by whether the caller gives a start.
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
        """Random starts and their poses, if searches use random starts; those of a seed are cached."""
        if not attempts:
            random_generator(CALLER, rng)  # raises an error if `rng` is not a generator
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
        return Pool(starts, np.column_stack([*poses, 1 + AT_LIMITS * _nearness(starts, lower, upper)]), anywhere)

    def within(self, q: Array, converged: Array) -> Array:
        """(N, nq) ends of searches. Ends that miss their poses are moved into limits of several positions."""
        if self.attempts.coupled is None or converged.all():
            return q
        return np.where(converged[:, None], q, self.attempts.coupled.pulled(q, self.inside))

    def desk(self, machine: PosedMachine, rng: int, own: bool) -> Desk:
        """Memory for one pose, to be returned by `free`."""
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


FEW = 4
"""Maximum number of attempts per pose for which random starts have PATIENT steps instead of HASTY ones."""

TURNS = 16, 2
"""Number n such that one in n late attempts always remains within the limits; the others may leave the limits on the
way, which finds more solutions if there are few (first number). With redundant joints, or joints that follow several
positions, such attempts may not return within the limits (second number)."""


class Found(NamedTuple):
    """For each pose: positions, squared error, whether it is reached, total steps, and earlier starts."""

    q: Array
    squared: Array
    converged: Array
    iterations: Array
    restarts: Array


class Attempts:
    """Searches of one machine for poses of some frames, with rows of their errors, limits and a tolerance [rad, m]."""

    def __init__(
        self, machine: PosedMachine, frames: Frames, rows: Rows, limits: tuple[Array, Array],
        coupled: CoupledLimits | None, tolerance: float, threads: Threads,
    ) -> None:
        self.limits, self.coupled, self.frames = limits, coupled, len(frames)
        self._threads, self._tolerance = threads, np.array(tolerance)
        self.searches = searches_of(machine, frames, rows, coupled)
        self._turns = TURNS[coupled is not None or machine._space.nv > sum(map(len, rows))]

    def find(self, poses: Array, first: Array | None, pool: Pool | None, attempts: int) -> Found:
        """The positions of the first attempt that reaches the pose (frames, 4, 4); otherwise of the nearest end.

        `first` (N, nq) is a start for each of N poses before those of the pool, of which `attempts` are tried. Results
        do not depend on other poses.
        """
        poses, first = np.ascontiguousarray(poses), None if first is None else np.ascontiguousarray(first)
        q = np.empty((len(poses), len(self.limits[0])))
        search = self.search(poses, first, pool, attempts, q)
        search.run(self._threads)
        ends = search.ends
        return Found(q, ends[:, 0], ends[:, 2] > 0, ends[:, 1].astype(int), ends[:, 3].astype(int))

    def search(self, poses: Array, first: Array | None, pool: Pool | None, attempts: int, q: Array) -> RowSearch:
        """A search of the machine code: see `find`; q gets the results."""
        total = attempts + (first is not None)
        fixed = BEGINS[total > FEW], self.limits, self._tolerance, self._turns
        return self.searches.prepared(poses, first, pool, total, *fixed, q)


class Desk:
    """Memory for searches for one pose, one after the other; `own`: the caller gives a start."""

    def __init__(self, attempts: Attempts, pool: Pool | None, count: int, own: bool) -> None:
        nq, frames = len(attempts.limits[0]), attempts.frames
        self._poses, self._first = np.empty((1, frames, 4, 4)), np.empty((1, nq)) if own else None
        self._q = np.empty((1, nq))
        self._search = attempts.search(self._poses, self._first, pool, count, self._q)

    def find(self, poses: Array, first: Array | None) -> tuple[Array, list[float]]:
        """Positions (nq,), and the squared error, steps, whether they are found, starts before, and a 1."""
        self._poses[0] = poses
        if self._first is not None:
            self._first[0] = first
        end = self._search.one()
        return self._q[0].copy(), end


BEGINS: Any = [
    np.array([begin(PATIENT), begin(early), begin(PATIENT), begin(HASTY, loose=True)]) for early in (PATIENT, HASTY)
]
"""Initial states of attempts from starts of the caller, from other starts, of late and of loose attempts: if there are
few attempts; and if there are many."""
