"""Gaits as phases in which the same feet hold. Hildebrand 1989.

Each foot holds for a fraction of the period, the duty factor. The phase offsets of feet are also fractions of the
period.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import finite_array, instances, nearest, positive, whole_number
from revolute.errors import InputError, ShapeError, UnknownNameError

GAITS: dict[str, tuple[Callable[[int, int, int], float], float]] = {
    "stand": (lambda row, side, rows: 0.0, 1.0),
    "walk": (lambda row, side, rows: side / 2 + (rows - 1 - row) / (2 * rows), 0.75),  # lateral sequence
    "trot": (lambda row, side, rows: (row + side) % 2 / 2, 0.5),  # diagonal pairs; a tripod of six legs
    "pace": (lambda row, side, rows: side / 2, 0.5),
    "bound": (lambda row, side, rows: row / rows, 0.5),
    "jump": (lambda row, side, rows: 0.0, 0.5),  # all feet at once: a pronk
}
"""Phase offset of a foot by its row from the front, its side (0 left, 1 right) and the number of rows; duty factor."""


@dataclass(frozen=True)
class Phase:
    """A part of a motion in which the same feet hold.

    Attributes:
        name: name of the phase, for reports.
        duration: length of the phase [s].
        feet: links of the feet that hold.
        velocity: (x, y, yaw) velocity of the base, with x along its heading [m/s, rad/s].
    """

    name: str
    duration: float
    feet: Sequence[str]
    velocity: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        what = f"Phase '{self.name}'"
        instances(f"{what}: feet", self.feet, str)
        if not np.isfinite(positive(f"{what}: duration", self.duration)):
            raise InputError(f"{what}: duration must be finite")
        if finite_array(f"{what}: velocity", self.velocity).shape != (3,):
            raise ShapeError(f"{what}: velocity must be three numbers, not {self.velocity!r}")


def gait(
    name: str, feet: Mapping[str, ArrayLike], *, period: float = 0.5, duty: float | None = None, cycles: int = 1,
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
) -> list[Phase]:
    """The phases of the gait `name`: "stand", "walk", "trot", "pace", "bound" or "jump".

    Args:
        feet: {link of a foot: its place (x, y, ...)}, x to the front and y to the left, such as the result of
            `ContactSchedule.feet`. Places decide which feet are left, and which are in front.
        period: length of a cycle, the stride [s].
        duty: fraction of the period in which a foot holds; by default 0.75 for "walk", 1 for "stand", else 0.5.
        cycles: number of periods.
        velocity: see `Phase`. The length of a stride is velocity times period.

    Raises:
        UnknownNameError: there is no such gait.
        InputError: a number is invalid, or there are no feet.

    Example:
        >>> from revolute.optimal import gait
        >>> feet = {"FL": (1, 1), "FR": (1, -1), "HL": (-1, 1), "HR": (-1, -1)}
        >>> [phase.feet for phase in gait("trot", feet)]
        [('FL', 'HR'), ('FR', 'HL')]
    """
    if name not in GAITS:
        raise UnknownNameError(f"gait: there is no gait '{name}'; {nearest(name, GAITS)}")
    offset, usual = GAITS[name]
    period, duty = positive("gait: period", period), positive("gait: duty", usual if duty is None else duty)
    if not duty <= 1:
        raise InputError(f"gait: duty is a share of the period, so it must be at most 1, not {duty!r}")
    places = [finite_array(f"gait: the place of '{foot}'", place)[:2] for foot, place in feet.items()]
    if not places or any(place.shape != (2,) for place in places):
        raise InputError("gait: feet must be {link: (x, y, ...)}, with at least one foot")
    x, y = np.transpose(places)
    left = y > y.mean()
    rows = max(left.sum(), (~left).sum())
    starts = [offset(int(((x > a) & (left == b)).sum()), int(not b), rows) for a, b in zip(x, left, strict=True)]
    events = np.unique(np.round([0, 1, *(s % 1 for s in starts), *((s + duty) % 1 for s in starts)], 9))
    phases = []
    for a, b in pairwise(events):
        held = [foot for foot, s in zip(feet, starts, strict=True) if ((a + b) / 2 - s) % 1 < duty]
        phases.append(Phase(name, float(b - a) * period, tuple(held), velocity))
    return phases * whole_number("gait: cycles", cycles, 1)
