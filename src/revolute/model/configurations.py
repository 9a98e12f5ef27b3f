"""Neutral and random configurations, and angles modulo 2 pi."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError
from revolute.model.coupled_limits import CoupledLimits
from revolute.model.joints import Planar, Revolute
from revolute.model.joints.joint import span
from revolute.model.model import Model
from revolute.spatial.scalar import nearest_turn

BLOCK = 4096  # number of random positions drawn at a time, small enough for the processor's cache


def neutral(model: Model) -> list[float]:
    """(nq,) coordinates of the neutral configuration."""
    return [x for body in model.bodies for x in body.joint.neutral()]


def angle_places(model: Model) -> list[int]:
    """The indices in q of the coordinates that are angles [rad]."""
    return [at.start + k for body, at in zip(model.bodies, model.q_index, strict=True) for k in body.joint.angles]


class Turning(NamedTuple):
    """An angle that is equivalent modulo 2 pi: its indices in q and in qd."""

    q: int
    qd: int


def rotations(model: Model) -> tuple[Turning, ...]:
    """The angles that are equivalent modulo 2 pi, including those with limits; helical joints have none."""
    return tuple(
        Turning(at.start + k, to.start)
        for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True)
        if isinstance(body.joint, (Revolute, Planar))
        for k in body.joint.angles
    )


def continuous(model: Model) -> tuple[Turning, ...]:
    """The coordinates of continuous joints, which rotate without limits; helical joints are excluded."""
    return tuple(
        Turning(at.start, to.start)
        for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True)
        if isinstance(body.joint, Revolute) and not any(map(math.isfinite, (*body.limits.lower, *body.limits.upper)))
    )


def nearest(q: Array, near: Array, turning: Sequence[Turning]) -> Array:
    """(..., nq) positions, with multiples of 2 pi added so that no `turning` coordinate is more than pi from `near`."""
    places, q = [at.q for at in turning], q.copy()
    with np.errstate(invalid="ignore"):  # compiled kernels do not warn about infinities either
        q[..., places] = nearest_turn(q[..., places], near[..., places])
    return q


def unwrapped(q: Array, turning: Sequence[Turning]) -> Array:
    """(k, nq) positions, with multiples of 2 pi added so that each row is nearest to the previous row."""
    rows = [q[0]]
    for row in q[1:]:
        rows.append(nearest(row, rows[-1], turning))
    return np.stack(rows)


def random_configurations(
    caller: str, model: Model, lower: Array, upper: Array, count: int, rng: np.random.Generator,
    coupled: CoupledLimits | None = None,
) -> Array:
    """(count, nq) random positions, uniform within the (nq,) limits and the limits `coupled` of several coordinates.

    See `Robot.random_configuration`. If no position satisfies the limits, the error message begins with `caller`.
"""
    low, high = _spans(caller, model, lower, upper)
    q = np.empty((count, model.nq))
    for start in range(0, count, BLOCK):
        _draw(q[start : start + BLOCK], low, high, quaternions(model), rng)
    if coupled is not None:
        angles = np.isin(np.arange(model.nq), angle_places(model))
        if not coupled.redrawn(q, lower, upper, angles, rng):
            names = ", ".join(f"'{name}'" for name in coupled.names)
            raise InputError(f"{caller}: found no positions within the limits of {names}; give both limits of each")
    return q


def _spans(caller: str, model: Model, lower: Array, upper: Array) -> tuple[list[float], list[float]]:
    """For every coordinate, the range of random values: see `span`."""
    angles = set(angle_places(model))
    spans = []
    for body, at in zip(model.bodies, model.q_index, strict=True):
        for k in range(at.start, at.stop):
            low, high = float(lower[k]), float(upper[k])
            if not (low <= high and low < math.inf and high > -math.inf):
                raise InputError(
                    f"{caller}: joint '{body.joint_name}' has no position between its limits {low:g} and {high:g}; "
                    "correct them"
                )
            spans.append(span(low, high, math.pi if k in angles else 1.0))
    return [low for low, _ in spans], [high for _, high in spans]


def quaternions(model: Model) -> list[slice]:
    """The slices of q that contain quaternions."""
    pairs = zip(model.bodies, model.q_index, strict=True)
    starts = [at.start + b.joint.quaternion_at for b, at in pairs if b.joint.quaternion_at is not None]
    return [slice(k, k + 4) for k in starts]


def _draw(q: Array, low: list[float], high: list[float], turns: list[slice], rng: np.random.Generator) -> None:
    """Fill (n, nq) rows, coordinate by coordinate: uniform within ranges, quaternions uniform over all rotations."""
    at, u = 0, np.empty(len(q))
    for turn in [*turns, None]:
        for k in range(at, q.shape[1] if turn is None else turn.start):
            rng.random(out=u)
            u *= high[k] - low[k]
            np.add(u, low[k], out=q[:, k])
        if turn is not None:
            x, y, z, w = entries = rng.standard_normal((len(q), 4)).T
            length = np.sqrt(x * x + y * y + z * z + w * w)
            for k, entry in enumerate(entries, turn.start):
                q[:, k] = entry / length
            at = turn.stop
