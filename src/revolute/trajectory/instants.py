"""Instants for checks of a trajectory: in all pieces, and on both sides of breaks."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from revolute.arguments import Array, whole_number
from revolute.trajectory.trajectory import Trajectory

__all__ = ["EQUAL", "instants", "largest"]

SIDE = 1e-10
"""Fraction of a piece excluded at its ends, so that rounding does not reach the next one."""
NEAR, MOST = 0.01, 256
"""Samples possibly next to the largest value: within this fraction of the range below it; and their maximum number."""
EQUAL = 1e-12
"""Peaks that differ by less than this fraction are equal; the first one is reported, on every machine."""
CLOSER = 8
"""Number of rounds of `largest`; each is eight times finer, to 1e-14 of the value at smooth extrema."""


def instants(trajectory: Trajectory, samples: int) -> Array:
    """(n,) increasing times, at least eight in each piece."""
    count = whole_number("samples", samples, 2)
    breaks = trajectory.breaks
    parts = [breaks[[0, -1]]]
    for start, end in pairwise(breaks):
        n = max(8, int(np.ceil(count * (end - start) / breaks[-1])) + 1)
        parts.append(np.linspace(start + SIDE * (end - start), end - SIDE * (end - start), n))
    return np.unique(np.concatenate(parts))


def largest(f: Callable[[Array], Array], t: Array, values: Array) -> tuple[float, float]:
    """The largest value of f, and the first time that it is reached, by refinement around all nearly largest samples.

    Args:
        f: (n,) values at (n,) times.
        t: (n,) increasing times of samples.
        values: (n,) f(t); may be -inf.
    """
    if np.isnan(values).any():
        return float(t[np.isnan(values)][0]), math.nan
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    known = values[np.isfinite(values)]
    near = float(values.max()) - NEAR * float(np.ptp(known) if len(known) else 0)
    peaks = peaks[values[peaks] >= near]
    peaks = peaks[np.argsort(-values[peaks], kind="stable")[:MOST]]
    low, high = t[np.maximum(peaks - 1, 0)], t[np.minimum(peaks + 1, len(t) - 1)]
    at, best = t[peaks], values[peaks]
    rows = np.arange(len(peaks))
    for _ in range(CLOSER):
        times = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, 17)
        found = f(times.ravel()).reshape(times.shape)
        i = found.argmax(axis=1)
        better = found[rows, i] > best
        at, best = np.where(better, times[rows, i], at), np.where(better, found[rows, i], best)
        width = (high - low) / 16
        low, high = np.maximum(low, at - width), np.minimum(high, at + width)
    most = float(best.max())
    equal = best >= most - EQUAL * abs(most)
    return float(at[equal].min()), most
