"""Select distinct solutions, modulo whole turns: within limits, in families of solutions, and on branches."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from revolute.errors import InputError
from revolute.machine.inverse_kinematics.arguments import CALLER
from revolute.machine.inverse_kinematics.plan import Found, Plan
from revolute.machine.inverse_kinematics.posture import Posture
from revolute.machine.inverse_kinematics.search import TURN, PosedMachine
from revolute.machine.machine import Array
from revolute.model.configurations import Turning, quaternions
from revolute.model.model import Model

SAME = 1e-4  # maximum difference of two ends at the same solution [rad, m]
FAMILY = 1e-3  # the same for two members of a family after their motion to the nearest one
SINGULAR = 1e-5  # least singular value of J below which solutions may be members of a family [rad, m]

CORRECTIONS, REACHED = 4, 5e-12
"""Newton steps after each motion along a family, and maximum error after them [rad, m]."""

AT_LIMIT = 1e-10  # part of a turn by which a solution may exceed a limit by rounding; it is moved to the limit
MOST = 1_000_000  # maximum number of solutions with turns

PARTS, HALVINGS = 4, 9
"""Number of parts of a line on which singular positions are sought, and maximum number of halvings of a part."""


class PoseGoals(NamedTuple):
    """N poses (N, frames, 4, 4), positions (N, nq) near which solutions are wanted, limits (N, nq), and turning angles.

    `angles` are coordinates that are not held, and of which a whole turn moves no link. Searches ignore their limits.
    """

    poses: Array
    near: Array
    lower: Array
    upper: Array
    angles: tuple[Turning, ...]

    def part(self, of: Any) -> PoseGoals:
        """The goals of the poses with the indices `of`."""
        return PoseGoals(self.poses[of], self.near[of], self.lower[of], self.upper[of], self.angles)

    def without_limits_of_angles(self) -> tuple[Array, Array]:
        """(N, nq) limits of the search, infinite for angles."""
        lower, upper, at = self.lower.copy(), self.upper.copy(), [x.q for x in self.angles]
        lower[:, at], upper[:, at] = -np.inf, np.inf
        return lower, upper


def filled_places(place: Array, count: int) -> Array:
    """(N, K) whether each pose has a k-th solution; `place` contains the index of the pose of each solution."""
    number = np.bincount(place, minlength=count)
    return np.asarray(np.arange(number.max(initial=0)) < number[:, None])


def padded(rows: Array, filled: Array) -> Array:
    """(N, K, ...) table that contains the rows, in order, where `filled` is True, and NaN elsewhere."""
    table = np.full((*filled.shape, rows.shape[1]), np.nan)
    table[filled] = rows
    return table


def linearized(machine: PosedMachine, plan: Plan, q: Array) -> Array:
    """(N, m, nv) Jacobians of the selected rows of all frames, and of closed loops."""
    return _errors(machine, plan, q, np.stack([machine.forward_kinematics(q, x) for x in plan.frames], axis=-3))[1]


def _errors(machine: PosedMachine, plan: Plan, q: Array, poses: Array) -> tuple[Array, Array]:
    """(N, m) errors of the selected rows of all frames, and of closed loops, and their (N, m, nv) Jacobians."""
    kernel = machine._kernel(machine._function("chord_error"), np.float64, {"frames": plan.frames, "rows": plan.rows})
    e, J, *loops = kernel(q, poses)
    return (np.hstack([e, -loops[0]]), np.concatenate([J, loops[1]], axis=-2)) if loops else (e, J)


def distinct(
    space: Model, angles: tuple[Turning, ...], q: Array, reached: Array, same: float = SAME
) -> tuple[Array, Array]:
    """Indices (pose, attempt) of one attempt for each distinct solution among the ends q (N, attempts, nq)."""
    # Ends are equal if their angles are, modulo 2 pi, their quaternions, up to their sign, and other coordinates.
    unit = np.ones((space.nq, 1, 1))
    unit[[at.q for at in angles]] = TURN
    columns, angle, least = np.ascontiguousarray(np.moveaxis(q, -1, 0)) / unit, unit > 1, np.float32(same) / unit
    columns = (columns - np.rint(columns) * angle).astype(np.float32)  # precise enough within one turn, and faster
    angle, least = angle.astype(np.float32), least.astype(np.float32)
    place, places, attempts = np.arange(len(q)), [np.empty(0, int)], [np.empty(0, int)]
    while True:
        going = reached.any(axis=1)
        if not going.all():
            place, reached, columns = place[going], reached[going], columns[:, going]
        if not len(place):
            return np.concatenate(places), np.concatenate(attempts)
        chosen, each = reached.argmax(axis=1), np.arange(len(place))
        end = columns[:, each, chosen][..., None]
        way = columns - end
        way -= np.rint(way) * angle
        for at in quaternions(space):
            way[at] = columns[at] * np.sign((columns[at] * end[at]).sum(axis=0)) - end[at]
        reached = reached & (np.abs(way) > least).any(axis=0)
        reached[each, chosen] = False
        places.append(place)
        attempts.append(chosen)


def within_limits(space: Model, goals: PoseGoals, place: Array, q: Array, turns: bool) -> tuple[Array, Array]:
    """Solutions moved into the limits by whole turns: the one nearest to `near`, or with `turns` all that fit."""
    of, at = goals.part(place), [x.q for x in goals.angles]
    first = np.ceil((of.lower - q)[:, at] / TURN - AT_LIMIT)
    last = np.floor((of.upper - q)[:, at] / TURN + AT_LIMIT)
    fits = (first <= last).all(axis=1)
    place, q, of, first, last = place[fits], q[fits], of.part(fits), first[fits], last[fits]
    if turns:
        if (endless := np.isinf((goals.upper - goals.lower)[:, at]).any(axis=0)).any():
            raise InputError(
                f"{CALLER}: joint '{space.position_names[at[endless.argmax()]]}' has no limits, and so infinitely "
                "many turns; give limits=(lower, upper), or omit turns"
            )
        if (total := np.prod(last - first + 1, axis=1).sum()) > MOST:
            widest = at[(goals.upper - goals.lower)[:, at].max(axis=0).argmax()]
            raise InputError(
                f"{CALLER}: with turns there are {total:.2g} solutions, but at most {MOST:,} are returned; narrow the "
                f"limits, of which those of joint '{space.position_names[widest]}' are the widest, or omit turns"
            )
        ranges = zip(first.astype(int), last.astype(int) + 1, strict=True)
        numbers = [[*product(*map(range, x, y))] for x, y in ranges]
        again = np.arange(len(q)).repeat([len(x) for x in numbers])
        place, q, of = place[again], q[again], of.part(again)
        turned = np.array([x for each in numbers for x in each]).reshape(len(q), len(at))
    else:
        turned = np.clip(np.rint((of.near - q)[:, at] / TURN), first, last)
    q[:, at] += TURN * turned
    return place, np.clip(q, of.lower, of.upper)


def nearest_of_families(
    machine: PosedMachine, plan: Plan, goals: PoseGoals, place: Array, q: Array, singular: Array, moving: list[int]
) -> tuple[Array, Array]:
    """The solutions; members of families are replaced by the members nearest to `near`, and equal ones merged."""
    # At a singular solution joints may move without the frame. Distances along a family may have several minima. Angles
    # that may make a whole turn take the shortest one, and ignore limits: whole turns lead back into them.
    space = machine._space
    of, members = within_limits(space, goals, place[singular], q[singular], False)
    some, none = goals.part(of), np.zeros(len(of), int)
    wide = tuple(at for at in goals.angles if (goals.upper - goals.lower)[:, at.q].min(initial=TURN) >= TURN)
    limits = lower, upper = some._replace(angles=wide).without_limits_of_angles()

    def find(rows: Array, q: Array) -> Found:
        for _ in range(CORRECTIONS):  # not along families
            e, J = _errors(machine, plan, q, some.poses[rows])
            d = np.zeros((len(q), space.nv))
            d[:, moving] = (np.linalg.pinv(J[..., moving], SINGULAR) @ e[..., None])[..., 0]
            q = np.clip(space.integrate(q, d), lower[rows], upper[rows])
        left = np.linalg.norm(_errors(machine, plan, q, some.poses[rows])[0], axis=1)
        return Found(q, left < REACHED, none[rows], none[rows])

    def held(way: Array, q: Array, rows: Array) -> Array:
        values, V = np.linalg.svd(_errors(machine, plan, q, some.poses[rows])[1][..., moving])[1:]
        regular = V[:, : values.shape[1]] * (values > SINGULAR)[..., None]
        z = np.zeros_like(way)
        z[:, moving] = way[:, moving] - np.einsum("nki,nkj,nj->ni", regular, regular, way[:, moving])
        return z

    target = Posture(space, some.near, np.ones(space.nv), wide)
    members = target.approached(limits, find, held, Found(members, none == 0, none, none)).q
    order = np.argsort(of, kind="stable")
    filled = filled_places(of, len(goals.poses))
    table = padded(members[order], filled)
    once, k = distinct(space, goals.angles, np.nan_to_num(table), filled, FAMILY)
    return np.append(place[~singular], once), np.concatenate([q[~singular], table[once, k]])


def on_branch(machine: PosedMachine, plan: Plan, near: Array, q: Array, moving: list[int]) -> Array:
    """Whether the line from `near` to each q crosses no singular position."""
    # Between positions with Jacobians J and J' there is none if |J' - J| is less than the sum of their least singular
    # values (Weyl's inequality, for parts so short that J changes evenly). Other parts are halved.
    kept, size = np.ones(len(q), bool), 1 / PARTS
    row, part = np.divmod(np.arange(len(q) * PARTS), PARTS)
    begins = part * size
    for _ in range(HALVINGS):
        share = np.stack([begins, begins + size])[..., None]
        line = machine._space.normalize(near[row] + (q - near)[row] * share).reshape(-1, q.shape[1])
        J = linearized(machine, plan, line)[..., moving]
        if J.shape[1] > sum(map(len, plan.rows)):
            raise InputError(f"{CALLER}: branch does not support closed loops; choose among all solutions by distance")
        first, last = J.reshape(2, len(row), *J.shape[1:])
        kept[row[np.linalg.det(np.swapaxes(first, 1, 2) @ last) < 0]] = False
        left = kept[row]
        row, begins, first, last = row[left], begins[left], first[left], last[left]
        least = sum(np.linalg.svd(J, compute_uv=False)[:, -1] for J in (first, last))
        unsure = np.linalg.norm(last - first, axis=(1, 2)) >= least
        size /= 2
        row, begins = row[unsure].repeat(2), (begins[unsure, None] + (0, size)).ravel()
        if not len(row):
            break
    kept[row] = False
    return kept
