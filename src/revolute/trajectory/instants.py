"""Instants at which a trajectory is looked at: all its pieces, and both sides of its breaks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import whole_number
from revolute.trajectory.trajectory import Trajectory

__all__ = ["instants", "largest"]

Array = NDArray[Any]

SIDE = 1e-10
"""Share of a piece that is left out at its ends, so that rounding does not lead into the next one."""
CLOSER = 8
"""Rounds of `largest`; each looks eight times closer, where extremes are smooth to 1e-14 of the value."""


def instants(trajectory: Trajectory, samples: int) -> Array:
    """(n,) increasing times, at least eight in each piece."""
    count = whole_number("samples", samples, 2)
    breaks = trajectory.breaks
    parts = [breaks[[0, -1]]]
    for start, end in pairwise(breaks):
        n = max(8, int(np.ceil(count * (end - start) / breaks[-1])) + 1)
        parts.append(np.linspace(start + SIDE * (end - start), end - SIDE * (end - start), n))
    return np.unique(np.concatenate(parts))


def largest(f: Callable[[Array], Array], t: Array, k: int) -> tuple[float, float]:
    """The largest value of f about the k-th of some times: (time, value), by looking closer and closer."""
    low, high = float(t[max(k - 1, 0)]), float(t[min(k + 1, len(t) - 1)])
    at, best = float(t[k]), float(f(t[k : k + 1])[0])
    for _ in range(CLOSER):
        times = np.linspace(low, high, 17)
        values = f(times)
        i = int(np.argmax(values))
        if values[i] > best:
            at, best = float(times[i]), float(values[i])
        width = (high - low) / 16
        low, high = max(low, at - width), min(high, at + width)
    return at, best
