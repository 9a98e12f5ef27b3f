"""Autocorrelation of residuals, and their bias by speed or pose: means within bins, their errors and significance."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from revolute.identification.fit.residual_correlation import f_probability, lagged_products
from revolute.identification.samples import Array

LAGS, WINDOW = 2000, 5.0
"""Maximum number of lags; and number of correlation lengths at which a sum of correlations ends (Sokal 1997)."""


def autocorrelation(runs: Iterable[ArrayLike], lags: int) -> Array:
    """Autocorrelation of several columns over segments of evenly spaced samples.

        rho_k = sum_t e_t e_(t+k) / sum_t e_t^2,    e minus its mean

    Returns (lags + 1, n), with ones in row 0; NaN for a column that is constant or empty. NaN in the segments (T, n)
    marks missing values. No pair of samples spans two segments.
    """
    stretches = [np.asarray(run, dtype=float) for run in runs]
    count = sum(np.isfinite(run).sum(axis=0) for run in stretches)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sum(np.nansum(run, axis=0) for run in stretches) / count
        zeros = np.zeros((lags, *np.shape(mean)))
        products = np.sum([lagged_products(np.nan_to_num(run - mean), zeros) for run in stretches], axis=0)
        return np.asarray(np.where(products[0] > 0, products / products[0], np.nan))


def correlation_length(rho: ArrayLike) -> Array:
    """(n,) numbers of samples per independent one, 1 + 2 sum_k rho_k >= 1, from rho (lags + 1, n). Sokal 1997, 3."""
    # The sum ends at the first lag beyond `WINDOW` correlation lengths, or at the last lag.
    sums = 2 * np.cumsum(np.asarray(rho, dtype=float), axis=0) - 1
    lags = np.arange(len(sums))[:, None]
    beyond = lags >= WINDOW * sums
    ends = np.where(beyond.any(axis=0), beyond.argmax(axis=0), len(sums) - 1)
    return np.asarray(np.maximum(np.take_along_axis(sums, ends[None], axis=0)[0], 1.0))


BINS = 10


@dataclass(frozen=True, eq=False)
class Bins:
    """Rows of a log grouped by the value of a quantity, in bins with about the same number of rows."""

    # edges, centres, counts: (b + 1,) edges of the bins; (b,) means of the quantity; (b,) numbers of rows
    edges: Array
    centres: Array
    counts: Array
    place: Array  # (T,) index of the bin of each row; b for rows without a residual

    def mean(self, x: Array) -> Array:
        """(b, ...) means of x (T, ...) in the bins."""
        return np.asarray(self.members().T @ x / self.counts.reshape(-1, *[1] * (x.ndim - 1)))

    def members(self, rows: slice = slice(None)) -> Array:
        """(T, b) matrix with ones where a row is in a bin."""
        return np.asarray(self.place[rows, None] == np.arange(len(self.counts)), dtype=float)


def bins_of(quantity: ArrayLike, measured: ArrayLike, bins: int = BINS) -> Bins | None:
    """Bins of a quantity (T,) in the measured rows (T,); None if it hardly varies or there are too few rows."""
    x, there = np.asarray(quantity, dtype=float), np.asarray(measured, dtype=bool)
    steps = np.linspace(0, 1, bins + 1)
    # edges are samples, so no bin is empty
    edges = np.unique(np.quantile(x[there], steps, method="lower")) if there.sum() >= 2 * bins else x[:0]
    if len(edges) < 3:
        return None
    place = np.where(there, np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2), len(edges) - 1)
    counts = np.bincount(place, minlength=len(edges))[:-1]
    return Bins(edges, np.bincount(place, x, len(edges))[:-1] / counts, counts, place)


@dataclass(frozen=True, eq=False)
class Bias:
    """Means of a residual within bins of another quantity.

    Attributes:
        edges: (b + 1,) edges of the bins, each with about the same number of samples.
        centres: (b,) mean of the quantity in each bin.
        means: (b,) mean of the residual in each bin.
        errors: (b,) standard errors of the means, accounting for correlation in time.
        share: fraction of the residual's mean square that the means explain, minus the part due to chance.
        p: p-value: probability of such means without bias; NaN if the log is too short.
    """

    edges: Array
    centres: Array
    means: Array
    errors: Array
    share: float
    p: float

    @property
    def significant(self) -> bool:
        """Whether the bias is significant: `p` is below 1 %."""
        return bool(self.p < 0.01)

    @property
    def worst(self) -> int:
        """Index of the bin whose mean is farthest from zero."""
        return int(np.argmax(abs(self.means)))

    def __repr__(self) -> str:
        return f"<Bias: {len(self.means)} bins, {self.share:.0%} of the mean square, p {self.p:.2g}>"


def bias(residual: ArrayLike, bins: Bins, errors: ArrayLike = 0.0) -> Bias:
    """Bias of a residual by bins of a quantity, with a joint test of all means. Wald 1943.

    The residual minus the means is stationary correlated noise. Its autocorrelation and the times of rows in the bins
    determine the covariance of the means. The residual (T,) is evenly spaced in time, and NaN where it is missing;
    `errors` (b, b) is the covariance of the means from errors of parameters.
    """
    e = np.nan_to_num(np.asarray(residual, dtype=float))
    there = bins.place < len(bins.counts)
    means, square = bins.mean(e), float(np.mean(e[there] ** 2))
    noise = np.where(there, e - np.append(means, 0)[bins.place], np.nan)
    rho = autocorrelation([noise[:, None]], min(len(e) // 3, LAGS))
    if np.isnan(rho).any():  # means of data without noise are exact
        return Bias(bins.edges, bins.centres, means, 0 * means, float(square > 0), float(not means.any()))
    length = float(correlation_length(rho)[0])
    independent = there.sum() / length
    variance = np.var(noise[there]) * independent / max(independent - len(means), 1)
    scatter = variance * _correlated(bins.members() / bins.counts, rho[:, 0], length) + errors
    beyond = bins.counts @ (means**2 - np.diag(scatter)) / there.sum()
    share = float(max(beyond / square, 0))
    squared, few = float(means @ np.linalg.lstsq(scatter, means, rcond=None)[0]), len(means)
    p = f_probability(squared / few, few, independent - few) if independent >= 2 * few else float("nan")
    return Bias(bins.edges, bins.centres, means, np.sqrt(np.maximum(np.diag(scatter), 0)), share, p)


def _correlated(average: Array, rho: Array, length: float) -> Array:
    """(b, b): A^T R A of averages A (T, b), where R has the autocorrelation on its diagonals."""
    # A Bartlett window makes R positive definite; a factor compensates for the shorter correlation.
    window = np.arange(len(rho))[: int(np.ceil(2 * WINDOW * length))]
    tapered = rho[window] * (1 - window / (len(window) or 1))
    factor = length / max(2 * tapered.sum() - 1, 1e-9)
    size = 1 << (len(average) + len(window)).bit_length()
    kernel = np.zeros(size)
    kernel[window], kernel[-window[1:]] = tapered, tapered[1:]
    spectrum = np.fft.rfft(kernel)[:, None] * np.fft.rfft(average, size, axis=0)
    smooth = np.fft.irfft(spectrum, size, axis=0)[: len(average)]
    return np.asarray(average.T @ smooth * max(factor, 1.0))
