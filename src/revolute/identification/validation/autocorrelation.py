"""Autocorrelation of residuals, and their number of independent samples."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from revolute.identification.samples import Array

__all__ = ["LAGS", "WINDOW", "autocorrelation", "correlation_length"]

LAGS, WINDOW = 2000, 5.0
"""Maximum number of lags of an autocorrelation; and of correlation lengths in a sum of correlations (Sokal 1997)."""


def autocorrelation(runs: Iterable[ArrayLike], lags: int) -> Array:
    """Autocorrelation of several columns over segments of evenly spaced samples.

        rho_k = sum_t e_t e_(t+k) / sum_t e_t^2,    e minus its mean

    Args:
        runs: segments (T, n) of samples, all with the same spacing; NaN is missing. No pair spans two segments.
        lags: longest lag [samples].

    Returns:
        (lags + 1, n), with ones in row 0; NaN for a column that is constant or empty.
    """
    stretches = [np.asarray(run, dtype=float) for run in runs]
    count = sum(np.isfinite(run).sum(axis=0) for run in stretches)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sum(np.nansum(run, axis=0) for run in stretches) / count
        products = np.sum([_products(np.nan_to_num(run - mean), lags) for run in stretches], axis=0)
        return np.asarray(np.where(products[0] > 0, products / products[0], np.nan))


def _products(e: Array, lags: int) -> Array:
    """(lags + 1, n): sum_t e_t e_(t+k), by FFT with zeros beyond the end."""
    size = 1 << (len(e) + min(lags, len(e)) - 1).bit_length()
    power = abs(np.fft.rfft(e, size, axis=0)) ** 2
    sums = np.fft.irfft(power, size, axis=0)[: min(lags + 1, len(e))]
    return np.concatenate([sums, np.zeros((lags + 1 - len(sums), e.shape[1]))])


def correlation_length(rho: ArrayLike) -> Array:
    """(n,) samples per independent one, 1 + 2 sum_k rho_k, at least 1, of (lags + 1, n) correlations. Sokal 1997, 3.

    The sum ends at the first lag beyond `WINDOW` correlation lengths, or at the last lag.
    """
    sums = 2 * np.cumsum(np.asarray(rho, dtype=float), axis=0) - 1
    lags = np.arange(len(sums))[:, None]
    ends = np.where((lags >= WINDOW * sums).any(axis=0), (lags >= WINDOW * sums).argmax(axis=0), len(sums) - 1)
    return np.asarray(np.maximum(np.take_along_axis(sums, ends[None], axis=0)[0], 1.0))
