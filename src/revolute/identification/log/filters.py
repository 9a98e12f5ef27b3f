"""Low-pass filters of sampled signals, and advised cut-off frequencies. Gautier and Poignet 2001; Janot et al. 2014."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from revolute.errors import InputError
from revolute.identification.samples import Array

ORDER = 4
"""Order of the Butterworth filter. The filter runs forward and backward, which doubles the order of its roll-off."""

BLOCK = 64  # number of samples per matrix product

HIGHEST = 0.45  # maximum cut-off frequency, as a fraction of the sampling rate, of which the Nyquist frequency is 0.5


def low_pass(x: ArrayLike, rate: float, cutoff: float) -> Array:
    """Zero-phase Butterworth low-pass filter of columns, forward and backward. Gustafsson 1996.

    The amplitude at `cutoff` [Hz] is halved; a cut-off of 0.45 `rate` or more has no effect. The signal x (T, ...) is
    extended at both ends by reflection through the end point. Columns with values that are not finite are unchanged.
    """
    values = np.array(x, dtype=float)
    pad = min(settling_rows(rate, cutoff), len(values) - 1)
    if cutoff >= HIGHEST * rate or pad < 1:
        return values
    columns = values.reshape(len(values), -1)
    whole = np.isfinite(columns).all(axis=0)
    if whole.any():
        x = columns[:, whole].T
        ends = 2 * x[:, :1] - x[:, pad:0:-1], 2 * x[:, -1:] - x[:, -2 : -pad - 2 : -1]
        wide = np.concatenate([ends[0], x, ends[1]], axis=1)
        for _ in range(2):  # forward, then backward
            wide = _filtered(wide, cutoff / rate)[:, ::-1]
        columns[:, whole] = wide[:, pad:-pad].T
    return columns.reshape(values.shape)


def _filtered(x: Array, cutoff: float) -> Array:
    """Signals (n, T) after the filter, from the steady state of their first samples. Oppenheim & Schafer 6.3."""
    # For the samples x of a block, and the state s before it:
    #     next s = A s + B x
    #          y = C s + D x
    A, B, output, steady = _block_filter(cutoff)
    (n, length), count = x.shape, -(-x.shape[1] // BLOCK)
    padded = np.zeros((n, count * BLOCK))
    padded[:, :length] = x
    blocks = padded.reshape(n, count, BLOCK)
    both = np.concatenate([blocks @ B.T, blocks], axis=2)
    s = (steady * x[:, :1])[:, :, None]
    for k in range(count):
        driven = both[:, k, :ORDER, None].copy()
        both[:, k, :ORDER, None] = s
        s = A @ s + driven
    return (both @ output.T).reshape(n, -1)[:, :length]


@lru_cache(maxsize=16)
def _block_filter(cutoff: float) -> tuple[Array, Array, Array, Array]:
    """Matrices A, B and [C D] of a block of samples in state space, and the state for the constant signal 1."""
    # Responses to unit states and unit samples are columns; sections have the transposed direct form II.
    signals = np.eye(BLOCK, ORDER + BLOCK, ORDER)
    states = np.eye(ORDER, ORDER + BLOCK)
    sections = _butterworth(cutoff)
    for k, x in enumerate(signals):
        for (b0, b1, b2, a1, a2), s in zip(sections, states.reshape(-1, 2, ORDER + BLOCK), strict=True):
            y = b0 * x + s[0]
            s[0] = b1 * x - a1 * y + s[1]
            s[1] = b2 * x - a2 * y
            x = y
        signals[k] = x
    steady = np.column_stack([1 - sections[:, 0], sections[:, 2] - sections[:, 4]]).ravel()
    return states[:, :ORDER], states[:, ORDER:], signals, steady


def _butterworth(cutoff: float) -> Array:
    """(2, 5) second-order sections b0, b1, b2, a1, a2 of a low-pass filter. Oppenheim & Schafer 7.1."""
    # The cut-off frequency is a fraction of the rate. Poles are exp(+-i angle), by the bilinear transform
    # s = (1 - 1/z) / (1 + 1/z) / w. Each section has unit DC gain.
    w = math.tan(math.pi * cutoff)
    damping = 2 * w * np.sin(math.pi / ORDER * (np.arange(ORDER // 2) + 0.5))
    whole = 1 + damping + w**2
    return np.column_stack([np.outer(w**2 / whole, [1, 2, 1]), 2 * (w**2 - 1) / whole, (1 - damping + w**2) / whole])


def settling_rows(rate: float, cutoff: float, share: float = 1e-3) -> int:
    """Number of samples until the impulse response decays to about the fraction `share`, by its slowest pole."""
    if not (math.isfinite(rate) and rate > 0):
        raise InputError(f"the sampling rate must be positive [Hz], not {rate}")
    if not cutoff > 0:
        raise InputError(f"the cut-off frequency must be positive [Hz], not {cutoff}")
    if cutoff >= HIGHEST * rate:
        return 0
    # poles of the bilinear transform, prewarped so that the cut-off frequency is exact
    s = 2 * np.tan(np.pi * cutoff / rate) * np.exp(1j * np.pi * (ORDER + 1) / (2 * ORDER))
    slowest = abs((2 + s) / (2 - s))
    if not slowest < 1:
        raise InputError(f"a cut-off frequency of {cutoff:.3g} Hz is too low for {rate:.3g} samples per second")
    return math.ceil(math.log(share) / math.log(slowest))


SHARE = 0.999  # fraction of the energy of the accelerations that lies below the bandwidth of the motion, by definition
WIDTHS = 5.0  # ratio of cut-off frequency to bandwidth: Gautier and Poignet 2001, Janot, Vandanjon and Gautier 2014

WINDOW, LEAST = 4.0, 8
"""Duration of the segments whose spectra are averaged [s], and minimum number of samples in a segment."""


def _bandwidths(q: ArrayLike, rate: float) -> Array:
    """(n,) frequency below which 99.9 % of the energy of each column's acceleration lies [Hz]; 0 if it does not move.

    The upper half of the spectrum of the velocities (Welch 1967) counts as noise. The motion's band ends where the
    spectrum first falls to twice the median of the noise. For accelerations, power is weighted by frequency squared.
    """
    qd = np.diff(np.asarray(q, dtype=float), axis=0) * rate
    f, power = _spectrum(qd, rate, min(max(int(WINDOW * rate), LEAST), len(qd)))
    noise = 2 * np.median(power[f >= rate / 4], axis=0)
    ends = np.where((low := power <= noise).any(axis=0), low.argmax(axis=0), len(f))
    ends = np.where(power.max(axis=0) > noise, np.maximum(ends, np.minimum(power.argmax(axis=0) + 1, len(f))), 0)
    energy = np.cumsum(np.where(np.arange(len(f))[:, None] < ends, power * f[:, None] ** 2, 0.0), axis=0)
    return np.asarray(f[(energy < SHARE * energy[-1]).sum(axis=0)] * (ends > 0))


def advised_cutoff(q: ArrayLike, rate: float) -> float:
    """Five times the median bandwidth of the columns that move [Hz], of (T, n) positions at equal steps."""
    widths = _bandwidths(q, rate)
    middle = np.percentile(widths[widths > 0], 50, method="lower") if widths.any() else np.inf
    return float(min(WIDTHS * middle, 0.2 * rate))


def _spectrum(x: Array, rate: float, size: int) -> tuple[Array, Array]:
    """Frequencies [Hz], and the power of each column up to a factor, from segments of `size` rows. Welch 1967."""
    # Segments overlap by half, have their means subtracted, and are multiplied by a Hann window.
    window = np.hanning(size + 1)[:-1, None]
    starts = range(0, len(x) - size + 1, size - size // 2)
    pieces = (x[k : k + size] - x[k : k + size].mean(axis=0) for k in starts)
    power = np.mean([np.abs(np.fft.rfft(window * piece, axis=0)) ** 2 for piece in pieces], axis=0)
    power[[0, -1] if size % 2 == 0 else [0]] /= 2
    return np.fft.rfftfreq(size, 1 / rate), power
