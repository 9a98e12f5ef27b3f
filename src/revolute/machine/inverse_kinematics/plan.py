"""Searches for the positions of one machine at poses, and plans, shared by calls with the same frames and options.

A search for a pose makes attempts from several starts. Its result is that of the first attempt that succeeds, otherwise
that with the smallest error. So it depends neither on other poses nor on the number of attempts made at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from revolute.arguments import random_generator
from revolute.compiler.batch import workers_for
from revolute.compiler.pool import on_threads
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.search import (
    GOING,
    HASTY,
    NUMBER,
    PATIENT,
    RANK,
    STATUS,
    STEPS,
    PosedMachine,
    attempts_of,
    begin,
    nearest_starts,
)
from revolute.machine.machine import Array, Threads
from revolute.model import CoupledLimits, Model
from revolute.model.configurations import angle_places, random_configurations
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.machine.functions.inverse_kinematics import Frames, Rows

STARTS = 128
"""Minimum number of random positions, the nearest of which are starts of searches. With more positions, finding the
nearest ones costs more time than fewer steps save."""

LATE = 4, 16  # number of the first attempt that may be loose, without and with redundancy: see `TURNS`

CHUNKS = 256, 2048
"""Number of poses searched for together: minimum for each of several threads, and maximum, because signals wait for
some steps of all poses."""

NEAREST = 8  # number of starts that are chosen as nearest to the pose
WIDTH = 128  # number of attempts that are made at once for few poses: more cost time in machine code, fewer in NumPy
SINGLY = 40  # number of attempts for a single pose that are made one after the other, before many are made at once

AT_LIMITS = 3.0
"""Penalty added to a start's distance for each joint at a limit, as searches at limits fail more often. It is about the
best of 0 ... 10 for the arms UR5, Panda and xArm7."""

SEEDS = 4  # maximum number of cached pools of random starts, one per seed, and of starts for all solutions


@dataclass(frozen=True, eq=False)
class Plan:
    """Searches that make the given `rows` of the pose errors of `frames` vanish, with the data shared by all calls.

    `error` is the compiled function of the remaining error; `inside` are positions within all limits. The keys of
    `pools` contain seeds; those of `starts`, for searches of all solutions, seeds and the joints that move.
    """

    frames: Frames
    rows: Rows
    attempts: Attempts
    restarts: int
    error: Any
    inside: Array
    pools: dict[Any, Pool | None]
    starts: dict[Any, Array]

    def pool(self, machine: PosedMachine, rng: Any, own: bool) -> Pool | None:
        """Random starts and their poses, cached by seed; None if none are used. `own`: the caller gives one, too."""
        if type(rng) is int and (rng, own) in self.pools:
            return self.pools[rng, own]
        generator, attempts = random_generator(CALLER, rng), self.restarts + (not own)
        drawn = self._drawn(machine, generator, attempts) if attempts else None
        if type(rng) is int:
            if len(self.pools) >= SEEDS:
                self.pools.clear()
            self.pools[rng, own] = drawn
        return drawn

    def _drawn(self, machine: PosedMachine, rng: np.random.Generator, attempts: int) -> Pool:
        lower, upper = self.attempts.limits
        space, count = machine._space, max(STARTS, self.restarts + 1)
        starts = random_configurations(CALLER, space, lower, upper, count, rng, self.attempts.coupled)
        anywhere = random_configurations(CALLER, space, *_without_limits_of_angles(space, lower, upper), count, rng)
        poses = [np.asarray(machine.forward_kinematics(starts, frame))[:, :3].reshape(-1, 12) for frame in self.frames]
        places = np.column_stack([*poses, 1 + AT_LIMITS * _nearness(starts, lower, upper)])
        late, turns = LATE[self.attempts.redundant], TURNS[self.attempts.redundant]
        loose = [k >= late and k % turns > 0 for k in range(attempts)]
        patient = [not x and (self.restarts < FEW or k >= late) for k, x in enumerate(loose)]
        begins = [begin((HASTY, PATIENT)[x], y) for x, y in zip(patient, loose, strict=True)]
        states = np.column_stack([np.where(np.array(loose)[:, None], anywhere[:attempts], starts[:attempts]), begins])
        return Pool(starts, _single(places[:STARTS]), nearest_starts(self.rows, NEAREST, STARTS), states)

    def within(self, q: Array, converged: Array) -> Array:
        """(N, nq) final positions of searches; those that miss their poses are moved within the coupled limits."""
        if self.attempts.coupled is None or converged.all():
            return q
        return np.where(converged[:, None], q, self.attempts.coupled.pulled(q, self.inside))


def inside(machine: PosedMachine, attempts: Attempts) -> Array:
    """(nq,) the mean of random positions: it is within all coupled limits, because their set is convex."""
    rng = np.random.default_rng(0)
    q = random_configurations(CALLER, machine._space, *attempts.limits, STARTS, rng, attempts.coupled)
    return np.asarray(q.mean(axis=0))


def _nearness(q: Array, lower: Array, upper: Array) -> Array:
    """(N,) nearness to limits: a sum over joints with two limits, each 0 in the middle of its range, 1 at a limit."""
    limited = np.isfinite(lower) & np.isfinite(upper) & (lower < upper)
    low, high = lower[limited], upper[limited]
    squares: Array = ((2 * q[:, limited] - low - high) / (high - low)) ** 2
    return np.asarray(squares.sum(axis=1))


def _without_limits_of_angles(space: Model, lower: Array, upper: Array) -> tuple[Array, Array]:
    free = np.zeros(space.nq, bool)
    free[angle_places(space)] = True
    return np.where(free, -np.inf, lower), np.where(free, np.inf, upper)


FEW = 4  # maximum number of attempts per pose for which random starts have PATIENT steps instead of HASTY ones

TURNS = 16, 2
"""Number n such that one in n late attempts always remains within the limits; the others may leave the limits on the
way, which finds more solutions if there are few (first number). With redundant joints, or joints that follow several
positions, such attempts may not return within the limits (second number)."""


class Pool(NamedTuple):
    """Starts shared by all poses."""

    starts: Array  # (N, nq) random positions within limits
    places: Array  # (STARTS, n) poses of the first starts, in the form for `nearest`
    nearest: Any  # kernel (places, poses) -> (..., NEAREST) indices of starts
    # (N, ...) the first states of all attempts, of which the first NEAREST ones begin at the nearest starts
    states: Array


class Found(NamedTuple):
    """For each pose: final positions, whether it is reached, number of all steps, and number of earlier starts."""

    q: Array
    converged: Array
    iterations: Array
    restarts: Array


class Attempts:
    """Searches for positions of one machine at poses of some frames, for given rows, limits and tolerance [rad, m]."""

    def __init__(
        self, machine: PosedMachine, frames: Frames, rows: Rows, limits: tuple[Array, Array],
        coupled: CoupledLimits | None, tolerance: float, threads: Threads,
    ) -> None:
        self.limits, self.coupled, self.frames = limits, coupled, len(frames)
        self._threads, self.tolerance = threads, np.array(tolerance)
        self.kernel = attempts_of(machine, frames, rows, coupled)
        self.redundant = coupled is not None or machine._space.nv > sum(map(len, rows))
        self._own = np.array([*[0.0] * machine._space.nq, *begin(PATIENT)])

    def find(self, poses: Array, first: Array | None, pool: Pool | None) -> Found:
        """For each pose (frames, 4, 4), the positions of the first attempt that reaches it; otherwise the nearest ones.

        `first` (N, nq) contains a start for each of N poses, which comes before those of the pool. A result does not
        depend on other poses.
        """
        count, nq = len(poses), len(self.limits[0])
        found = self._own[None].repeat(count, axis=0)
        found[:, RANK] = np.inf
        workers = workers_for(self._threads, float(count) * self.kernel.operations)
        pieces = workers * max(-(-count // (workers * CHUNKS[1])), 1)
        size = max(-(-count // pieces), CHUNKS[0])
        parts = [slice(k, k + size) for k in range(0, count, size)]
        on_threads(partial(self._search, found, poses, first, pool), parts, workers)
        return Found(found[:, :nq].copy(), found[:, RANK] < 0, *(found[:, k].astype(int) for k in (STEPS, NUMBER)))

    def find_one(self, pose: Array, first: Array | None, pool: Pool | None) -> Found:
        """`find` for one pose. Usually one of the first attempts, made by calls with little overhead, reaches it."""
        best, steps, k = self._own, 0.0, 0
        for k, state in enumerate(self._first_states(pose, first, pool)):
            while state[STATUS] == GOING:
                state = self.kernel(*self.limits, self.tolerance, pose, state)
            steps += state[STEPS]
            if k == 0 or state[RANK] < best[RANK]:
                best = state
            if best[RANK] < 0:
                break
        if best[RANK] >= 0 and pool is not None and len(pool.states) > SINGLY:
            return Found(*(x[0] for x in self.find(pose[None], None if first is None else first[None], pool)))
        return Found(best[: len(self.limits[0])], *map(np.asarray, (best[RANK] < 0, int(steps), k)))

    def _first_states(self, pose: Array, first: Array | None, pool: Pool | None) -> Iterator[Array]:
        """The initial states of the first attempts for a single pose, one after the other."""
        nq = len(self.limits[0])
        if first is not None:
            own = self._own.copy()
            own[:nq] = first
            yield own
        if pool is not None:
            nearest = pool.nearest(pool.places, _single(pose)).astype(int).tolist()
            for k, state in enumerate(pool.states[:SINGLY]):
                if k < NEAREST:
                    state = state.copy()
                    state[:nq] = pool.starts[nearest[k]]
                yield state

    def _search(self, found: Array, poses: Array, first: Array | None, pool: Pool | None, part: slice) -> None:
        """Search for the poses of `part`: from `first`, the nearest starts, then others, many attempts at once."""
        # A row of `found` is the state of the best end, with the steps of all attempts and the number of earlier ones.
        found, poses, own, done = found[part], poses[part], first is not None, 0
        left, nq = np.arange(len(poses)), len(self.limits[0])
        if first is not None:
            states = self._own[None, None].repeat(len(poses), axis=0)
            states[:, 0, :nq] = first[part]
            left = self._round(found, poses, left, 0, states)
        if pool is None or not len(left):
            return
        nearest = np.empty((len(poses), NEAREST), int)
        nearest[left] = pool.nearest.ufunc(pool.places, _single(poses.take(left, axis=0)))
        while done < len(pool.states) and len(left):
            most = len(pool.states[:NEAREST] if done < NEAREST else pool.states)
            now = slice(done, min(done + max(WIDTH // len(left), 1), most))
            states = pool.states[None, now].repeat(len(left), axis=0)
            if done < NEAREST:
                states[..., :nq] = pool.starts.take(nearest[left, now], axis=0)
            left = self._round(found, poses, left, own + done, states)
            done = now.stop

    def _round(self, found: Array, poses: Array, left: Array, before: int, states: Array) -> Array:
        """Make G attempts, from (M, G, ...) states, for each of the M poses not yet reached in `before` attempts."""
        # Returns the poses that are still left.
        count, number, width = states.shape
        targets = poses if (count, number) == (len(poses), 1) else poses.take(left.repeat(number), axis=0)
        ends = self._ends(targets, states.reshape(-1, width))
        # the first that succeeds, otherwise the first with the smallest error
        best, each = ends[:, RANK].reshape(count, number).argmin(axis=1), np.arange(0, len(ends), number)
        new, old = ends.take(each + best, axis=0), found.take(left, axis=0)
        going = new[:, RANK] >= 0
        last = np.where(going, number - 1, best)
        worse = np.flatnonzero(new[:, RANK] >= old[:, RANK])
        new[worse, :STEPS] = old[worse, :STEPS]
        new[:, STEPS] = old[:, STEPS] + ends[:, STEPS].reshape(count, number).cumsum(axis=1).take(each + last)
        new[:, NUMBER] = before + last
        found[left] = new
        remaining: Array = left[going]
        return remaining

    def _ends(self, poses: Array, state: Array) -> Array:
        """The final states of attempts. Those that take longer continue together, so that few SIMD lanes are idle."""
        return ends(partial(self.kernel.ufunc, *self.limits, self.tolerance), (poses,), state)


def ends(advance: Callable[..., Array], rows: tuple[Array, ...], state: Array) -> Array:
    """The final states of attempts. The kernel `advance` makes some steps of each, and then only of unfinished ones."""
    state = advance(*rows, state)
    while len(going := np.flatnonzero(state[:, STATUS] == GOING)):
        state[going] = advance(*(x.take(going, axis=0) for x in rows), state.take(going, axis=0))
    return state


def _single(x: Array) -> Array:
    """The array in float32, which suffices to choose starts; numbers beyond its range become infinite."""
    with np.errstate(over="ignore"):
        return x.astype(np.float32)
