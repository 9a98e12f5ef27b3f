"""All solutions of inverse kinematics: the distinct ends of many attempts, modulo whole turns."""

import math
from functools import partial
from typing import Any

import numpy as np

from revolute.arguments import finite_array, instance, mapping, random_generator
from revolute.compiler.batch import workers_for
from revolute.compiler.pool import on_threads
from revolute.errors import InputError, ShapeError
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.distinct import (
    SINGULAR,
    PoseGoals,
    distinct,
    filled_places,
    linearized,
    nearest_of_families,
    on_branch,
    padded,
    within_limits,
)
from revolute.machine.inverse_kinematics.plan import SEEDS, Plan, ends
from revolute.machine.inverse_kinematics.result import PoseSolutions
from revolute.machine.inverse_kinematics.search import RANK, STEPS, PosedMachine, begin
from revolute.machine.machine import Array, Threads
from revolute.model.configurations import Turning, neutral, random_configurations

FIRST, AGAIN = 2 / 3, 4
"""Starts relative to `restarts`: for all poses, and for poses whose solutions are not balanced: see `_search`."""

SHORT, LONG = 20.0, 40.0  # number of steps after which every step must halve the squared error, with both: see `begin`

EXACT = 1e-12
"""Tolerance of the attempts [rad, m]. Away from singular positions, ends at the same solution then differ by 1e-9."""

CHUNK = 32  # number of poses that are searched for together
PROBES = 8  # number of random positions that show whether solutions are isolated


def all_wanted(every: Any, turns: Any, branch: Any, hold: Any) -> bool:
    """Whether the argument `all` is given. Raise if its options are given without `all`, or have wrong types."""
    if every is turns is branch is False and hold is None:
        return False
    flags = {"all": every, "turns": turns, "branch": branch}
    for name, flag in flags.items():
        instance(f"{CALLER}: {name}", flag, bool)
    if not every:
        name = next((x for x in flags if flags[x]), "hold")
        raise InputError(f"{CALLER}: {name} applies only to all solutions; give all, too")
    return True


def all_solutions(
    machine: PosedMachine, plan: Plan, poses: Array, first: Array | None, rng: Any, threads: Threads, turns: bool,
    branch: bool, hold: Any,
) -> PoseSolutions:
    """See `Robot.inverse_kinematics`: all solutions for (..., frames, 4, 4) poses."""
    if branch and first is None:
        raise InputError(f"{CALLER}: branch needs q0: positions on that branch")
    held = _held(machine, plan, hold)
    goals, batch = _goals(machine, plan, poses, first, held)
    moving = [k for k in range(machine._space.nv) if k not in {at.qd for at in held}]
    starts = _starts(machine, plan, goals, rng, moving)
    place, q, singular, steps, failed = _search(machine, plan, goals, starts, first is not None, moving, threads)
    if singular.any():
        place, q = nearest_of_families(machine, plan, goals, place, q, singular, moving)
    place, q = within_limits(machine._space, goals, place, q, turns)
    if branch:
        kept = on_branch(machine, plan, goals.near[place], q, moving)
        place, q = place[kept], q[kept]
    order = np.lexsort((np.linalg.norm(q - goals.near[place], axis=1), place))
    place, q = place[order], q[order]
    error = plan.error(q, goals.poses[place], threads=threads)
    filled = filled_places(place, len(goals.poses))
    q, error = (padded(x, filled).reshape(*batch, filled.shape[1], x.shape[1]) for x in (q, error))
    counts = filled.reshape(*batch, filled.shape[1]), *(x.reshape(batch)[()] for x in (steps, failed))
    return PoseSolutions(q, error, *counts).of_rows(plan.rows)


def _held(machine: PosedMachine, plan: Plan, hold: Any) -> dict[Turning, Array]:
    """Values of held joints, by their indices in q and qd. Raise `InputError` if one is outside its joint's limits."""
    space, held = machine._space, {}
    for name, values in ({} if hold is None else mapping(f"{CALLER}: hold", hold)).items():
        i = space.joint_index(name)
        if space.bodies[i].joint.nq > 1:
            raise InputError(f"{CALLER}: hold needs joints with one coordinate; '{name}' has more")
        at = Turning(space.q_index[i].start, space.v_index[i].start)
        held[at] = finite_array(f"{CALLER}: hold of joint '{name}'", values)
        low, high = (x[at.q] for x in plan.attempts.limits)
        if not ((low <= held[at]) & (held[at] <= high)).all():
            raise InputError(
                f"{CALLER}: hold: joint '{name}' is outside of its limits {low:g} and {high:g}; correct it, or "
                "ignore the limits: limits=False"
            )
    return held


def _goals(
    machine: PosedMachine, plan: Plan, poses: Array, first: Array | None, held: dict[Turning, Array]
) -> tuple[PoseGoals, tuple[int, ...]]:
    """The poses as one list, with the start and limits of each, and the shape of the batch."""
    limits = plan.attempts.limits
    near = np.clip(neutral(machine._space), *limits) if first is None else first
    shapes = poses.shape[:-3], near.shape[:-1], *(x.shape for x in held.values())
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"{CALLER}: batches of poses, q0 and hold do not broadcast: {shapes}") from None
    arrays = [np.empty((*batch, *core)) for core in (poses.shape[-3:], *[(machine._space.nq,)] * 3)]
    for array, x in zip(arrays, (poses, near, *limits), strict=True):
        array[...] = x
    for at, values in held.items():
        for array in arrays[1:]:
            array[..., at.q] = values
    poses, near, lower, upper = (x.reshape(math.prod(batch), *x.shape[len(batch) :]) for x in arrays)
    return PoseGoals(poses, near, lower, upper, tuple(at for at in machine._rotations if at not in held)), batch


def _starts(machine: PosedMachine, plan: Plan, goals: PoseGoals, rng: Any, moving: list[int]) -> Array:
    """Random starts for all rounds, cached by seed. Raise `InputError` if solutions are not isolated."""
    key = rng, *moving
    if type(rng) is int and key in plan.starts:
        return plan.starts[key]
    lower, upper = (x.copy() for x in plan.attempts.limits)
    at = [x.q for x in goals.angles]
    lower[at], upper[at] = -np.inf, np.inf
    count, generator = max(AGAIN * plan.restarts, PROBES), random_generator(CALLER, rng)
    starts = random_configurations(CALLER, machine._space, lower, upper, count, generator, plan.attempts.coupled)
    _require_isolated(machine, plan, starts[:PROBES], moving)
    if type(rng) is int:
        if len(plan.starts) >= SEEDS:
            plan.starts.clear()
        plan.starts[key] = starts
    return starts


def _require_isolated(machine: PosedMachine, plan: Plan, q: Array, moving: list[int]) -> None:
    """Raise `InputError` if joints can move while the frames keep their poses: solutions then form families."""
    J = linearized(machine, plan, q)
    rank = int(np.linalg.matrix_rank(J[..., moving]).max(initial=0))
    more, space, advice = len(moving) - rank, machine._space, ""
    if not more:
        return
    for body, at in zip(space.bodies, space.v_index, strict=True):
        others = [k for k in moving if k != at.start]
        if body.joint.nq == 1 and len(others) < len(moving) and np.linalg.matrix_rank(J[..., others]).max() == rank:
            advice = f"; hold {more} joint{'s' * (more > 1)}, such as '{body.joint_name}'"
    raise InputError(
        f"{CALLER}: '{space.name}' reaches each pose by a continuous family of solutions: poses determine only "
        f"{rank} of the {len(moving)} velocities{advice}"
    )


def _search(
    machine: PosedMachine, plan: Plan, goals: PoseGoals, starts: Array, own: bool, moving: list[int], threads: Threads
) -> tuple[Array, Array, Array, Array, Array]:
    """Index of the pose and q of each distinct solution, and whether it is singular; steps and failed starts per pose.

    If all joints turn without limits, the signs of det J of all solutions of a pose sum to zero, which is the degree of
    the map from q to poses, because some poses are out of reach. If they do not, more attempts search for missing
    solutions.
    """
    count = max(plan.restarts, 1 - own)
    closed = sum(map(len, plan.rows)) == len(moving) and {at.qd for at in goals.angles} >= set(moving)
    first = math.ceil(FIRST * count) if closed else count
    search = partial(_round, machine, plan, threads=threads, own=own)
    place, q, steps, failed = search(goals, starts[:first], SHORT)
    if closed:
        signs = np.sign(np.linalg.det(linearized(machine, plan, q)[..., moving]))
        number, total = (np.bincount(place, x, minlength=len(goals.poses)) for x in (None, signs))
        again = np.flatnonzero((number == 0) | (total != 0))
        if len(again):
            more = search(goals.part(again), starts[: AGAIN * count], LONG)
            kept = ~np.isin(place, again)
            place, q = np.append(place[kept], again[more[0]]), np.concatenate([q[kept], more[1]])
            steps[again] += more[2]
            failed[again] = more[3]
    values = np.linalg.svd(linearized(machine, plan, q)[..., moving], compute_uv=False)
    return place, q, values[:, -1] < SINGULAR, steps, failed


def _round(
    machine: PosedMachine, plan: Plan, goals: PoseGoals, starts: Array, patience: float, *, own: bool, threads: Threads
) -> tuple[Array, Array, Array, Array]:
    """One round of `_search`: attempts from the same random starts for all poses and, if `own`, from `near`."""
    kernel, least, nq = plan.attempts.kernel, plan.attempts.tolerance**2, starts.shape[1]
    count, each = len(goals.poses), len(starts) + own
    steps, failed = np.zeros((2, count), int)
    parts = [slice(k, min(k + CHUNK, count)) for k in range(0, count, CHUNK)]
    found = [(np.empty(0, int), np.empty((0, nq)))] * max(len(parts), 1)

    def advance(lower: Array, upper: Array, poses: Array, state: Array) -> Array:
        return np.asarray(kernel.ufunc(lower, upper, EXACT, poses, state))

    def search(number: int) -> None:
        some = goals.part(part := parts[number])
        lower, upper = some.without_limits_of_angles()
        state = np.empty((len(lower), each, nq + len(begin(patience))))
        state[:, : len(starts), :nq], state[..., nq:] = starts, begin(patience)
        if own:
            state[:, -1, :nq] = some.near
        state[..., :nq] = np.clip(state[..., :nq], lower[:, None], upper[:, None])
        rows = tuple(x.repeat(each, axis=0) for x in (lower, upper, some.poses))
        last = ends(advance, rows, state.reshape(-1, state.shape[-1])).reshape(state.shape)
        exact = last[..., RANK] < 0  # other ends within the tolerance lie around these, or are all that there is
        reached = np.where(exact.any(axis=1, keepdims=True), exact, last[..., RANK] <= least)
        steps[part], failed[part] = last[..., STEPS].sum(axis=1), (~reached).sum(axis=1)
        place, k = distinct(machine._space, goals.angles, last[..., :nq], reached)
        found[number] = place + part.start, last[place, k, :nq]

    on_threads(search, range(len(parts)), workers_for(threads, float(count) * each * kernel.operations))
    place, q = (np.concatenate(x) for x in zip(*found, strict=True))
    return place, q, steps, failed
