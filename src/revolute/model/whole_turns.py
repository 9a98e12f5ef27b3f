"""Continuous joints: revolute joints without limits, whose positions are equivalent modulo 2 pi."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revolute.model.joints import Revolute
from revolute.model.model import Model
from revolute.spatial.scalar import nearest_turn

Array = NDArray[Any]


class Turning(NamedTuple):
    """A coordinate that may rotate without limits: its indices in q and in qd."""

    q: int
    qd: int


def continuous(model: Model) -> tuple[Turning, ...]:
    """The coordinates of continuous joints, which rotate without limits; screws are excluded."""
    return tuple(
        Turning(at.start, to.start)
        for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True)
        if isinstance(body.joint, Revolute) and not any(map(math.isfinite, (*body.limits.lower, *body.limits.upper)))
    )


def nearest(q: Array, near: Array, turning: Sequence[Turning]) -> Array:
    """(..., nq) positions, with multiples of 2 pi added so that no `turning` coordinate is more than pi from `near`."""
    places, q = [at.q for at in turning], q.copy()
    with np.errstate(invalid="ignore"):  # no warnings of infinity, as in kernels
        q[..., places] = nearest_turn(q[..., places], near[..., places])
    return q


def unwrapped(q: Array, turning: Sequence[Turning]) -> Array:
    """(k, nq) positions, with multiples of 2 pi added so that each row is nearest to the previous row."""
    rows = [q[0]]
    for row in q[1:]:
        rows.append(nearest(row, rows[-1], turning))
    return np.stack(rows)
