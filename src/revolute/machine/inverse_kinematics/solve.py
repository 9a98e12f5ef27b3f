"""Inverse kinematics: searches from q0 and from random positions, then motion of redundant joints towards a posture."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from revolute.arguments import instance, whole_number
from revolute.compiler.batch import workers_for
from revolute.errors import InputError, ShapeError
from revolute.machine.functions.inverse_kinematics import Frames
from revolute.machine.inverse_kinematics.all_solutions import all_solutions, all_wanted
from revolute.machine.inverse_kinematics.arguments import (
    CALLER,
    configurations,
    frame_names,
    largest_steps,
    limits_of,
    poses_of,
    rows_of,
    tolerance,
)
from revolute.machine.inverse_kinematics.plan import Attempts, Found, Plan, inside
from revolute.machine.inverse_kinematics.posture import Posture, null_motion, posture_of
from revolute.machine.inverse_kinematics.result import PoseSolutions
from revolute.machine.inverse_kinematics.search import PosedMachine
from revolute.machine.machine import Array, Threads
from revolute.model.configurations import Turning, nearest, unwrapped

PLANS = 16  # maximum number of plans cached per machine


def solve(
    machine: PosedMachine, pose: Any, frame: str | None, q0: Any, limits: Any, rows: Any, posture: Any, path: Any,
    wrap: bool, restarts: int, length: float, rng: Any, threads: Threads, every: tuple[Any, ...],
) -> PoseSolutions:
    """See `Robot.inverse_kinematics`; `length` is the tolerance, `every` contains `all` and its options."""
    frames, wanted = frame_names(pose, frame), all_wanted(*every)
    plan = _planned(machine, frames, limits, rows, restarts, length, threads)
    poses = poses_of(frames, pose, plan.rows)
    space, (lower, upper) = machine._space, plan.attempts.limits
    first = None if q0 is None else np.minimum(np.maximum(configurations(space, "q0", q0), lower), upper)
    if wanted:
        if posture is not None or path is not False or wrap:
            raise InputError(f"{CALLER}: all=True cannot be combined with posture, path or wrap; omit them")
        return all_solutions(machine, plan, poses, first, rng, threads, *every[1:])
    single = poses.ndim == 3 and posture is None and path is False and wrap is False
    if single and type(rng) is int and (first is None or first.ndim == 1):
        return _one(machine, plan, poses, first, rng)
    largest = largest_steps(space, path)
    if largest is not None and poses.ndim < 4:
        raise ShapeError(f"{CALLER}: a path needs poses (..., T, 4, 4), not {(*poses.shape[:-3], 4, 4)}")
    turning = _turning(machine, plan, wrap, q0, posture)
    span = (machine.lower_limits, machine.upper_limits)
    target = None if posture is None else posture_of(space, posture, *span, turning)
    pool = plan.pool(machine, rng, first is not None)
    steps = () if largest is None else poses.shape[-4:-3]
    batch = poses.shape[: -3 - len(steps)]
    if first is not None:
        batch = _broadcast(batch, first.shape[:-1])
        first = np.ascontiguousarray(np.broadcast_to(first, (*batch, space.nq)).reshape(-1, space.nq))
    poses = np.ascontiguousarray(np.broadcast_to(poses, (*batch, *steps, *poses.shape[-3:])))
    find = partial(_found, machine, plan, target, threads)
    stop = ""
    if largest is not None and any(steps):

        def moves(q0: Array, q1: Array) -> Array:
            return space.difference(q0, nearest(q1, q0, turning))

        paths, names = poses.reshape(-1, *poses.shape[-4:]), space.coordinate_names
        found, stop = _along(find, moves, largest, names, paths, first, pool)
    else:
        found = find(poses.reshape(-1, *poses.shape[-3:]), first, pool)
    if turning:
        start = target.posture if target is not None and first is None else first
        found = found._replace(q=_near(found.q, start, steps, turning))
    error = plan.error(found.q, poses.reshape(-1, *poses.shape[-3:]), threads=threads)
    results = found.q, error, found.converged, found.iterations, found.restarts
    return PoseSolutions(*(x.reshape((*batch, *steps, *x.shape[1:]))[()] for x in results)).of_rows(plan.rows, stop)


def _turning(machine: PosedMachine, plan: Plan, wrap: bool, q0: Any, posture: Any) -> tuple[Turning, ...]:
    """Coordinates whose differences use the shortest rotation: continuous joints without limits in this call."""
    if not instance(f"{CALLER}: wrap", wrap, bool):
        return ()
    if q0 is None and posture is None:
        raise InputError(f"{CALLER}: wrap rotates joints the shortest way to q0 or posture; give one of them")
    free = np.isinf(np.array(plan.attempts.limits)).all(axis=0)
    return tuple(at for at in machine._continuous if free[at.q])


def _near(q: Array, start: Any, steps: tuple[int, ...], turning: tuple[Turning, ...]) -> Array:
    """(N, nq) positions, turned by multiples of 2 pi to be nearest to a start; on paths, (N T, nq), to the previous."""
    if not any(steps):
        return nearest(q, start, turning)
    paths = q.reshape(-1, *steps, q.shape[-1])
    starts = np.broadcast_to(start, paths[:, 0].shape)
    rows = [unwrapped(np.vstack([first, path]), turning)[1:] for first, path in zip(starts, paths, strict=True)]
    return np.concatenate(rows)


def _planned(
    machine: PosedMachine, frames: Frames, limits: Any, rows: Any, restarts: Any, length: Any, threads: Any
) -> Plan:
    """The plan of these options, cached for later calls."""
    kinds = limits.__class__, restarts.__class__, length.__class__  # the key contains types because True == 1
    key: Any = frames, limits, rows, restarts, length, threads, kinds
    try:
        kept: Plan | None = machine._plans.get(key)
    except TypeError:
        key = frames, _hashable(limits), _hashable(rows), restarts, length, threads, kinds
        try:
            kept = machine._plans.get(key)
        except TypeError:  # an option is invalid: a later check raises an error
            return _new_plan(machine, frames, limits, rows, restarts, length, threads)
    if kept is None:
        kept = _new_plan(machine, frames, limits, rows, restarts, length, threads)
        if len(machine._plans) >= PLANS:
            machine._plans.clear()
        machine._plans[key] = kept
    return kept


def _hashable(x: Any) -> Any:
    """A hashable key for arrays, and for lists and dicts of arrays."""
    if isinstance(x, Mapping):
        return tuple((name, _hashable(value)) for name, value in x.items())
    if isinstance(x, (list, tuple)):
        return tuple(map(_hashable, x))
    numbers = isinstance(x, np.ndarray) and x.dtype.kind in "fiu"
    return (x.shape, x.dtype.str, x.tobytes()) if numbers else x


def _new_plan(
    machine: PosedMachine, frames: Frames, limits: Any, rows: Any, restarts: Any, length: Any, threads: Any
) -> Plan:
    chosen = rows_of(frames, rows)
    restarts, length = whole_number(f"{CALLER}: restarts", restarts, 0), tolerance(length)
    workers_for(threads, 0)
    own = (machine.lower_limits, machine.upper_limits) if limits is True else None
    bounds = limits_of(machine._space, limits, own)
    function, options = machine._function("pose_error"), {"frames": frames, "rows": chosen}
    coupled = machine.coupled_limits if limits is True else None
    attempts = Attempts(machine, frames, chosen, bounds, coupled, length, threads)
    error = machine._kernel(function, np.float64, options)
    return Plan(frames, chosen, attempts, restarts, error, inside(machine, attempts), {}, {})


def _one(machine: PosedMachine, plan: Plan, poses: Array, first: Array | None, rng: int) -> PoseSolutions:
    """The solution for a single pose without `posture`, `path` or `wrap`, as in a control loop."""
    found = plan.attempts.find_one(poses, first, plan.pool(machine, rng, first is not None))
    q = plan.within(found.q[None], found.converged[None])[0]
    return PoseSolutions(q, plan.error(q, poses), *(x[()] for x in found[1:])).of_rows(plan.rows)


def _found(
    machine: PosedMachine, plan: Plan, target: Posture | None, threads: Threads, poses: Array, first: Array | None,
    pool: Any,
) -> Found:
    found = plan.attempts.find(poses, first, pool)
    found = found._replace(q=plan.within(found.q, found.converged))
    if target is None:
        return found

    def again(rows: Array, q: Array) -> Found:
        return plan.attempts.find(poses[rows], q, None)

    kept, limits = null_motion(machine, plan.frames, plan.rows), plan.attempts.limits

    def held(way: Array, q: Array, rows: Array) -> Array:
        return np.asarray(kept(way, q, poses[rows], *limits, threads=threads))

    return target.approached(limits, again, held, found)


def _along(
    find: Any, moves: Any, largest: Array, names: tuple[str, ...], poses: Array, first: Array | None, pool: Any
) -> tuple[Found, str]:
    """Solutions along N paths of T poses, and where a path stops: each search begins at the previous solution."""
    # A path stops before a joint moves by more than its largest step; the text says where the first one does.
    parts: list[Found] = []
    stopped, stop = np.zeros(len(poses), bool), ""
    for k in range(poses.shape[1]):
        found = find(np.ascontiguousarray(poses[:, k]), first, pool)
        if k:
            step = np.abs(moves(first, found.q))
            jumps = (step > largest).any(axis=1)
            if jumps.any() and not stop:
                row, joint = np.unravel_index((step / largest).argmax(), step.shape)
                stop = f"stops before pose {k}, where '{names[joint]}' would jump by {step[row, joint]:.3g}"
            stopped |= jumps
            found = found._replace(q=np.where(stopped[:, None], first, found.q), converged=found.converged & ~stopped)
        parts.append(found)
        first, pool = found.q, None
    stacked = (np.stack(column, axis=1) for column in zip(*parts, strict=True))
    return Found(*(x.reshape(-1, *x.shape[2:]) for x in stacked)), stop


def _broadcast(poses: tuple[int, ...], q0: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(poses, q0)
    except ValueError:
        raise ShapeError(f"{CALLER}: batches do not broadcast: poses {poses}, q0 {q0}") from None
