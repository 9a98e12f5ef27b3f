"""How long residuals remember: autocorrelation, and the number of independent samples that they are worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from revolute.identification.samples import Array

__all__ = ["LAGS", "WINDOW", "autocorrelation", "correlation_length"]

LAGS = 2000
"""Most lags of an autocorrelation."""

WINDOW = 5.0
"""The sum of correlations ends at the first lag beyond so many correlation lengths (Sokal 1997)."""


def autocorrelation(runs: Iterable[Any], lags: int) -> Array:
    """Autocorrelation of several columns over stretches of evenly spaced samples.

        rho_k = sum_t e_t e_(t+k) / sum_t e_t^2,    e less its mean

    Pairs are counted within a stretch alone. NaN counts as missing.

    Args:
        runs: stretches (T, n) of samples, all with the same spacing.
        lags: longest lag [samples].

    Returns:
        (lags + 1, n), with ones in row 0; NaN for a column that is constant or empty.

    Example:
        >>> import numpy as np
        >>> from revolute.identification.validation.autocorrelation import autocorrelation
        >>> print(autocorrelation([np.array([[1.0], [-1], [1], [-1]])], 2)[:, 0])
        [ 1.   -0.75  0.5 ]
    """
    stretches = [np.asarray(run, dtype=float) for run in runs]
    count = sum(np.isfinite(run).sum(axis=0) for run in stretches)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sum(np.nansum(run, axis=0) for run in stretches) / count
        products = np.sum([_products(np.nan_to_num(run - mean), lags) for run in stretches], axis=0)
        return np.asarray(np.where(products[0] > 0, products / products[0], np.nan))


def _products(e: Array, lags: int) -> Array:
    """(lags + 1, n): sum_t e_t e_(t+k), by the fast Fourier transform; zeros beyond the end keep it from wrapping."""
    size = 1 << (len(e) + min(lags, len(e)) - 1).bit_length()
    power = abs(np.fft.rfft(e, size, axis=0)) ** 2
    sums = np.fft.irfft(power, size, axis=0)[: min(lags + 1, len(e))]
    return np.concatenate([sums, np.zeros((lags + 1 - len(sums), e.shape[1]))])


def correlation_length(rho: Any) -> Array:
    """Samples that are worth one independent sample, 1 + 2 sum_k rho_k up to a window. Sokal 1997, 3.

    The window is the first lag beyond `WINDOW` correlation lengths; without one, all lags are summed.

    Args:
        rho: (lags + 1, n) autocorrelations from lag 0 on.

    Returns:
        (n,) lengths [samples], at least 1; NaN where the correlations are.

    Example:
        >>> import numpy as np
        >>> from revolute.identification.validation.autocorrelation import correlation_length
        >>> # (1 + 0.5) / (1 - 0.5)
        >>> print(correlation_length(0.5 ** np.arange(60)[:, None]).round(2))
        [3.]
    """
    sums = 2 * np.cumsum(np.asarray(rho, dtype=float), axis=0) - 1
    lags = np.arange(len(sums))[:, None]
    ends = np.where((lags >= WINDOW * sums).any(axis=0), (lags >= WINDOW * sums).argmax(axis=0), len(sums) - 1)
    return np.asarray(np.maximum(np.take_along_axis(sums, ends[None], axis=0)[0], 1.0))
