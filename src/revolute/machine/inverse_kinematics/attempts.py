"""Searches from several starts, until each pose is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from revolute.machine.inverse_kinematics.search import BEGIN, CONVERGED, GOING, MOST, null_loop, search_loop
from revolute.machine.machine import Array

if TYPE_CHECKING:
    from revolute.compiler.recurrence import Loop
    from revolute.machine.functions.inverse_kinematics import Frames, Rows
    from revolute.machine.robot.base import Shared

__all__ = ["Attempts", "Found"]

BLOCK = 4096
"""Poses whose searches are under way at once: their states stay in the cache."""

FEW = 8
"""With fewer poses, several of their starts are tried at once: lanes would be empty else."""

ROUND = 7
"""Steps after which searches that have ended make room."""


class Found(NamedTuple):
    """Of each pose: positions, squared error, whether it is reached, steps in all, and starts before."""

    q: Array
    squared: Array
    converged: Array
    iterations: Array
    restarts: Array


class Attempts:
    """Searches of one machine for poses of some frames.

    Args:
        machine: the robot.
        frames, rows: what is to reach its pose, and the rows that count.
        limits: (nq,) lower and upper.
        tolerance: largest length of an error [rad, m].
        threads: of searches; None for all cores if that pays.
    """

    def __init__(
        self,
        machine: Shared,
        frames: Frames,
        rows: Rows,
        limits: tuple[Array, Array],
        tolerance: float,
        threads: int | None,
    ) -> None:
        self.machine, self.frames, self.rows = machine, frames, rows
        self.limits, self.threads, self._tolerance = limits, threads, np.array(tolerance)
        self._loop = search_loop(machine, frames, rows)

    def find(self, poses: Array, first: Array | None, starts: Array) -> Found:
        """The positions of the first start that leads to the pose; else of the nearest end.

        They do not depend on other poses: all have the same starts.

        Args:
            poses: (N, frames, 4, 4).
            first: (N, nq) a start for each pose, before all others; None without one.
            starts: (A, nq) starts of all poses.
        """
        parts = [
            self._find(poses[k : k + BLOCK], None if first is None else first[k : k + BLOCK], starts)
            for k in range(0, max(len(poses), 1), BLOCK)
        ]
        return parts[0] if len(parts) == 1 else Found(*map(np.concatenate, zip(*parts, strict=True)))

    def _find(self, poses: Array, first: Array | None, starts: Array) -> Found:
        n, before = len(poses), int(first is not None)
        q = np.tile(starts[:1], (n, 1)) if first is None else first.copy()
        found = Found(q, np.full(n, np.inf), np.zeros(n, bool), np.zeros(n, int), np.zeros(n, int))
        left, attempt, total = np.arange(n), 0, before + len(starts)
        while len(left) and attempt < total:
            at_once = min(max(FEW // len(left), 1), total - attempt)
            q = np.empty((len(left), at_once, found.q.shape[1]))
            own = max(before - attempt, 0)
            q[:, own:] = starts[attempt + own - before : attempt + at_once - before]
            if own:
                q[:, 0] = found.q[left]
            q, search = self.run(q.reshape(-1, q.shape[2]), np.repeat(poses[left], at_once, axis=0))
            left = left[~_noted(found, left, q, search.reshape(len(left), at_once, -1), attempt)]
            attempt += at_once
        return found

    def run(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """Where searches end, and their squared errors, steps and states.

        Args:
            q: (M, nq) starts.
            poses: (M, frames, 4, 4).
        """
        going, ends, search = np.arange(len(q)), q.copy(), np.empty((len(q), len(BEGIN)))
        search[:] = BEGIN
        steps = MOST + 1 if len(q) <= FEW else ROUND
        while len(going):
            order = self._in_blocks(going)
            arrays = ends[order], search[order], poses[order]
            self._steps(steps, *arrays)
            ends[going], search[going] = (x[: len(going)] for x in arrays[:2])
            going = going[search[going, 2] == GOING]
        return ends, search

    def _steps(self, steps: int, q: Array, search: Array, poses: Array) -> None:
        self._advance(self._loop, steps, {"q": q, "search": search}, {"poses": poses, "tolerance": self._tolerance})

    def null_motion(self, z: Array, q: Array, poses: Array) -> Array:
        """The part of (M, nv) small motions that leaves poses where they are, to first order."""
        order = self._in_blocks(np.arange(len(z)))
        left, loads = z[order], {"q": q[order], "poses": poses[order]}
        self._advance(null_loop(self.machine, self.frames, self.rows), 1, {"z": left}, loads)
        return left[: len(z)]

    def _in_blocks(self, rows: Array) -> Array:
        """Numbers of rows, and the last one again and again until they fill whole blocks."""
        return np.append(rows, np.repeat(rows[-1:], self._loop.whole_blocks(len(rows)) - len(rows)))

    def _advance(self, loop: Loop, steps: int, states: dict[str, Array], loads: dict[str, Array]) -> None:
        """So many steps of a loop, in place."""
        rows = len(next(iter(states.values())))
        arrays = {**states, **loads, "lower": self.limits[0], "upper": self.limits[1]}
        cores = loop.form.arrays
        views = {name: _repeated(arrays[name], steps, rows, len(core)) for name, core in cores.items()}
        loop.run(views, self.threads, in_place=True)


def _repeated(x: Array, instants: int, rows: int, axes: int) -> Array:
    """The same memory at all instants, and for all rows if it has no axis of them."""
    core = x.ndim - axes
    strides = (0, *x.strides) if core else (0, 0, *x.strides)
    return np.ndarray((instants, rows, *x.shape[core:]), x.dtype, x, strides=strides)


def _noted(found: Found, left: Array, q: Array, search: Array, attempt: int) -> Array:
    """Note how searches of the poses that were left have ended; which of these poses are reached.

    Args:
        found: of all poses.
        left: (P,) places of those that were not reached before.
        q: (P * A, nq) ends of A searches for each.
        search: (P, A, 4) their squared errors, steps and states.
        attempt: how many searches each had before.
    """
    errors, steps, reached = search[:, :, 0], search[:, :, 1], search[:, :, 2] == CONVERGED
    any_reached: Array = reached.any(axis=1)
    rows = np.arange(len(left))
    # the first that reaches the pose, else the nearest
    nearest = np.where(np.isnan(errors), np.inf, errors).argmin(axis=1)
    best = np.where(any_reached, reached.argmax(axis=1), nearest)
    tried = np.where(any_reached, best + 1, search.shape[1])
    counted = np.arange(search.shape[1]) < tried[:, None]
    found.iterations[left] += np.where(counted, steps, 0).sum(axis=1).astype(int)
    found.restarts[left] = attempt + tried - 1
    found.converged[left] = any_reached
    squared = errors[rows, best]
    better = any_reached | (squared < found.squared[left])
    found.squared[left[better]] = squared[better]
    found.q[left[better]] = q.reshape(len(left), -1, q.shape[1])[rows, best][better]
    return any_reached
