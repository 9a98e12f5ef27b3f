"""Inverse kinematics: searches from q0 and from random positions, and what redundant joints aim at besides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from revolute.arguments import instance, random_generator, whole_number
from revolute.compiler.batch import workers_for
from revolute.errors import ShapeError
from revolute.machine.inverse_kinematics.aim import Aim, aim_of
from revolute.machine.inverse_kinematics.arguments import CALLER, check_limits, configurations, targets, tolerance
from revolute.machine.inverse_kinematics.attempts import Attempts, Found
from revolute.machine.inverse_kinematics.result import PoseSolutions
from revolute.machine.machine import Array
from revolute.machine.robot.inverse_kinematics import InverseKinematics

__all__ = ["solve"]


def solve(
    machine: InverseKinematics,
    pose: Any,
    frame: str | None,
    q0: Any,
    limits: bool,
    rows: Any,
    rest: Any,
    path: bool,
    restarts: int,
    length: float,
    rng: Any,
    threads: int | None,
) -> PoseSolutions:
    """See `Robot.inverse_kinematics`; `length` is the tolerance."""
    space = machine._space
    frames, chosen, poses = targets(pose, frame, rows)
    restarts, length = whole_number(f"{CALLER}: restarts", restarts, 0), tolerance(length)
    instance(f"{CALLER}: limits", limits, bool)
    instance(f"{CALLER}: path", path, bool)
    workers_for(threads, 0)
    if path and poses.ndim < 4:
        raise ShapeError(f"{CALLER}: a path needs (..., T, 4, 4) poses, not of shape {(*poses.shape[:-3], 4, 4)}")
    lower, upper = machine.lower_limits, machine.upper_limits
    if not limits:
        lower, upper = np.full(space.nq, -math.inf), np.full(space.nq, math.inf)
    check_limits(space, lower, upper)
    aim = aim_of(space, rest, machine.lower_limits, machine.upper_limits)
    first = None if q0 is None else np.clip(configurations(space, "q0", q0), lower, upper)
    starts = _starts(machine, restarts + (first is None), rng)
    search = Attempts(machine, frames, chosen, (lower, upper), length, threads)
    batch = poses.shape[:-4] if path else poses.shape[:-3]
    if first is not None:
        batch = _broadcast(batch, first.shape[:-1])
        first = np.ascontiguousarray(np.broadcast_to(first, (*batch, space.nq)).reshape(-1, space.nq))
    if path:
        along = np.broadcast_to(poses, (*batch, *poses.shape[-4:])).reshape(-1, *poses.shape[-4:])
        found = _along(search, along, first, starts, aim)
        batch = (*batch, poses.shape[-4])
        flat = along.reshape(-1, *poses.shape[-3:])
    else:
        flat = np.ascontiguousarray(np.broadcast_to(poses, (*batch, *poses.shape[-3:])).reshape(-1, *poses.shape[-3:]))
        found = _found(search, flat, first, starts, aim)
    options = {"frames": frames, "rows": chosen}
    error = machine._evaluate("pose_error", (found.q, flat), threads, options)
    results = found.q, error, found.converged, found.iterations, found.restarts
    return PoseSolutions(*(x.reshape((*batch, *x.shape[1:]))[()] for x in results))


def _starts(machine: InverseKinematics, count: int, rng: Any) -> Array:
    """(count, nq) random positions; those of a seed are kept, as they may take longer to draw than a pose to reach."""
    key = (count, rng) if isinstance(rng, int) else None
    starts: Array | None = machine._starts.get(key)
    if starts is None:
        starts = machine.random_configuration(count, rng=random_generator(CALLER, rng))
        if key is not None:
            machine._starts.clear()
            machine._starts[key] = starts
    return starts


def _found(search: Attempts, poses: Array, first: Array | None, starts: Array, aim: Aim | None) -> Found:
    found = search.find(poses, first, starts)
    return aim.approached(search, found, poses) if aim else found


def _along(search: Attempts, poses: Array, first: Array | None, starts: Array, aim: Aim | None) -> Found:
    """Poses (N, T, frames, 4, 4) one after the other: each search begins where the one before it has ended."""
    parts = []
    for k in range(poses.shape[1]):
        found = _found(search, np.ascontiguousarray(poses[:, k]), first, starts, aim)
        parts.append(found)
        first, starts = found.q, starts[:0]
    stacked = (np.stack(column, axis=1) for column in zip(*parts, strict=True))
    return Found(*(x.reshape(-1, *x.shape[2:]) for x in stacked))


def _broadcast(poses: tuple[int, ...], q0: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(poses, q0)
    except ValueError:
        raise ShapeError(f"{CALLER}: batches do not broadcast: poses {poses}, q0 {q0}") from None
