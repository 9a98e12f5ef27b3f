"""Parallel decimation: the same low-pass filter and choice of rows for regressor and forces. Gautier 1997."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import whole_number
from revolute.errors import ShapeError
from revolute.identification.samples import Array, Samples

HALF = 10
"""Half-length of the decimation filter, in kept samples; the value of `scipy.signal.decimate`."""

PASSED = 0.8
"""Cut-off frequency of the filter, relative to the Nyquist frequency of the kept samples: Gautier and Poignet 2001."""

BLOCK, TOGETHER = 128, 20
"""Number of samples per matrix product, large for fast BLAS; and maximum number of kept samples per matrix product."""


class Decimation:
    """Zero-phase low-pass filter (symmetric FIR, Hamming window), after which every `factor`-th sample is kept.

    Forces have noise and ripple above the motion's frequencies. A filter only on the forces violates tau = Y pi,
    because Y is nonlinear in the motion: it contains products and signs of velocities. The same linear filter F on both
    sides
    preserves it: F tau = (F Y) pi. The kept samples are nearly uncorrelated.

    The filter is finite, so blocks of rows yield the same values as all rows at once. Rows within 10 `factor` of both
    ends have no filtered value and are left out.
    """

    def __init__(self, factor: int) -> None:
        self.factor = whole_number("Decimation: factor", factor, 1)
        self.restart()

    def restart(self) -> None:
        """Discard the rows before a gap in time."""
        self._regressor, self._forces, self._missing = (_LowPass(self.factor) for _ in range(3))

    def add(self, Y: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        """Add rows, Y (T, nv, p) and tau (T, nv); return the completed kept rows."""
        regressor, forces = np.asarray(Y, dtype=float), np.asarray(tau, dtype=float)
        if forces.ndim != 2 or regressor.ndim != 3 or regressor.shape[:2] != forces.shape:
            raise ShapeError(
                f"Decimation: the regressor has shape {regressor.shape}, and tau {forces.shape}; they must be "
                "(T, nv, p) and (T, nv)"
            )
        kept, right = self.add_entries(regressor.reshape(len(forces), -1), forces)
        return kept.reshape(len(right), *regressor.shape[1:]), right

    def add_entries(self, entries: Array, tau: Array) -> tuple[Array, Array]:
        """Add rows as entries (T, e) of regressors; return the completed kept rows."""
        if self.factor == 1:
            return entries, tau
        missing = np.isnan(tau)
        forces = self._forces.add(np.where(missing, 0.0, tau))
        near = self._missing.add(missing.astype(float), sizes=True)  # results are NaN only near missing forces
        return self._regressor.add(entries), np.where(near > 0, np.nan, forces)


class _LowPass:
    """Streaming filter of columns.

    A row contributes to the 20 kept rows around it. Blocks of rows times their weights are added to the sums of kept
    rows that are not complete yet, so no row is stored.
    """

    def __init__(self, factor: int) -> None:
        self._factor, self._rows = factor, 0
        self._sums: Array = np.zeros((0, 0))

    def add(self, x: Array, sizes: bool = False) -> Array:
        """Add rows (T, n); return the completed kept rows. `sizes`: with the magnitudes of the weights."""
        shares = _shares(self._factor)
        shares = np.abs(shares) if sizes else shares
        size = shares.shape[1]
        ahead = len(shares) - 2 * HALF
        if not self._rows:
            self._sums = np.zeros((len(shares), x.shape[1]))
        done, begin = [self._sums[:0]], 0
        while begin < len(x):
            block, first = divmod(self._rows, size)
            part = x[begin : begin + size - first]
            last = first + len(part)
            self._sums += shares[:, first:last] @ part
            # the first sum is that of the kept row block * ahead - 2 HALF; each is complete `factor` rows after another
            complete = slice(max(-(-first // self._factor), 2 * HALF - block * ahead), -(-last // self._factor))
            done.append(self._sums[complete].copy())
            if last == size:
                self._sums[: 2 * HALF] = self._sums[ahead:].copy()
                self._sums[2 * HALF :] = 0
            self._rows += len(part)
            begin += len(part)
        return np.concatenate(done)


def consecutive(blocks: Iterable[Samples], size: int | None = None) -> Iterator[tuple[Samples, bool]]:
    """Parts of blocks without gaps, of at most `size` samples, and whether each follows the previous one."""
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
    """Samples between gaps in time."""
    steps = np.diff(samples.t)
    usual = float(np.median(steps)) if len(steps) else np.inf
    ends = [0, *(int(k) + 1 for k in np.flatnonzero(steps > 1.5 * usual)), len(samples)]
    return [samples[a:b] for a, b in pairwise(ends) if b > a]


@lru_cache(maxsize=4)
def _shares(factor: int) -> Array:
    """(2 HALF + k, k factor) weights of a block's rows in the kept rows: k start in the block, the others before it."""
    taps, count = low_pass_taps(factor), max(1, min(TOGETHER, -(-BLOCK // factor)))
    shares = np.zeros((2 * HALF + count, (count + 2 * HALF) * factor + len(taps)))
    for k in range(len(shares)):
        shares[k, k * factor : k * factor + len(taps)] = taps
    return np.ascontiguousarray(shares[:, 2 * HALF * factor : (2 * HALF + count) * factor])


def low_pass_taps(factor: int) -> Array:
    """(20 factor + 1,) taps of a low-pass filter by the Hamming window, with unit DC gain. Oppenheim & Schafer 7.5."""
    reach = HALF * factor
    taps = np.sinc(PASSED / factor * np.arange(-reach, reach + 1)) * np.hamming(2 * reach + 1)
    return np.asarray(taps / taps.sum())


def decimation_factor(step: float, cutoff: float) -> int:
    """The factor that passes frequencies up to a cut-off [Hz], of rows `step` apart [s]. Gautier & Poignet 2001."""
    return max(1, int(PASSED / (2 * step * cutoff)))
