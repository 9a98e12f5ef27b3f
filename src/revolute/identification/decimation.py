"""Parallel decimation: the same low-pass and the same choice of rows for regressor and forces. Gautier 1997."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import whole_number
from revolute.errors import ShapeError
from revolute.identification.force_model import ForceModel
from revolute.identification.samples import Samples
from revolute.identification.signals import _scipy_signal

__all__ = ["HALF", "Decimation", "decimated", "decimated_rows", "runs"]

Array = NDArray[Any]

HALF = 10
"""Half of the filter's length, in samples that are kept; `scipy.signal.decimate` takes the same."""

PASSED = 0.8
"""Cut-off frequency as a share of the highest that the kept samples can show: Gautier and Poignet 2001."""

TOGETHER = 20
"""Samples kept by one matrix product: half of its entries are 0, and it runs at the speed of BLAS."""

BLOCK = 1024
"""Samples whose regressor is in memory at once."""


class Decimation:
    """One sample of `factor` is kept, after a low-pass without phase (a symmetric FIR, Hamming's window).

    Forces have noise and ripple above the motion's frequencies. A filter on the forces alone would break the equation
    tau = Y pi, as Y is no linear function of the motion: it has products, and signs of velocities. The same linear
    filter on both sides keeps it: F tau = (F Y) pi, whatever F is. What is kept is nearly uncorrelated, and there are
    fewer rows to solve with.

    The answer of the filter has an end, so blocks of rows give the same numbers as all rows at once. Rows within
    10 `factor` of both ends have no filtered value and are left out.

    Example:
        >>> import numpy as np
        >>> from revolute.identification import Decimation
        >>> decimation = Decimation(5)
        >>> sizes = [
        ...     len(decimation.add(np.ones((60, 1, 2)), np.ones((60, 1)))[1])
        ...     for _ in range(3)
        ... ]
        >>> sizes  # 180 rows, less 100 at the ends, and one more
        [0, 4, 12]
    """

    def __init__(self, factor: int) -> None:
        self.factor = whole_number("Decimation: factor", factor, 1)
        self._waiting: tuple[Array, Array] | None = None

    def add(self, Y: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        """The next rows, Y (T, nv, p) and tau (T, nv); returns those that are kept and complete by now."""
        regressor, forces = np.asarray(Y, dtype=float), np.asarray(tau, dtype=float)
        if forces.ndim != 2 or regressor.ndim != 3 or regressor.shape[:2] != forces.shape:
            raise ShapeError(
                f"decimated: the regressor has shape {regressor.shape}, and tau {forces.shape}; they must be "
                "(T, nv, p) and (T, nv)"
            )
        if self.factor == 1:
            return regressor, forces
        if self._waiting is not None:
            regressor = np.concatenate([self._waiting[0], regressor])
            forces = np.concatenate([self._waiting[1], forces])
        count = max(0, (len(forces) - 2 * HALF * self.factor - 1) // self.factor + 1)
        used = count * self.factor
        self._waiting = regressor[used:], forces[used:]
        return self._regressor(regressor, count), self._forces(forces, count)

    def restart(self) -> None:
        """Forget the rows before a gap in time."""
        self._waiting = None

    def _regressor(self, Y: Array, count: int) -> Array:
        """By products of a banded matrix of the filter with blocks of rows."""
        band, columns = _band(self.factor), Y.reshape(len(Y), -1)
        result = np.empty((count, columns.shape[1]))
        for k in range(0, count, TOGETHER):
            rows = columns[k * self.factor : k * self.factor + band.shape[1]]
            some = min(TOGETHER, count - k)
            np.matmul(band[:some, : len(rows)], rows, out=result[k : k + some])
        return result.reshape(count, *Y.shape[1:])

    def _forces(self, tau: Array, count: int) -> Array:
        """By dot products, in which a missing force spoils no more than the samples around it."""
        if not count:
            return np.empty((0, tau.shape[1]))
        full = _scipy_signal().upfirdn(_taps(self.factor), tau, down=self.factor, axis=0)
        return np.asarray(full[2 * HALF : 2 * HALF + count])


def decimated(Y: ArrayLike, tau: ArrayLike, factor: int) -> tuple[Array, Array]:
    """Regressor and forces through the same low-pass, and one row of `factor` kept: see `Decimation`.

    Args:
        Y: (T, nv, p) regressor of samples at equal steps.
        tau: (T, nv) forces; NaN spoils the samples within 10 `factor` of it.
        factor: rows of which one is kept.

    Returns:
        Y and tau at the samples 10 factor, 11 factor, ... up to 10 factor before the end.

    Raises:
        ShapeError, InputError: shapes differ, or the factor is no whole number.

    Example:
        >>> import numpy as np
        >>> from revolute.identification import decimated
        >>> t = np.arange(1000) / 1000
        >>> Y = np.stack([np.sin(t), np.cos(t)], axis=1)[:, None]
        >>> F_Y, F_tau = decimated(Y, Y @ [2.0, 3.0], 10)
        >>> np.linalg.lstsq(F_Y[:, 0], F_tau[:, 0], rcond=None)[0].round(9)
        array([2., 3.])
    """
    return Decimation(factor).add(Y, tau)


def decimated_rows(
    model: ForceModel, samples: Samples | Iterable[Samples], factor: int
) -> Iterator[tuple[Array, Array]]:
    """Decimated regressor (k, nv, p) and forces (k, nv) of samples in blocks, such as `Log.blocks` gives.

    Blocks that follow one another are filtered as one; a gap in time starts anew. Memory does not grow with the log.

    Args:
        model: forces that are linear in parameters.
        samples: one motion, or blocks of it in order of time.
        factor: rows of which one is kept; 1 keeps all.
    """
    decimation, last, step = Decimation(factor), -np.inf, np.inf
    for block in [samples] if isinstance(samples, Samples) else samples:
        for run in runs(block):
            if len(run) > 1:
                step = float(np.median(np.diff(run.t)))
            if not 0 < run.t[0] - last < 1.5 * step:
                decimation.restart()
            for k in range(0, len(run), BLOCK):
                part = run[k : k + BLOCK]
                kept = decimation.add(model.regressor(part), part.tau)
                if len(kept[1]):
                    yield kept
            last = float(run.t[-1])


def runs(samples: Samples) -> list[Samples]:
    """Samples between gaps in time."""
    steps = np.diff(samples.t)
    usual = float(np.median(steps)) if len(steps) else np.inf
    ends = [0, *(int(k) + 1 for k in np.flatnonzero(steps > 1.5 * usual)), len(samples)]
    return [samples[a:b] for a, b in pairwise(ends) if b > a]


@lru_cache(maxsize=16)
def _taps(factor: int) -> Array:
    return np.asarray(_scipy_signal().firwin(2 * HALF * factor + 1, PASSED / factor, window="hamming"))


@lru_cache(maxsize=4)
def _band(factor: int) -> Array:
    taps = _taps(factor)
    band = np.zeros((TOGETHER, (TOGETHER - 1) * factor + len(taps)))
    for k in range(TOGETHER):
        band[k, k * factor : k * factor + len(taps)] = taps
    return band
