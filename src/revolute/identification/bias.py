"""Bias of residuals by speed or by pose: means within bins, their errors, and whether chance explains them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import MissingExtraError
from revolute.identification.correlation import WINDOW, correlation_length

__all__ = ["Bias", "bias"]

Array = NDArray[Any]

BINS = 10


@dataclass(frozen=True, eq=False)
class Bias:
    """Means of a residual within bins of another quantity.

    Attributes:
        edges: (b + 1,) of the bins, each with about the same number of samples.
        centres: (b,) mean of the quantity in each bin.
        means: (b,) of the residual.
        errors: (b,) standard errors of the means, with correlation in time taken into account.
        share: of the residual's mean square that the means explain, beyond what chance alone would.
        p: probability of means like these without any bias; NaN if the log is too short to say.
    """

    edges: Array
    centres: Array
    means: Array
    errors: Array
    share: float
    p: float

    @property
    def significant(self) -> bool:
        """Whether chance alone explains the means with a probability below 1 %."""
        return bool(self.p < 0.01)

    @property
    def worst(self) -> int:
        """The bin whose mean is farthest from zero."""
        return int(np.argmax(abs(self.means)))

    def __repr__(self) -> str:
        return f"<Bias: {len(self.means)} bins, {self.share:.0%} of the mean square, p {self.p:.2g}>"


def bias(residual: Any, quantity: Any, rho: Any, bins: int = BINS) -> Bias | None:
    """Residual by bins of a quantity, with a test of all means together. Wald 1943.

    Without bias a residual is the same correlated noise everywhere. Its autocorrelation, and the times at which bins
    are visited, then give the covariance of the means.

    Args:
        residual: (T,) measured less predicted, evenly spaced in time; NaN counts as missing.
        quantity: (T,) speed or position.
        rho: (lags + 1,) autocorrelation of the residual, from lag 0 on.
        bins: most bins.

    Returns:
        the means; None where the quantity hardly varies or there are too few samples.

    Raises:
        MissingExtraError: SciPy is not installed.

    Example:
        >>> import numpy as np
        >>> from revolute.identification.bias import bias
        >>> rng = np.random.default_rng(0)
        >>> speed, noise = rng.uniform(-1, 1, 5000), rng.standard_normal(5000)
        >>> bias(noise, speed, [1.0]).significant, bias(noise + 0.2 * np.sign(speed), speed, [1.0]).significant
        (False, True)
    """
    e, x = np.asarray(residual, dtype=float), np.asarray(quantity, dtype=float)
    there = np.isfinite(e) & np.isfinite(x)
    edges = np.unique(np.quantile(x[there], np.linspace(0, 1, bins + 1))) if there.sum() >= 2 * bins else x[:0]
    if len(edges) < 3 or not np.isfinite(rho).all():
        return None
    within = np.zeros((len(e), len(edges) - 1))
    within[there, np.clip(np.searchsorted(edges, x[there], side="right") - 1, 0, len(edges) - 2)] = 1
    counts = within.sum(axis=0)
    average = within / counts
    means, centres = average.T @ np.where(there, e, 0), average.T @ np.where(there, x, 0)
    square = float(np.mean(e[there] ** 2)) or 1.0
    length = correlation_length(np.asarray(rho)[:, None])[0]
    scatter = np.var(e[there]) * _correlated(average, np.asarray(rho, dtype=float), length)
    share = counts @ (means**2 - np.diag(scatter)) / there.sum() / square
    p = _wald(means, scatter, there.sum() / length)
    return Bias(edges, centres, means, np.sqrt(np.diag(scatter)), float(max(share, 0)), p)


def _correlated(average: Array, rho: Array, length: float) -> Array:
    """(b, b): A^T R A of averages A (T, b), where R has the autocorrelation on its diagonals.

    Bartlett's window keeps R positive definite; it shortens the correlation, which a factor makes up for.
    """
    window = np.arange(len(rho))[: int(np.ceil(2 * WINDOW * length))]
    tapered = rho[window] * (1 - window / (len(window) or 1))
    factor = length / max(2 * tapered.sum() - 1, 1e-9)
    size = 1 << (len(average) + len(window)).bit_length()
    kernel = np.zeros(size)
    kernel[window], kernel[-window[1:]] = tapered, tapered[1:]
    spectrum = np.fft.rfft(kernel)[:, None] * np.fft.rfft(average, size, axis=0)
    smooth = np.fft.irfft(spectrum, size, axis=0)[: len(average)]
    return np.asarray(average.T @ smooth * max(factor, 1.0))


def _wald(means: Array, scatter: Array, independent: float) -> float:
    """Probability of means as large as these by chance; NaN with hardly more independent samples than bins."""
    try:
        from scipy.special import fdtrc
    except ImportError:
        raise MissingExtraError("the test of bias needs SciPy", "identify") from None
    bins = len(means)
    if independent < 2 * bins:
        return float("nan")
    squared = float(means @ np.linalg.lstsq(scatter, means, rcond=None)[0])
    return float(fdtrc(bins, independent - bins, squared / bins))
