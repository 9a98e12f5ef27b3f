"""Limits of coordinates, from the limits of all joints that follow them.

A joint q = f p + b that follows one coordinate limits it: lower <= f p + b <= upper, |f pd| <= velocity. Joints that
follow several coordinates limit them jointly: see `CoupledLimits`. Limits of coordinates then form a bounding box.

Forces of coordinates are A^T times joint forces. Joints in a fixed ratio, such as leader and follower, are treated as
one joint: any of them can transmit the entire force, |tau| <= |f| effort.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from revolute.dynamics.drivetrain import Drivetrain, Row
from revolute.errors import InputError
from revolute.io.plain import listed
from revolute.machine.machine import Array
from revolute.model import Body, CoupledLimits, Model
from revolute.model.polytope import Contradiction, corner
from revolute.spatial.scalar import Scalar

GAP = 1e-9  # relative difference below which two limits count as equal


class _Follower(NamedTuple):
    """A joint: lower <= row.p + offset <= upper, |row.pd| <= velocity; fields without a limit are infinite."""

    name: str
    row: Array
    offset: float
    lower: float
    upper: float
    velocity: float
    effort: float


def limited(model: Model, coordinates: Sequence[Body], A: Sequence[Row], b: Sequence[Scalar]) -> Iterator[Body]:
    """The coordinates with limits from all joints that follow them by phi = A q + b.

    A lower limit exceeds the upper one if no position is feasible.
    """
    n = sum(body.joint.nv for body in coordinates)
    followers = _followers(model, n, A, b)
    low, high = _box(followers, n)
    _, speed = _box([x._replace(lower=-x.velocity, upper=x.velocity, offset=0.0) for x in followers], n)
    columns = {"lower": low, "upper": high, "velocity": speed, "effort": _efforts(followers, n)}
    k = 0
    for body in coordinates:
        if body.joint.nv == 1:
            found = {name: (float(x[k]) + 0.0,) for name, x in columns.items() if math.isfinite(x[k])}
            body = replace(body, limits=replace(body.limits, **found))
        yield body
        k += body.joint.nv


def coupled_limits(model: Model, drives: Drivetrain) -> CoupledLimits | None:
    """Limits of positions, velocities and forces of joints that follow several coordinates; None without limits."""
    space = drives.space
    followers = _followers(model, space.nv, drives.A, drives.b)
    several = [x for x in followers if np.count_nonzero(x.row) > 1]
    if all(math.isinf(end) for x in several for end in x[3:]):
        return None
    forces = list(_forces(followers, space.nv))
    places = [at.start if body.joint.nv == 1 else 0 for body, at in zip(space.bodies, space.q_index, strict=True)
              for _ in range(body.joint.nv)]  # fmt: skip
    linear = {body.joint_name: body.joint.linear for body in model.bodies}
    return CoupledLimits(
        names=tuple(x.name for x in several),
        units=tuple("m" if linear[x.name][0] else "rad" for x in several),
        rows=tuple(tuple(x.row.tolist()) for x in several),
        offsets=tuple(x.offset for x in several),
        lower=tuple(x.lower for x in several),
        upper=tuple(x.upper for x in several),
        velocity=tuple(x.velocity for x in several),
        force_names=tuple(name for name, _, _ in forces),
        force_units=tuple("N" if linear[name][0] else "N m" for name, _, _ in forces),
        force_rows=tuple(tuple(row.tolist()) for _, row, _ in forces),
        effort=tuple(effort for _, _, effort in forces),
        places=tuple(places),
    )


def require_positions(model: Model, drives: Drivetrain) -> None:
    """Raise `InputError` unless a position satisfies all limits; the message names joints whose limits conflict."""
    followers = _followers(model, drives.space.nv, drives.A, drives.b)
    names = [x.name for x in followers if not x.row.any() and not x.lower <= x.offset <= x.upper]
    for k, (low, high) in enumerate(zip(*_box(followers, drives.space.nv), strict=True)):
        own = [(*_interval(x, k), x.name) for x in followers if _is_single(x) and x.row[k]]
        if low > high and len(own) > 1 and not names:
            names = [max(own)[2], min(own, key=lambda x: x[1])[2]]
    rows, G, h = _half_spaces(followers)
    if not names and len(G) and any(np.count_nonzero(x.row) > 1 for x in followers):
        try:
            corner(np.zeros(drives.space.nv), G, h)
        except Contradiction as error:
            names = [followers[rows[k]].name for k in error.rows]
    if names:
        raise InputError(
            f"robot '{model.name}' with its drives has no position within the limits of all joints: the limits of "
            f"{listed([*dict.fromkeys(names)], 8)} contradict each other. Correct limits, or multipliers and offsets"
        )


def _followers(model: Model, n: int, A: Sequence[Row], b: Sequence[Scalar]) -> list[_Follower]:
    """All joints with one coordinate. Limits of joints with symbolic couplings are unknown."""
    found = []
    for body, at in zip(model.bodies, model.v_index, strict=True):
        if body.joint.nv != 1:
            continue
        entries, offset, limits = A[at.start], b[at.start], body.limits
        row = np.zeros(n)
        if any(getattr(x, "free_symbols", ()) for x in (offset, *(factor for _, factor in entries))):
            row[[k for k, _ in entries]] = 1.0
            found.append(_Follower(body.joint_name, row, 0.0, -math.inf, math.inf, math.inf, math.inf))
            continue
        for k, factor in entries:
            row[k] = factor
        ends = _first(limits.lower, -math.inf), _first(limits.upper, math.inf)
        rates = (_first(x, 0.0) or math.inf for x in (limits.velocity, limits.effort))  # a limit of 0 means unknown
        found.append(_Follower(body.joint_name, row, float(offset), *ends, *rates))
    return found


def _first(column: tuple[float, ...], default: float) -> float:
    return float(column[0]) if column else default


def _is_single(x: _Follower) -> bool:
    return bool(np.count_nonzero(x.row) == 1)


def _interval(x: _Follower, k: int) -> tuple[float, float]:
    """Interval of coordinate k within the limits of a joint that follows only this coordinate."""
    low, high = ((end - x.offset) / float(x.row[k]) + 0.0 for end in (x.lower, x.upper))
    return (low, high) if x.row[k] > 0 else (high, low)


def _half_spaces(followers: Sequence[_Follower]) -> tuple[list[int], Array, Array]:
    """The finite position limits as half-spaces G p <= h: each row's index in `followers`, G and h."""
    ends = [
        (k, sign * x.row, sign * (end - x.offset))
        for k, x in enumerate(followers)
        for sign, end in ((-1, x.lower), (1, x.upper))
        if math.isfinite(end) and x.row.any()
    ]
    places, G, h = zip(*ends, strict=True) if ends else ((), (), ())
    return list(places), np.array(G), np.array(h)


def _box(followers: Sequence[_Follower], n: int) -> tuple[Array, Array]:
    """(n,) lowest and highest values of each coordinate within the limits of all joints."""
    low, high = np.full(n, -math.inf), np.full(n, math.inf)
    for x in filter(_is_single, followers):
        k = int(np.flatnonzero(x.row)[0])
        ends = _interval(x, k)
        low[k], high[k] = max(low[k], ends[0]), min(high[k], ends[1])
    several = [x.row != 0 for x in followers if np.count_nonzero(x.row) > 1]
    if several:
        columns = np.any(several, axis=0)
        _, G, h = _half_spaces([x for x in followers if x.row[columns].any()])
        box = _bounding_box(n, tuple(map(tuple, G.tolist())), tuple(h.tolist()))
        low, high = np.where(columns, np.fmax(low, box[0]), low), np.where(columns, np.fmin(high, box[1]), high)
    gap = (low > high) & (low - high <= GAP * np.maximum(1.0, np.abs(high)))
    low[gap] = high[gap] = (low[gap] + high[gap]) / 2
    return low, high


@lru_cache(maxsize=64)
def _bounding_box(n: int, G: tuple[tuple[float, ...], ...], h: tuple[float, ...]) -> tuple[Array, Array]:
    """(n,) lowest and highest p with G p <= h; infinite if no p is feasible, which `require_positions` reports."""
    # Robots with other parameters have the same limits, and searches for parameters make many of them.
    low, high = np.full(n, -math.inf), np.full(n, math.inf)
    spaces = np.array(G), np.array(h)
    try:
        for c in (np.zeros(n), *np.eye(n)) if G else ():
            first, last = corner(-c, *spaces), corner(c, *spaces)
            low = low if first is None else np.where(c != 0, first, low)
            high = high if last is None else np.where(c != 0, last, high)
    except Contradiction:
        pass
    return low, high


def _ratios(followers: Sequence[_Follower]) -> list[_Follower]:
    """One joint of each group in fixed ratios, with the largest effort that the limits of the whole group permit."""
    weakest: dict[tuple[float, ...], _Follower] = {}
    for x in followers:
        if x.row.any():
            factor = x.row[np.abs(x.row).argmax()]
            direction = tuple((x.row / factor).round(12).tolist())
            first = weakest.setdefault(direction, x)
            ratio = abs(factor) / np.abs(first.row).max()  # ratio of speeds, the reciprocal ratio of forces
            weakest[direction] = first._replace(effort=min(first.effort, ratio * x.effort))
    return list(weakest.values())


def _efforts(followers: Sequence[_Follower], n: int) -> Array:
    """(n,) maximum forces |A|^T effort of coordinates; infinite where an effort is unknown."""
    with np.errstate(invalid="ignore"):  # 0 * inf is NaN
        forces = [np.where(x.row != 0, np.abs(x.row) * x.effort, 0.0) for x in _ratios(followers)]
    total = np.sum([np.zeros(n), *forces], axis=0)
    return np.asarray(np.where(total > 0, total, math.inf))


def _forces(followers: Sequence[_Follower], n: int) -> Iterator[tuple[str, Array, float]]:
    """Name, row of F and effort of joints that share coordinates, where tau determines the joint forces F tau."""
    joints = _ratios(followers)
    groups: list[set[int]] = []
    for x in joints:
        columns = {*np.flatnonzero(x.row).tolist()}
        groups = [*(g for g in groups if not g & columns), columns.union(*(g for g in groups if g & columns))]
    for group in groups:
        at = sorted(group)
        own = [x for x in joints if x.row[at].any()]
        if len(own) == len(at) > 1 and any(math.isfinite(x.effort) for x in own):
            F = np.zeros((len(own), n))
            F[:, at] = np.linalg.inv(np.array([x.row[at] for x in own]).T)
            yield from ((x.name, row, x.effort) for x, row in zip(own, F, strict=True))
