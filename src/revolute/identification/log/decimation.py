"""Parallel decimation: the same low-pass filter and choice of rows for regressor and forces. Gautier 1997."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import whole_number
from revolute.errors import ShapeError
from revolute.identification.samples import Array, Samples

HALF = 10  # half-length of the decimation filter, in kept samples; the value of `scipy.signal.decimate`

PASSED = 0.8
"""Cut-off frequency of the filter, relative to the Nyquist frequency of the kept samples: Gautier and Poignet 2001."""

TOGETHER = 20  # maximum number of kept samples per matrix product


class Decimation:
    """Zero-phase low-pass filter (symmetric FIR, Hamming window), after which every `factor`-th sample is kept.

    Forces have noise and ripple above the motion's frequencies. A filter only on the forces violates tau = Y pi,
    because Y is nonlinear in the motion: it contains products and signs of velocities. The same linear filter F on both
    sides preserves this equation: F tau = (F Y) pi. The kept samples are nearly uncorrelated.

    The filter is finite, so blocks of rows yield the same values as all rows at once. The first and the last 10
    `factor` rows have no filtered value and are omitted.
    """

    def __init__(self, factor: int) -> None:
        self.factor = whole_number("Decimation: factor", factor, 1)
        self.restart()

    def restart(self) -> None:
        """Discard the rows before a gap in time."""
        self._regressor, self._forces, self._missing = (_LowPass(self.factor) for _ in range(3))

    def add(self, Y: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        """Add rows, Y (T, nv, p) and tau (T, nv); return the decimated rows that they complete."""
        regressor, forces = np.asarray(Y, dtype=float), np.asarray(tau, dtype=float)
        if forces.ndim != 2 or regressor.ndim != 3 or regressor.shape[:2] != forces.shape:
            raise ShapeError(
                f"Decimation: the regressor has shape {regressor.shape}, and tau {forces.shape}; they must be "
                "(T, nv, p) and (T, nv)"
            )
        kept, right = self.add_entries(regressor.reshape(len(forces), -1), forces)
        return kept.reshape(len(right), *regressor.shape[1:]), right

    def add_entries(self, entries: Array, tau: Array) -> tuple[Array, Array]:
        """Add rows as entries (T, e) of regressors; return the decimated rows that they complete."""
        if self.factor == 1:
            return entries, tau
        missing = np.isnan(tau)
        forces = self._forces.add(np.where(missing, 0.0, tau))
        near = self._missing.add(missing.astype(float), sizes=True)  # results are NaN only near missing forces
        return self._regressor.add(entries), np.where(near > 0, np.nan, forces)


class _LowPass:
    """Streaming filter of columns: kept row j is a weighted sum of the rows from j `factor` to (j + 20) `factor`."""

    def __init__(self, factor: int) -> None:
        self._factor = factor
        self._rest: Array | None = None

    def add(self, x: Array, sizes: bool = False) -> Array:
        """Add rows (T, n); return the kept rows that they complete. `sizes`: use the magnitudes of the weights."""
        bands, factor = _bands(self._factor), self._factor
        bands, reach = np.abs(bands) if sizes else bands, 2 * HALF * factor + 1
        rows = x if self._rest is None else np.concatenate([self._rest, x])
        count = max(0, (len(rows) - reach) // factor + 1)
        done = [rows[:0]]
        for k in range(0, count, TOGETHER):
            n = min(TOGETHER, count - k)
            span = (n - 1) * factor + reach
            done.append(bands[:n, :span] @ rows[k * factor : k * factor + span])
        self._rest = rows[count * factor :].copy()
        return np.concatenate(done)


def consecutive(blocks: Iterable[Samples], size: int | None = None) -> Iterator[tuple[Samples, bool]]:
    """Parts of blocks without gaps, of at most `size` samples; with each, whether there is no gap before it."""
    last, step = np.nan, np.inf
    for block in blocks:
        for run in runs(block):
            for k in range(0, len(run), size or len(run)):
                part = run[k : k + size] if size else run
                if len(part) > 1:
                    step = float(np.median(np.diff(part.t)))
                yield part, bool(0 < part.t[0] - last < 1.5 * step)
                last = float(part.t[-1])


def runs(samples: Samples) -> list[Samples]:
    """The parts of the samples between gaps in time."""
    steps = np.diff(samples.t)
    usual = float(np.median(steps)) if len(steps) else np.inf
    ends = [0, *(int(k) + 1 for k in np.flatnonzero(steps > 1.5 * usual)), len(samples)]
    return [samples[a:b] for a, b in pairwise(ends) if b > a]


@lru_cache(maxsize=4)
def _bands(factor: int) -> Array:
    """Weights of successive kept rows, one row each: shifted taps, which one matrix product applies to all columns."""
    taps = low_pass_taps(factor)
    bands = np.zeros((TOGETHER, (TOGETHER - 1) * factor + len(taps)))
    for k, row in enumerate(bands):
        row[k * factor : k * factor + len(taps)] = taps
    return bands


def low_pass_taps(factor: int) -> Array:
    """(20 factor + 1,) taps of a low-pass filter by the Hamming window, with unit DC gain. Oppenheim & Schafer 7.5."""
    reach = HALF * factor
    taps = np.sinc(PASSED / factor * np.arange(-reach, reach + 1)) * np.hamming(2 * reach + 1)
    return np.asarray(taps / taps.sum())


def decimation_factor(step: float, cutoff: float) -> int:
    """The factor whose filter passes frequencies up to a cut-off [Hz], for a time step [s]. Gautier & Poignet 2001."""
    return max(1, int(PASSED / (2 * step * cutoff)))
