"""All solutions of inverse kinematics: the distinct ends of many attempts, modulo whole turns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from revolute.arguments import finite_array, instance, mapping, random_generator
from revolute.compiler.batch import workers_for
from revolute.compiler.pool import on_threads
from revolute.errors import InputError, ShapeError
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.plan import Found, Plan, ends
from revolute.machine.inverse_kinematics.posture import Posture, null_motion
from revolute.machine.inverse_kinematics.result import PoseSolutions
from revolute.machine.inverse_kinematics.search import RANK, STEPS, TURN, PosedMachine, begin
from revolute.machine.machine import Array, Threads
from revolute.model.configurations import neutral, normalize, quaternions, random_configurations
from revolute.model.model import Model

FIRST, AGAIN = 2 / 3, 4
"""Numbers of starts for `restarts`: of all poses, and of those whose solutions are not balanced."""

SHORT, LONG = 20.0, 40.0
"""Number of steps after which every step must halve the squared error: see `begin`."""

EXACT = 1e-12
"""Tolerance of the attempts [rad, m]. Away from singular positions, ends at one solution then differ by 1e-9."""

SAME = 1e-4
"""Maximum difference of two ends at the same solution [rad, m]."""

SINGULAR = 1e-8
"""|det J| below which solutions may be members of a family [rad, m]."""

FAMILY = 1e-3
"""The same for two members of a family that moved to the nearest one."""

AT_LIMIT = 1e-10
"""Part of a turn by which a solution may exceed a limit by rounding; it is moved to the limit."""

CHUNK = 32
"""Number of poses that are searched for together."""

PROBES = 8
"""Number of random positions that show whether solutions are isolated."""

PARTS, HALVINGS = 4, 12
"""Parts of a line of positions on which singular ones are looked for, and how often a part is halved at most."""


class Wanted(NamedTuple):
    """Options of `inverse_kinematics` for all solutions."""

    turns: bool
    branch: bool
    hold: Mapping[str, Any] | None

    @classmethod
    def of(cls, every: bool, turns: bool, branch: bool, hold: Mapping[str, Any] | None) -> Wanted:
        flags = {"all": every, "turns": turns, "branch": branch}
        for name, flag in flags.items():
            instance(f"{CALLER}: {name}", flag, bool)
        if not every:
            name = next((x for x in flags if flags[x]), "hold")
            raise InputError(f"{CALLER}: {name} is an option of all=True; give it too")
        return cls(turns, branch, hold)


class _Goals(NamedTuple):
    """N poses (N, frames, 4, 4), the positions near which solutions are wanted, limits (N, nq), and joints that turn.

    `angles` are the indices in q of angles that are not held. Their limits count only at the end.
    """

    poses: Array
    near: Array
    lower: Array
    upper: Array
    angles: list[int]

    def part(self, of: Any) -> _Goals:
        return _Goals(*(x[of] for x in self[:4]), self.angles)

    def without_limits_of_angles(self) -> tuple[Array, Array]:
        turning = np.zeros(self.near.shape[1], bool)
        turning[self.angles] = True
        return np.where(turning, -np.inf, self.lower), np.where(turning, np.inf, self.upper)


def all_solutions(
    machine: PosedMachine, plan: Plan, poses: Array, first: Array | None, rng: Any, threads: Threads, wanted: Wanted
) -> PoseSolutions:
    """See `Robot.inverse_kinematics`: all solutions for (..., frames, 4, 4) poses."""
    space = machine._space
    if wanted.branch and first is None:
        raise InputError(f"{CALLER}: branch needs q0, positions on the branch")
    held = _held(space, plan.attempts.limits, wanted.hold)
    goals, batch = _goals(machine, plan, poses, first, held)
    if wanted.turns:
        _require_finite(space, goals)
    moving = [k for k, at in enumerate(_positions(space)) if at not in held]
    starts = _starts(machine, plan, goals, rng, moving)
    place, q, steps, failed = _search(machine, plan, goals, starts, first is not None, moving, threads)
    place, q = _within_limits(goals, place, q, False)
    if not held:
        place, q = _nearest_of_families(machine, plan, goals, place, q, threads)
    place, q = _within_limits(goals, place, q, wanted.turns)
    near = goals.near[place]
    if wanted.branch:
        kept = _on_branch(machine, plan, near, q, moving)
        place, q, near = place[kept], q[kept], near[kept]
    order = np.lexsort((np.linalg.norm(q - near, axis=1), place))
    place, q = place[order], q[order]
    error = plan.error(q, goals.poses[place], threads=threads)
    filled = _filled(place, len(goals.poses))
    q, error = (_padded(x, filled).reshape(*batch, filled.shape[1], x.shape[1]) for x in (q, error))
    counts = filled.reshape(*batch, filled.shape[1]), *(x.reshape(batch)[()] for x in (steps, failed))
    return PoseSolutions(q, error, *counts).of_rows(plan.rows)


def _filled(place: Array, count: int) -> Array:
    """(N, K) whether the k-th solution of a pose exists."""
    number = np.bincount(place, minlength=count)
    return np.asarray(np.arange(number.max(initial=0)) < number[:, None])


def _padded(rows: Array, filled: Array) -> Array:
    """(N, K, ...) rows in the places that are filled, and NaN in others."""
    padded = np.full((*filled.shape, rows.shape[1]), np.nan)
    padded[filled] = rows
    return padded


def _held(space: Model, limits: tuple[Array, Array], hold: Any) -> dict[int, Array]:
    """Values of held joints, by their index in q; they must be within the limits."""
    held = {}
    for name, values in ({} if hold is None else mapping(f"{CALLER}: hold", hold)).items():
        if name not in space.position_names or name not in space.joint_names:
            space.joint_index(name)  # raises if there is no such joint
            raise InputError(f"{CALLER}: hold needs joints with one coordinate; '{name}' has more")
        k = space.position_names.index(name)
        held[k] = finite_array(f"{CALLER}: hold of joint '{name}'", values)
        if not ((limits[0][k] <= held[k]) & (held[k] <= limits[1][k])).all():
            raise InputError(f"{CALLER}: hold of joint '{name}' is outside of its limits {limits[0][k]:g} and "
                             f"{limits[1][k]:g}; correct it, or ignore them: limits=False")  # fmt: skip
    return held


def _goals(
    machine: PosedMachine, plan: Plan, poses: Array, first: Array | None, held: dict[int, Array]
) -> tuple[_Goals, tuple[int, ...]]:
    """The poses with their starts and limits, and the shape of the batch."""
    nq, limits = machine._space.nq, plan.attempts.limits
    near = np.clip(neutral(machine._space), *limits) if first is None else first
    shapes = poses.shape[:-3], near.shape[:-1], *(x.shape for x in held.values())
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"{CALLER}: batches of poses, q0 and hold do not broadcast: {shapes}") from None
    arrays = [np.empty((*batch, *core)) for core in (poses.shape[-3:], (nq,), (nq,), (nq,))]
    for array, x in zip(arrays, (poses, near, *limits), strict=True):
        array[...] = x
    for k, values in held.items():
        for array in arrays[1:]:
            array[..., k] = values
    poses, near, lower, upper = (x.reshape(-1, *x.shape[len(batch) :]) for x in arrays)
    angles = [at.q for at in machine._rotations if at.q not in held]
    return _Goals(poses, near, lower, upper, angles), batch


def _require_finite(space: Model, goals: _Goals) -> None:
    """Raise if an angle has no limits: it has solutions without end."""
    for k in goals.angles:
        if np.isinf([goals.lower[:, k], goals.upper[:, k]]).any():
            raise InputError(
                f"{CALLER}: joint '{space.position_names[k]}' has no limits, so its turns have no end; give "
                "limits=(lower, upper), or omit turns"
            )


def _positions(space: Model) -> list[int]:
    """(nv,) the index in q of the coordinate of each velocity; -1 for those of joints with several."""
    pairs = zip(space.bodies, space.q_index, strict=True)
    return [at.start if body.joint.nq == 1 else -1 for body, at in pairs for _ in range(body.joint.nv)]


def _starts(machine: PosedMachine, plan: Plan, goals: _Goals, rng: Any, moving: list[int]) -> Array:
    """Random starts, enough for all rounds; those of a seed are cached, after a check that solutions are isolated."""
    key = rng, *moving
    if type(rng) is int and key in plan.starts:
        return plan.starts[key]
    limits = (x[0] if len(x) else np.zeros(machine._space.nq) for x in goals.without_limits_of_angles())
    count, generator = max(AGAIN * plan.restarts, PROBES), random_generator(CALLER, rng)
    starts = random_configurations(CALLER, machine._space, *limits, count, generator, plan.attempts.coupled)
    _require_isolated(machine, plan, starts[:PROBES], moving)
    if type(rng) is int:
        plan.starts[key] = starts
    return starts


def _require_isolated(machine: PosedMachine, plan: Plan, q: Array, moving: list[int]) -> None:
    """Raise if the joints move while the frames keep their poses: solutions then form families."""
    J = linearized(machine, plan, q)[..., moving]
    rank = np.linalg.matrix_rank(J).max(initial=0)
    if rank == len(moving):
        return
    space, at = machine._space, _positions(machine._space)
    spare = [
        k for i, k in enumerate(moving) if at[k] >= 0 and np.linalg.matrix_rank(np.delete(J, i, axis=2)).max() == rank
    ]
    name = space.position_names[at[spare[-1]]] if spare else ""
    more = int(len(moving) - rank)
    raise InputError(
        f"{CALLER}: '{space.name}' reaches each pose by a family of solutions: {len(moving)} velocities move, and poses "
        f"determine {rank}. " + (f"Hold {more} joint{'s' * (more > 1)}, such as hold={{'{name}': 0.5}}" if name else "")
    )


def linearized(machine: PosedMachine, plan: Plan, q: Array) -> Array:
    """(N, m, nv) Jacobians of the selected rows of all frames, and of closed loops."""
    poses = np.stack([machine.forward_kinematics(q, frame) for frame in plan.frames], axis=-3)
    kernel = machine._kernel(machine._function("chord_error"), np.float64, {"frames": plan.frames, "rows": plan.rows})
    _, J, *loops = kernel(q, poses)
    return np.concatenate([J, *loops[1:]], axis=-2)


def _search(
    machine: PosedMachine, plan: Plan, goals: _Goals, starts: Array, own: bool, moving: list[int], threads: Threads
) -> tuple[Array, Array, Array, Array]:
    """Places of poses, distinct solutions, and for each pose the number of steps and of failed attempts.

    The signs of det J of all solutions sum to zero if all joints turn without limits: the degree of the map from q to
    poses, which does not reach all poses. Where they do not, one is missing, and more attempts follow.
    """
    space, count = machine._space, max(plan.restarts, 1 - own)
    closed = _square(plan, moving) and {_positions(space)[k] for k in moving} <= set(goals.angles)
    first = math.ceil(FIRST * count) if closed else count
    place, q, steps, failed = _round(space, plan, goals, starts[:first], SHORT, own, threads)
    if closed:
        signs = np.sign(np.linalg.det(linearized(machine, plan, q)[..., moving]))
        number, total = (np.bincount(place, x, minlength=len(goals.poses)) for x in (None, signs))
        again = np.flatnonzero((number == 0) | (total != 0))
        if len(again):
            more = _round(space, plan, goals.part(again), starts[: AGAIN * count], LONG, own, threads)
            kept = ~np.isin(place, again)
            place, q = np.append(place[kept], again[more[0]]), np.concatenate([q[kept], more[1]])
            steps[again] += more[2]
            failed[again] = more[3]
    return place, q, steps, failed


def _square(plan: Plan, moving: list[int]) -> bool:
    return sum(map(len, plan.rows)) == len(moving)


def _nearest_of_families(
    machine: PosedMachine, plan: Plan, goals: _Goals, place: Array, q: Array, threads: Threads
) -> tuple[Array, Array]:
    """Singular solutions may be one of a family, which joints move along without the frame. They move towards `near`.

    Those that end at the same positions are one solution.
    """
    space, attempts = machine._space, plan.attempts
    if not _square(plan, [*range(space.nv)]):
        return place, q
    singular = np.flatnonzero(np.abs(np.linalg.det(linearized(machine, plan, q))) < SINGULAR)
    if not len(singular):
        return place, q
    of, zero = place[singular], np.zeros(len(singular), int)
    motion = partial(null_motion, machine, plan.frames, plan.rows, attempts.limits, threads)
    target = Posture(space, goals.near[of], np.ones(space.nv), ())
    q[singular] = target.approached(attempts, motion, Found(q[singular], zero == 0, zero, zero), goals.poses[of]).q
    order = np.argsort(place, kind="stable")
    place, q = place[order], q[order]
    filled = _filled(place, len(goals.poses))
    padded = _padded(q, filled)
    place, k = distinct(padded, filled, goals.angles, quaternions(space), FAMILY)
    return place, padded[place, k]


def _round(
    space: Model, plan: Plan, goals: _Goals, starts: Array, patience: float, own: bool, threads: Threads
) -> tuple[Array, Array, Array, Array]:
    """See `_search`: attempts from the same random starts for all poses; `own` starts also from `near`."""
    count, kernel, least = len(goals.poses), plan.attempts.kernel, plan.attempts.tolerance**2
    turning = goals.angles, quaternions(space)
    steps, failed = np.zeros((2, count), int)
    parts = [slice(k, min(k + CHUNK, count)) for k in range(0, count, CHUNK)]
    found: dict[int, tuple[Array, Array]] = {0: (np.empty(0, int), np.empty((0, starts.shape[1])))}
    held = [k for k in range(starts.shape[1]) if k not in goals.angles]

    def advance(lower: Array, upper: Array, poses: Array, state: Array) -> Array:
        return np.asarray(kernel.ufunc(lower, upper, EXACT, poses, state))

    def search(part: slice) -> None:
        some = goals.part(part)
        n, each, nq = len(some.poses), own + len(starts), starts.shape[1]
        state = np.empty((n, each, nq + len(begin(patience))))
        state[:, own:, :nq], state[..., nq:] = starts, begin(patience)
        state[:, : int(own), :nq] = some.near[:, None][:, : int(own)]
        state[..., held] = np.clip(state[..., held], some.lower[:, None, held], some.upper[:, None, held])
        rows = tuple(x.repeat(each, axis=0) for x in (*some.without_limits_of_angles(), some.poses))
        last = ends(advance, rows, state.reshape(n * each, -1)).reshape(n, each, -1)
        exact = last[..., RANK] < 0  # other ends within the tolerance lie around these, or are all that there is
        reached = np.where(exact.any(axis=1, keepdims=True), exact, last[..., RANK] <= least)
        steps[part], failed[part] = last[..., STEPS].sum(axis=1), (~reached).sum(axis=1)
        place, k = distinct(last[..., :nq], reached, *turning)
        found[1 + part.start] = place + part.start, last[place, k, :nq]

    on_threads(search, parts, workers_for(threads, float(count) * len(starts) * kernel.operations))
    place, q = (np.concatenate(x) for x in zip(*(found[k] for k in sorted(found)), strict=True))
    return place, q, steps, failed


def distinct(q: Array, reached: Array, angles: list[int], turns: list[slice], least: float = SAME) -> tuple[Array, Array]:
    """Indices (place, attempt) of one attempt for each distinct end of (N, attempts, nq) that counts.

    Ends are one solution if angles are equal modulo 2 pi, quaternions up to their sign, and other coordinates.
    """
    unit = np.ones((q.shape[-1], 1, 1))
    unit[angles] = TURN
    columns, angle, same = np.ascontiguousarray(np.moveaxis(q, -1, 0)) / unit, unit > 1, least / unit
    columns = (columns - np.rint(columns) * angle).astype(np.float32)  # precise enough within one turn, and faster
    angle, same = angle.astype(np.float32), same.astype(np.float32)
    place, places, attempts = np.arange(len(q)), [np.empty(0, int)], [np.empty(0, int)]
    while True:
        going = reached.any(axis=1)
        if not going.all():
            place, reached, columns = place[going], reached[going], columns[:, going]
        if not len(place):
            return np.concatenate(places), np.concatenate(attempts)
        chosen, each = reached.argmax(axis=1), np.arange(len(place))
        ends = columns[:, each, chosen][..., None]
        way = columns - ends
        way -= np.rint(way) * angle
        for x in turns:
            way[x] = columns[x] * np.sign((columns[x] * ends[x]).sum(axis=0)) - ends[x]
        reached = reached & (np.abs(way) > same).any(axis=0)
        reached[each, chosen] = False
        places.append(place)
        attempts.append(chosen)


def _within_limits(goals: _Goals, place: Array, q: Array, turns: bool) -> tuple[Array, Array]:
    """Solutions whose angles fit into the limits after whole turns, nearest to `near`; with `turns` all of them."""
    of = goals.part(place)
    q, at = q.copy(), goals.angles
    with np.errstate(invalid="ignore"):
        first = np.ceil((of.lower - q)[:, at] / TURN - AT_LIMIT)
        last = np.floor((of.upper - q)[:, at] / TURN + AT_LIMIT)
    fits = (first <= last).all(axis=1)
    place, q, first, last, of = place[fits], q[fits], first[fits], last[fits], of.part(fits)
    if turns:
        ranges = [product(*map(range, x, y)) for x, y in zip(first.astype(int), last.astype(int) + 1, strict=True)]
        rows = [list(x) for x in ranges]
        again = np.arange(len(q)).repeat([len(x) for x in rows])
        turned = np.array([turn for x in rows for turn in x]).reshape(len(again), len(at))
        place, q, of = place[again], q[again], of.part(again)
    else:
        turned = np.clip(np.rint((of.near - q)[:, at] / TURN), first, last)
    q[:, at] += TURN * turned
    return place, np.clip(q, of.lower, of.upper)


def _on_branch(machine: PosedMachine, plan: Plan, near: Array, q: Array, moving: list[int]) -> Array:
    """Whether lines of positions from `near` to q cross no singular position.

    Between positions with Jacobians J and J' there is none if |J' - J| is less than the sum of their least singular
    values (Weyl's inequality, for lines so short that J moves evenly). Other parts are halved.
    """
    kept, size = np.ones(len(q), bool), 1 / PARTS
    row, part = np.divmod(np.arange(len(q) * PARTS), PARTS)
    begins = part * size
    for _ in range(HALVINGS):
        share = np.stack([begins, begins + size])[..., None]
        line = normalize(machine._space, near[row] + (q - near)[row] * share).reshape(-1, q.shape[1])
        J = linearized(machine, plan, line)[..., moving]
        first, last = J.reshape(2, len(row), *J.shape[1:])
        least = np.linalg.svd(J, compute_uv=False)[:, -1].reshape(2, len(row)).sum(axis=0)
        kept[row[np.linalg.det(np.swapaxes(first, 1, 2) @ last) < 0]] = False
        unsure = (np.linalg.norm(last - first, axis=(1, 2)) >= least) & kept[row]
        size /= 2
        row, begins = row[unsure].repeat(2), (begins[unsure, None] + (0, size)).ravel()
        if not len(row):
            break
    kept[row] = False
    return kept
