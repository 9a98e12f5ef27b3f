"""Low-pass filters of sampled signals, and advised cut-off frequencies. Gautier and Poignet 2001; Janot et al. 2014."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.errors import InputError, extra
from revolute.identification.samples import Array

__all__ = ["advised_cutoff", "low_pass", "settling_rows"]

ORDER = 4
"""Order of the Butterworth filter; applied forward and backward, its roll-off has twice the order."""

HIGHEST = 0.45
"""Highest cut-off frequency, as a fraction of the sampling rate; the Nyquist frequency is 0.5."""

SHARE = 0.999
"""Fraction of the energy of accelerations that counts as motion."""

WIDTHS = 5.0
"""Cut-off frequency over the bandwidth of the motion: Gautier and Poignet 2001, Janot, Vandanjon and Gautier 2014."""

WINDOW, LEAST = 4.0, 8
"""Length of the segments whose spectra are averaged [s], and their minimum number of samples."""


def low_pass(x: ArrayLike, rate: float, cutoff: float) -> Array:
    """Zero-phase Butterworth low-pass filter of columns: forward and backward, so that phases cancel. Gustafsson 1996.

    The amplitude at `cutoff` is halved. The signal is extended at both ends by reflection through the end point.

    Args:
        x: (T, ...) samples; columns with values that are not finite are unchanged.
        rate: samples a second [Hz].
        cutoff: cut-off frequency [Hz]; from 0.45 `rate` on, nothing is filtered.
    """
    values = np.array(x, dtype=float)
    rows = min(settling_rows(rate, cutoff), len(values) - 1)
    if cutoff >= HIGHEST * rate or rows < 1:
        return values
    signal = _signal()
    sections = signal.butter(ORDER, cutoff, fs=rate, output="sos")
    columns = values.reshape(len(values), -1)
    whole = np.isfinite(columns).all(axis=0)
    if whole.any():
        columns[:, whole] = signal.sosfiltfilt(sections, columns[:, whole], axis=0, padlen=rows)
    return columns.reshape(values.shape)


def settling_rows(rate: float, cutoff: float, share: float = 1e-3) -> int:
    """Number of samples after which the impulse response has decayed to about that fraction, by its slowest pole."""
    if not (math.isfinite(rate) and rate > 0):
        raise InputError(f"the sampling rate must be positive [Hz], not {rate}")
    if not cutoff > 0:
        raise InputError(f"the cut-off frequency must be positive [Hz], not {cutoff}")
    if cutoff >= HIGHEST * rate:
        return 0
    slowest = np.abs(_signal().butter(ORDER, cutoff, fs=rate, output="zpk")[1]).max()
    if not slowest < 1:
        raise InputError(f"a cut-off frequency of {cutoff:.3g} Hz is too low for {rate:.3g} samples a second")
    return math.ceil(math.log(share) / math.log(slowest))


def advised_cutoff(q: ArrayLike, rate: float) -> float:
    """Five times the median bandwidth of the columns that move [Hz], of (T, n) positions at equal steps."""
    widths = _bandwidths(q, rate)
    moving = widths[widths > 0]
    if not len(moving):
        return 0.2 * rate
    return float(min(WIDTHS * np.percentile(moving, 50, method="lower"), 0.2 * rate))


def _bandwidths(q: ArrayLike, rate: float) -> Array:
    """(n,) frequency below which 99.9 % of the energy of each column's acceleration lies [Hz]; 0 if it does not move.

    The upper half of the spectrum of the velocities (Welch 1967) counts as noise. The motion's band ends where the
    spectrum first falls to twice that level. Its energy is weighted by the square of the frequency, for accelerations.
    """
    qd = np.diff(np.asarray(q, dtype=float), axis=0) * rate
    size = min(max(int(WINDOW * rate), LEAST), len(qd))
    f, power = _signal().welch(qd, rate, nperseg=size, axis=0)
    noise = 2 * np.median(power[f >= rate / 4], axis=0)
    ends = np.where((low := power <= noise).any(axis=0), low.argmax(axis=0), len(f))
    ends = np.where(power.max(axis=0) > noise, np.maximum(ends, np.minimum(power.argmax(axis=0) + 1, len(f))), 0)
    energy = np.cumsum(np.where(np.arange(len(f))[:, None] < ends, power * f[:, None] ** 2, 0.0), axis=0)
    return np.asarray(f[(energy < SHARE * energy[-1]).sum(axis=0)] * (ends > 0))


def _signal() -> Any:
    with extra("filters of logs need SciPy", "scipy"):
        import scipy.signal
    return scipy.signal
