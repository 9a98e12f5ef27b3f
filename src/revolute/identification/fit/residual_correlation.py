"""Standard errors of estimates whose residuals are correlated in time, as in filtered logs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from revolute.arguments import number
from revolute.errors import InputError
from revolute.identification.fit.equations import Chunk
from revolute.identification.samples import Array, scipy

LAGS = 512  # maximum lag of the autocovariances of residuals, in samples
TAKEN = 4096  # number of instants at which the hat matrix is evaluated for the different lags


@dataclass(frozen=True, eq=False)
class Correlation:
    """The correlation in time of one coordinate's residuals."""

    autocovariance: Array  # (l,) at the lags 0, 1, ...; tapered to zero, with a nonnegative spectrum
    count: int  # number of residuals
    linear: float = 1.0  # fraction of residuals that are not clipped; 1 unless the estimate is robust

    @property
    def independent(self) -> float:
        """Number of independent residuals whose mean would have the same variance, at most `count`."""
        gamma = self.autocovariance
        return self.count / max(float(1 + 2 * gamma[1:].sum() / gamma[0]), 1.0) if gamma[0] > 0 else float(self.count)


def correlations(
    rows: Iterable[Chunk], values: Array, hat: Sequence[tuple[Array, Array]], clip: Array | None = None
) -> list[Correlation]:
    """The correlation of each coordinate's residuals. Politis 2003; Politis & Romano 1995.

    Autocovariances are multiplied by a flat-top taper, which falls from the lag where correlations vanish in noise. A
    fit removes noise at the frequencies of the motion from the residuals; `_tapered` restores it. For `hat` see
    `Sums.hats`. Residuals are clipped at magnitudes `clip` (nv,). The rows are read in two passes.
    """
    nv = len(hat)
    sums, counts, linear = np.zeros((LAGS + 1, nv)), np.zeros(nv), np.zeros(nv)
    for residuals, before, there in _residuals(rows, values, clip):
        sums += lagged_products(residuals, before)
        counts += there.sum(axis=0)
        linear += there.sum(axis=0) if clip is None else np.sum(there & (np.abs(residuals) < clip), axis=0)
    reaches = [_reach(column, int(n)) for column, n in zip(sums.T, counts, strict=True)]
    taken = _taken(rows, hat, 2 * max(reaches, default=0), counts)
    linear /= np.maximum(counts, 1)
    return [_tapered(*x) for x in zip(sums.T, taken.T, reaches, counts.astype(int), linear, strict=True)]


def _residuals(rows: Iterable[Chunk], values: Array, clip: Array | None) -> Iterator[tuple[Array, Array, Array]]:
    """Residuals of each chunk, the LAGS previous residuals (zeros if there are none), and where they are measured."""
    before: Array = np.zeros((0, 0))
    for chunk in rows:
        residuals = chunk.tau - chunk.Y @ values
        there = np.isfinite(residuals)
        residuals = np.where(there, residuals, 0.0)
        if clip is not None:
            residuals = np.clip(residuals, -clip, clip)
        if not chunk.continues or not before.size:
            before = np.zeros((LAGS, residuals.shape[1]))
        yield residuals, before, there
        before = np.concatenate([before, residuals])[-LAGS:]


def _taken(rows: Iterable[Chunk], hat: Sequence[tuple[Array, Array]], lags: int, counts: Array) -> Array:
    """(lags + 1, nv) sums of the hat matrix's entries (t, t - lag), from the first rows, scaled to all rows."""
    sums, seen, instants = np.zeros((lags + 1, len(hat))), np.zeros(len(hat)), np.zeros(len(hat))
    for chunk in rows:
        if np.all(instants >= np.minimum(TAKEN, counts)):
            break
        there = np.isfinite(chunk.tau).sum(axis=0)
        for k, (columns, F) in enumerate(hat):
            if there[k] and instants[k] < TAKEN:
                instants[k] += len(chunk.tau)
                sums[:, k] += _own_products(_present(chunk, k, columns) @ F, lags)
                seen[k] += there[k]
    return np.asarray(sums * counts / np.maximum(seen, 1))


def _present(chunk: Chunk, k: int, columns: Array) -> Array:
    """(m, n) columns of coordinate k; zeros where its force was not measured."""
    return np.where(np.isfinite(chunk.tau[:, k, None]), chunk.Y[:, k, columns], 0.0)


def lagged_products(x: Array, before: Array) -> Array:
    """(len(before) + 1, n) sums over t of x[t] x[t - lag], by FFT."""
    lags = len(before)
    size = _fast_size(len(x) + lags)
    late = np.fft.rfft(np.ascontiguousarray(x.T), size)
    early = np.fft.rfft(np.ascontiguousarray(np.concatenate([before, x]).T), size)
    lagged = np.fft.irfft(early * np.conj(late), size)  # entry n is the sum of early[t + n] late[t]
    return np.asarray(lagged[:, lags::-1].T)


def _own_products(x: Array, lags: int) -> Array:
    """(lags + 1,) sums over t and columns of x[t] x[t - lag], by one inverse FFT of the sum of all spectra."""
    size = _fast_size(len(x) + lags)
    spectra = np.fft.rfft(np.ascontiguousarray(x.T), size)
    return np.asarray(np.fft.irfft(np.sum(spectra.real**2 + spectra.imag**2, axis=0), size)[: lags + 1])


def _reach(sums: Array, count: int) -> int:
    """The last significant lag: after it, correlations stay within the noise for several lags. Politis 2003, 2.1."""
    if count < 8 or not sums[0] > 0:
        return 0
    lags = min(LAGS // 2, count // 4)
    some = max(5, int(np.sqrt(np.log10(count))))
    noise = 2 * np.sqrt(np.log10(count) / count)
    small = np.abs(np.append(sums[1 : lags + 1] / sums[0], np.zeros(some))) < noise
    return next(k for k in range(lags + 1) if small[k : k + some].all())


def _tapered(sums: Array, taken: Array, reach: int, count: int, linear: float) -> Correlation:
    """Autocovariances of the noise e, from those of the residuals (1 - H) e.

    Where the spectrum S of e is flat over the frequencies of the motion, S H is missing in the covariance of the
    residuals; S is the sum of the complete autocovariances.
    """
    if count == 0 or not sums[0] > 0:
        return Correlation(np.zeros(1), count)
    window = np.clip(2 - np.arange(2 * reach + 1) / max(reach, 1), 0, 1)
    twice = np.where(np.arange(len(window)) > 0, 2, 1) * window
    left = max(count - float(twice @ taken[: len(window)]), 0.1 * count)
    S = max(float(twice @ sums[: len(window)]), 0.0) / left
    gamma = (sums[: len(window)] + S * taken[: len(window)]) / count
    return Correlation(_positive(window * gamma), count, linear)


def _positive(gamma: Array) -> Array:
    """Project autocovariances onto those with a nonnegative spectrum."""
    n = len(gamma)
    circle = np.zeros(8 * n)
    circle[:n] = gamma
    circle[-n + 1 :] += gamma[:0:-1] if n > 1 else 0
    spectrum = np.maximum(np.fft.rfft(circle).real, 0)
    return np.asarray(np.fft.irfft(spectrum, len(circle))[: 2 * n])


def spread(rows: Iterable[Chunk], active: Array, found: list[Correlation], weights: Array) -> Array:
    """(b, b) covariance of Y^T W r, for stationary residuals with these correlations, in one pass.

        sum over coordinates of w^2 sum_{s, t} gamma(t - s) y_s y_t^T

    This is the middle factor of the sandwich estimator (Hansen 1982; Newey & West 1987). Autocovariances of residuals
    by coordinate need fewer samples than products of residuals and regressors.
    """
    columns = [np.flatnonzero(row) for row in active]
    middle = np.zeros((active.shape[1], active.shape[1]))
    tails: list[Array] = []
    for chunk in rows:
        if not chunk.continues or not tails:
            tails = [np.zeros((0, len(at))) for at in columns]
        for k, at in enumerate(columns):
            gamma = found[k].autocovariance
            late = np.concatenate([tails[k], _present(chunk, k, at)])
            part = _correlated(late, len(tails[k]), np.concatenate([[gamma[0] / 2], gamma[1:]]))
            middle[np.ix_(at, at)] += weights[k] ** 2 * (part + part.T)
            tails[k] = late[max(len(late) - len(gamma) + 1, 0) :]
    return middle


def _correlated(columns: Array, before: int, response: Array) -> Array:
    """(b, b) sums over t, from `before` on, and s of response[t - s] y_t y_s^T: by the spectra of the columns."""
    size = _fast_size(len(columns) + len(response))
    spectra = np.fft.rfft(np.ascontiguousarray(columns.T), size)
    own = spectra - np.fft.rfft(np.ascontiguousarray(columns[:before].T), size) if before else spectra
    weights = np.fft.rfft(response, size) * (2 / size)  # positive and negative frequencies
    weights[0] /= 2
    if size % 2 == 0:
        weights[-1] /= 2
    return np.asarray(own.view(float) @ (spectra * weights).view(float).T)


def _fast_size(least: int) -> int:
    return int(scipy().fft.next_fast_len(least, real=True))


def probability(what: str, x: object) -> float:
    """Return the number; raise `InputError` unless it is between 0 and 1."""
    if not 0 < (value := number(what, x)) < 1:
        raise InputError(f"{what} must be between 0 and 1, not {x}")
    return value


def t_quantile(level: float, freedom: float) -> float:
    """Student's t whose magnitude is exceeded with probability 1 - level."""
    level = probability("level", level)
    return float(scipy().special.stdtrit(max(freedom, 1.0), (1 + level) / 2))


def f_probability(F: float, few: float, freedom: float) -> float:
    """Probability that a value of Fisher's distribution with these degrees of freedom is larger than F."""
    return float(scipy().special.fdtrc(few, max(freedom, 1.0), F))
