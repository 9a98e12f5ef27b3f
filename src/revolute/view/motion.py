"""A robot to view, and its motion: joint positions over time, for one or several samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import MOST_SHOWN, Array, evenly_chosen, finite_rows, float_copy, wrenches_by_link
from revolute.errors import InputError, ShapeError
from revolute.model.model import Model
from revolute.records import dataclass


@dataclass(frozen=True, eq=False)
class Movable:
    """The data and compiled functions of a robot that a view needs."""

    links: Model  # the model with the shapes
    space: Model  # the model whose coordinates are q
    # lower, upper: (nq,) limits of the positions; infinite without one
    lower: Array
    upper: Array
    effort: Array  # (nv,) rated forces; infinite without one
    poses: Callable[[Array], Array]  # q -> (..., links, 4, 4) poses of `links.frames` in the base frame
    gravity: Callable[[Array], Array]  # q -> (..., nv) joint forces that balance gravity [N m, N]
    # (q, fixed indices of q) -> nearest configuration with closed loops, or None. None without loops.
    settled: Callable[[Array, Array], Array | None] | None = None


@dataclass(frozen=True, eq=False)
class ViewedMotion:
    """One or several motions (samples) of a robot at common times; a single time shows the robot at rest."""

    t: Array  # (T,) increasing times [s]
    q: Array  # (K, T, nq) joint positions
    tau: Array | None  # (T, nv) joint forces of the last sample [N m, N], or None
    wrenches: Mapping[str, Array]  # {link: (T, 6)} wrenches (m, f) on links

    @classmethod
    def of(
        cls, robot: Movable, q: ArrayLike, t: ArrayLike | None = None, tau: ArrayLike | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> ViewedMotion:
        """A motion from the arguments of `Robot.view`."""
        what = f"view: robot '{robot.links.name}'"
        nq, nv = robot.space.nq, robot.space.nv
        rows = finite_rows(what, "q", q, nq, robot.space.position_names)
        times = np.zeros(1) if t is None else float_copy(f"{what}: t", t)
        if t is None:
            rows = rows.reshape(-1, 1, nq)
        else:
            if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
                raise InputError(f"{what}: t must be one row of increasing times [s]")
            if rows.ndim < 2 or rows.shape[-2] != len(times):
                raise ShapeError(f"{what}: q has shape {rows.shape}, but (..., {len(times)}, {nq}) is needed")
            rows = rows.reshape(-1, len(times), nq)
        chosen = evenly_chosen(len(rows), MOST_SHOWN)
        forces = None
        if tau is not None:
            given = finite_rows(what, "tau", tau, nv, robot.space.coordinate_names)
            if t is not None and given.ndim > 1 and given.shape[-2] not in (1, len(times)):
                raise ShapeError(f"{what}: tau has shape {given.shape}, but (..., {len(times)}, {nv}) is needed")
            last = given.reshape(-1, *given.shape[-2:])[-1] if given.ndim > 1 else given[None]
            forces = np.broadcast_to(last if t is not None else last[-1:], (len(times), nv))
        loads = {}
        for link, wrench in zip(*wrenches_by_link(wrenches), strict=True):
            robot.links.frame(link)
            rows6 = finite_rows(what, f"wrench on '{link}'", wrench, 6)
            if rows6.ndim > 2 or (rows6.ndim == 2 and len(rows6) not in (1, len(times))):
                raise ShapeError(
                    f"{what}: the wrench on '{link}' has shape {rows6.shape}, but (6,) or ({len(times)}, 6) is needed"
                )
            loads[link] = np.broadcast_to(rows6, (len(times), 6))
        return cls(times, rows[chosen], forces, loads)

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return float(self.t[-1] - self.t[0])

    def at(self, time: float) -> int:
        """Index of the last state at or before a time since the start [s]."""
        return int(np.clip(np.searchsorted(self.t - self.t[0], time + 1e-9, side="right") - 1, 0, len(self.t) - 1))

    def largest(self) -> tuple[float, float]:
        """Force [N] and moment [N m] that no wrench exceeds at 19 of 20 times; impacts are far larger."""
        every = np.array([np.zeros((len(self.t), 6)), *self.wrenches.values()]).reshape(-1, len(self.t), 2, 3)
        moment, force = np.quantile(np.linalg.norm(every, axis=-1).max(axis=0), 0.95, axis=0, method="higher").tolist()
        return force, moment

    def loads(self, k: int) -> dict[str, Array]:
        """The wrenches (m, f) at one instant, by link."""
        return {link: rows[k] for link, rows in self.wrenches.items()}
