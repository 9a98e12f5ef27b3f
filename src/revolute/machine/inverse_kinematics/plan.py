"""Searches of one machine for poses, and their plans, which calls with the same frames and options share.

A search for a pose makes attempts from several starts. They count in order: the first that succeeds, otherwise the one
with the smallest error. So poses are independent, however many attempts are made at once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from revolute.arguments import random_generator
from revolute.compiler.batch import workers_for
from revolute.compiler.pool import on_threads
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.search import (
    CONVERGED,
    GOING,
    HASTY,
    LEAST_SQUARED,
    MOST,
    NEAREST,
    NUMBER,
    PATIENT,
    STATUS,
    TOTAL,
    PosedMachine,
    attempts_of,
    begin_search,
    nearest_starts,
)
from revolute.machine.machine import Array, Threads
from revolute.model.configurations import angle_places, random_configurations
from revolute.model.coupled_limits import CoupledLimits
from revolute.model.model import Model
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.machine.functions.inverse_kinematics import Frames, Rows

STARTS = 64
"""Minimum number of random positions, the nearest of which are starts of searches. With more positions, finding the
nearest ones costs more time than fewer steps save."""

LATE = 16
"""Number of the first attempt that may be loose: see `TURNS`."""

CHUNKS = 256, 1024
"""Number of poses that are searched for together: the least for each of several threads, and the most, as signals wait
for some steps of all of them."""

WIDTH = 128
"""Number of attempts that are made at once for the poses that are left after the nearest starts."""

STEPS = 10
"""Approximate number of steps per attempt."""

AT_LIMITS = 3.0
"""Penalty added to a start's distance for each joint at a limit, as searches at limits fail more often. It is about the
best of 0 ... 10 for the arms UR5, Panda and xArm7."""

SEEDS = 4
"""Maximum number of cached pools of random starts, one per seed."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Searches for poses of `frames`, by some `rows` of their errors, with all data that is constant between calls.

    `error` is the compiled function of the remaining error, `inside` positions within all limits. `pools` are by seed.
    """

    frames: Frames
    rows: Rows
    attempts: Attempts
    restarts: int
    error: Any
    inside: Array
    pools: dict[Any, Pool]

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
                self.pools[rng] = kept
        return kept

    def _drawn(self, machine: PosedMachine, rng: np.random.Generator) -> Pool:
        lower, upper = self.attempts.limits
        space, count = machine._space, max(STARTS, self.restarts + 1)
        starts = random_configurations(CALLER, space, lower, upper, count, rng, self.attempts.coupled)
        anywhere = random_configurations(CALLER, space, *_without_limits_of_angles(space, lower, upper), count, rng)
        poses = [np.asarray(machine.forward_kinematics(starts, frame))[:, :3].reshape(-1, 12) for frame in self.frames]
        places = np.column_stack([*poses, 1 + AT_LIMITS * _nearness(starts, lower, upper)])
        numbers = np.arange(count)
        loose = (numbers >= LATE) & (numbers % self.attempts.turns > 0)
        further = np.where(loose[:, None], anywhere, starts)[:, None].repeat(NEAREST, axis=1)
        patience = np.where(loose | (numbers < LATE), HASTY, PATIENT)
        states = np.array([begin_search(1, x, x, y) for x, y in zip(patience, loose, strict=True)])
        nearest = nearest_starts(self.rows, NEAREST, STARTS)
        return Pool(starts, _single(places[:STARTS]), nearest, further, states)

    def within(self, q: Array, converged: Array) -> Array:
        """(N, nq) ends of searches. Ends that miss their poses are moved into limits of several positions."""
        if self.attempts.coupled is None or converged.all():
            return q
        return np.where(converged[:, None], q, self.attempts.coupled.pulled(q, self.inside))


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


class Pool(NamedTuple):
    """Starts shared by all poses.

    Attributes:
        starts: (N, nq) random positions within limits.
        places: (STARTS, n) poses of the first starts, in the form for `nearest`.
        nearest: kernel (places, poses) -> (..., NEAREST) indices of starts.
        further: (N, NEAREST, nq) the start of attempt k, repeated, for the attempts after those from nearest starts.
        states: (N, ...) the initial states of these.
    """

    starts: Array
    places: Array
    nearest: Any
    further: Array
    states: Array


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
        self._attempts = attempts_of(machine, frames, rows, coupled)
        self.turns = TURNS[coupled is not None or machine._space.nv > sum(map(len, rows))]

    def find(self, poses: Array, first: Array | None, pool: Pool | None, attempts: int) -> Found:
        """The positions of the first attempt that reaches the pose (frames, 4, 4); otherwise of the nearest end.

        `first` (N, nq) is a start for each of N poses before those of the pool, of which `attempts` are tried. Results
        do not depend on other poses.
        """
        count, nq = len(poses), len(self.limits[0])
        numbers = np.full(count, np.inf), np.zeros(count, bool), np.zeros(count, int), np.zeros(count, int)
        found = Found(np.empty((count, nq)), *numbers)
        workers = workers_for(self._threads, count * STEPS * self._attempts.operations / MOST)
        size = min(max(-(-count // workers), CHUNKS[0]), CHUNKS[1])
        parts = [slice(k, k + size) for k in range(0, count, size)]
        on_threads(partial(self._search, found, poses, first, pool, attempts), parts, workers)
        return found

    def find_one(self, pose: Array, first: Array | None, pool: Pool | None, attempts: int) -> Found:
        """The same for one pose. Usually the first search finds it, by calls without overhead."""
        if first is not None:
            starts, state = np.broadcast_to(first, (NEAREST, len(first))).copy(), OWN[0]
        else:
            assert pool is not None
            nearest = pool.nearest(pool.places, _single(pose)).astype(int)
            starts, state = pool.starts[nearest], self._first_state(attempts, attempts)[0]
        q = best = starts[0].copy()
        state = state.copy()
        while state[STATUS] == GOING:
            q, best, state = self._attempts(*self.limits, self._tolerance, pose, starts, q, best, state)
        if state[STATUS] == CONVERGED:
            return Found(best, *map(np.asarray, (state[LEAST_SQUARED], True, int(state[TOTAL]), int(state[NUMBER]))))
        found = self.find(pose[None], None if first is None else first[None], pool, attempts)
        return Found(*(x[0] for x in found))

    @staticmethod
    def _first_state(attempts: int, total: int) -> Array:
        """The state of a search from the nearest starts, if that many attempts follow and `total` are made in all."""
        patience = PATIENT if total <= FEW else HASTY
        return np.array([begin_search(min(NEAREST, attempts), patience, patience)])

    def _search(
        self, found: Found, poses: Array, first: Array | None, pool: Pool | None, attempts: int, part: slice
    ) -> None:
        """Search for some of the poses: from `first`, from the nearest starts, then from others, many at once."""
        found, poses, before = Found(*(x[part] for x in found)), poses[part], 0
        left = np.arange(len(poses))
        if first is not None:
            starts = np.broadcast_to(first[part, None], (len(poses), NEAREST, first.shape[1]))
            left, before = self._round(found, poses, left, 0, starts[:, None], OWN), 1
        if pool is None or not len(left):
            return
        nearest = pool.nearest.ufunc(pool.places, _single(poses[left])).astype(int)
        tried, states = min(NEAREST, attempts), self._first_state(attempts, before + attempts)
        left = self._round(found, poses, left, before, pool.starts[nearest][:, None], states)
        while tried < attempts and len(left):
            now = slice(tried, min(tried + max(WIDTH // len(left), 1), attempts))
            starts = np.broadcast_to(pool.further[now], (len(left), *pool.further[now].shape))
            left = self._round(found, poses, left, before + tried, starts, pool.states[now])
            tried = now.stop

    def _round(self, found: Found, poses: Array, left: Array, before: int, starts: Array, states: Array) -> Array:
        """Make G searches, from (M, G, NEAREST, nq) starts, for the M poses that are left, after so many attempts.

        Returns the poses that are still left.
        """
        count, number, _, nq = starts.shape
        targets = poses if (count, number) == (len(poses), 1) else np.repeat(poses[left], number, axis=0)
        q, search = self._ends(targets, starts.reshape(-1, NEAREST, nq), np.tile(states, (count, 1)))
        q, search = q.reshape(count, number, nq), search.reshape(count, number, -1)
        reached, squared = search[..., STATUS] == CONVERGED, search[..., LEAST_SQUARED]
        # the first that succeeds, otherwise the first with the smallest error
        best = np.where(reached, -1.0, squared).argmin(axis=1)
        rows = np.arange(count)
        converged = reached[rows, best]
        last = np.where(converged, best, number - 1)
        found.iterations[left] += np.cumsum(search[..., TOTAL], axis=1)[rows, last].astype(int)
        found.restarts[left] = before + last + search[rows, last, NUMBER].astype(int)
        found.converged[left] = converged
        better = converged | (squared[rows, best] < found.squared[left])
        found.q[left[better]] = q[rows, best][better]
        found.squared[left[better]] = squared[rows, best][better]
        remaining: Array = left[~converged]
        return remaining

    def _ends(self, poses: Array, starts: Array, search: Array) -> tuple[Array, Array]:
        """The best positions and the ends of searches. Those that take longer go on together: lanes wait for few."""
        advance = partial(self._attempts.ufunc, *self.limits, self._tolerance)
        q, best, search = advance(poses, starts, starts[:, 0], starts[:, 0], search)
        on = search[:, STATUS] == GOING
        going, part = np.flatnonzero(on), (q[on], best[on], search[on])
        while len(going):
            poses, starts = poses[on], starts[on]
            part = advance(poses, starts, *part)
            best[going], search[going] = part[1:]
            on = part[2][:, STATUS] == GOING
            going, part = going[on], (part[0][on], part[1][on], part[2][on])
        return best, search


def _single(x: Array) -> Array:
    """In float32, which is enough to choose starts: numbers beyond its range become infinite."""
    with np.errstate(over="ignore"):
        return x.astype(np.float32)


OWN = np.array([begin_search(1, PATIENT, PATIENT)])
"""Initial state of a search from a start of the caller."""
