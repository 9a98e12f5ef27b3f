"""Recorded rows of a log, and pieces of them with equal time steps: jitter, missing rows, missing values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from revolute.identification.samples import Array


@dataclass(frozen=True, eq=False)
class Rows:
    """Recorded rows of a log; NaN marks missing values."""

    # t, q, tau: (T,) times [s], (T, nq) positions [rad, m], (T, nv) forces [N m, N]
    t: Array
    q: Array
    tau: Array
    # qd, qdd: (T, nv) velocities and accelerations; None if the log has none
    qd: Array | None = None
    qdd: Array | None = None
    wrenches: Array | None = None  # (T, 6 k) on k links; None if the log has none

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, rows: slice | Array) -> Rows:
        return self.map(lambda x: x[rows])

    def map(self, change: Callable[[Array], Array]) -> Rows:
        """Apply a function to each array of the rows, including times."""
        columns: Any = (None if x is None else change(x) for x in vars(self).values())
        return Rows(*columns)

    @staticmethod
    def joined(parts: list[Rows]) -> Rows:
        """Concatenate consecutive parts."""
        if len(parts) == 1:
            return parts[0]
        quantities = zip(*(vars(part).values() for part in parts), strict=True)
        columns: Any = (None if x[0] is None else np.concatenate(x) for x in quantities)
        return Rows(*columns)


MISSING = 1.5  # time step, in nominal time steps, above which rows are missing from the log


def filled(x: Array, longest: int) -> Array:
    """The columns of x with inner gaps of NaN of up to `longest` rows filled by linear interpolation."""
    empty = np.isnan(x)
    if not empty.any():
        return x
    result = x.copy()
    for k in np.flatnonzero(empty.any(axis=0)):
        there = np.flatnonzero(~empty[:, k])
        if len(there) < 2:
            continue
        lost = np.flatnonzero(empty[:, k])
        after = np.searchsorted(there, lost)
        inside = (after > 0) & (after < len(there))
        before, after = there[after[inside] - 1], there[after[inside]]
        lost = lost[inside][after - before - 1 <= longest]
        result[lost, k] = np.interp(lost, there, x[there, k])
    return result


def complete(blocks: Iterable[Rows], step: float, longest: int) -> Iterator[Rows]:
    """The blocks with rows of NaN inserted where up to `longest` are missing according to the times."""
    last: Rows | None = None
    for block in blocks:
        times = block.t if last is None else np.concatenate([last.t, block.t])
        counts = np.rint(np.diff(times) / step).astype(int) - 1
        if ((counts > 0) & (counts <= longest)).any():
            joined = block if last is None else Rows.joined([last, block])
            yield _complete(joined, counts, longest)[0 if last is None else 1 :]
        else:
            yield block
        last = block[-1:]


def _complete(rows: Rows, counts: Array, longest: int) -> Rows:
    places = np.flatnonzero((counts > 0) & (counts <= longest))
    at = np.repeat(places + 1, counts[places])

    def spread(x: Array) -> Array:
        return np.insert(x, at, np.nan, axis=0)

    t = spread(rows.t)
    lost = np.isnan(t)
    t[lost] = np.interp(np.flatnonzero(lost), np.flatnonzero(~lost), rows.t)
    return replace(rows.map(spread), t=t)


def on_grid(rows: Rows, start: float, step: float, longest: int) -> Rows:
    """Rows at the times start + k step by cubic interpolation, but not in gaps of more than `longest` steps."""
    first, last = np.ceil((rows.t[0] - start) / step - 1e-9), np.floor((rows.t[-1] - start) / step + 1e-9)
    t = start + step * np.arange(first, last + 1)
    t = t[(t >= rows.t[0]) & (t <= rows.t[-1])]
    before = np.clip(np.searchsorted(rows.t, t, side="right") - 1, 0, len(rows) - 2)
    t = t[np.diff(rows.t)[before] <= (longest + MISSING) * step]
    return rows.map(lambda x: at_times(rows.t, x, t) if x.ndim == 2 else t)


def at_times(t: Array, x: Array, at: Array, slopes: Array | None = None) -> Array:
    """x(at) by cubic Hermite polynomials, with slopes of parabolas through three points."""
    # A polynomial depends on only four samples, so a part of a log yields the same values as the whole.
    slopes = slopes_of(t, x) if slopes is None else slopes
    k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    s = (at - t[k])[:, None] / h
    value = (1 + 2 * s) * (1 - s) ** 2 * x[k] + s**2 * (3 - 2 * s) * x[k + 1]
    return np.asarray(value + h * s * (1 - s) * ((1 - s) * slopes[k] - s * slopes[k + 1]))


def slopes_of(t: Array, x: Array) -> Array:
    """Slopes of the columns of x at the times t."""
    if len(t) == 2:
        return np.broadcast_to(np.diff(x, axis=0) / np.diff(t), x.shape)
    return np.asarray(np.gradient(x, t, axis=0))


def pieces(rows: Rows, step: float) -> list[Rows]:
    """Runs of rows without gaps in time or positions."""
    whole: Array = np.ones(len(rows), dtype=bool)
    for x in (rows.q, rows.qd, rows.qdd):
        if x is not None and not np.isfinite(x).all():
            whole &= np.isfinite(x).all(axis=1)
    there = np.flatnonzero(whole)
    if not len(there):
        return []
    breaks = np.flatnonzero((np.diff(there) > 1) | (np.diff(rows.t[there]) > MISSING * step)) + 1
    ends = [0, *breaks.tolist(), len(there)]
    return [rows[there[a] : there[b - 1] + 1] for a, b in pairwise(ends)]
