"""Searches of one machine for poses of some frames, with limits and starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from revolute.machine.inverse_kinematics.machine import PosedMachine
from revolute.machine.inverse_kinematics.search import HASTY, PATIENT, begin, searches_of
from revolute.machine.machine import Array, Threads
from revolute.model.coupled_limits import CoupledLimits

if TYPE_CHECKING:
    from revolute.compiler.searches import Pool, RowSearch
    from revolute.machine.functions.inverse_kinematics import Frames, Rows

__all__ = ["Attempts", "Desk", "Found"]

FEW = 4
"""Number of attempts up to which each is patient."""

TURNS = 16, 2
"""One in so many late attempts keeps within the limits all the way; the others make detours through limits. Detours
find further ones of few solutions (first number). They do not return within the limits with redundant joints, or where
joints follow several positions (second number)."""


class Found(NamedTuple):
    """For each pose: positions, squared error, whether it is reached, total steps, and earlier starts."""

    q: Array
    squared: Array
    converged: Array
    iterations: Array
    restarts: Array


class Attempts:
    """Searches of one machine for poses of some frames.

    Args:
        machine: the robot.
        frames, rows: link frames, and the rows of their errors that count.
        limits: (nq,) lower and upper.
        coupled: limits of joints that follow several positions, if there are some.
        tolerance: maximum length of an error [rad, m].
        threads: number of threads; None for all cores if that is faster.
    """

    def __init__(
        self, machine: PosedMachine, frames: Frames, rows: Rows, limits: tuple[Array, Array],
        coupled: CoupledLimits | None, tolerance: float, threads: Threads,
    ) -> None:
        self.limits, self.coupled, self.frames = limits, coupled, len(frames)
        self._threads, self._tolerance = threads, np.array(tolerance)
        self.searches = searches_of(machine, frames, rows, coupled)
        self._turns = TURNS[coupled is not None or machine._space.nv > sum(map(len, rows))]

    def find(self, poses: Array, first: Array | None, pool: Pool | None, attempts: int) -> Found:
        """The positions of the first attempt that reaches the pose; otherwise of the nearest end.

        The results do not depend on other poses.

        Args:
            poses: (N, frames, 4, 4).
            first: (N, nq) a start for each pose, before all others; None without one.
            pool: starts of all poses; None without them.
            attempts: how many of them are tried.
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
    """Memory for searches for one pose, one after the other.

    Args:
        attempts: the searches.
        pool, count: random starts, and how many of them are tried.
        own: the caller gives a start.
    """

    def __init__(self, attempts: Attempts, pool: Pool | None, count: int, own: bool) -> None:
        nq, frames = len(attempts.limits[0]), attempts.frames
        self._poses, self._first = np.empty((1, frames, 4, 4)), np.empty((1, nq)) if own else None
        self._q = np.empty((1, nq))
        self._search = attempts.search(self._poses, self._first, pool, count, self._q)

    def find(self, poses: Array, first: Array | None) -> tuple[Array, list[float]]:
        """Positions (nq,), and the squared error, steps, whether they are found, starts before, and a 1.

        Args:
            poses: (frames, 4, 4).
            first: (nq,) the start of the caller, if there is one.
        """
        self._poses[0] = poses
        if self._first is not None:
            self._first[0] = first
        end = self._search.one()
        return self._q[0].copy(), end


BEGINS: Any = [
    np.array([begin(PATIENT), begin(early), begin(PATIENT), begin(HASTY, loose=True)]) for early in (PATIENT, HASTY)
]
"""Initial states of attempts: from starts of the caller, from others, late ones, and loose ones: if there are few
attempts, if there are many."""
