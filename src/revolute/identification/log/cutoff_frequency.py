"""A cut-off frequency for the filters, from the spectrum of the positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from revolute.identification.samples import Array

__all__ = ["advised_cutoff", "motion_bandwidth"]

SHARE = 0.999
"""Fraction of the energy of accelerations that counts as motion."""

WIDTHS = 5.0
"""Cut-off frequency in bandwidths of the motion: Gautier and Poignet 2001, Janot, Vandanjon and Gautier 2014."""

WINDOW, LEAST = 4.0, 8
"""Length of the segments whose spectra are averaged [s], and their minimum number of samples."""


def motion_bandwidth(q: ArrayLike, rate: float) -> Array:
    """(n,) frequency below which 99.9 % of the energy of each column's acceleration lies [Hz]; 0 if it does not move.

    The upper half of the spectrum of the velocities (Welch 1967) counts as noise. The motion's band ends where the
    spectrum first falls to twice that level. Its energy is weighted by the square of the frequency, for accelerations.

    Args:
        q: (T, n) positions at equal steps.
        rate: samples a second [Hz].
    """
    qd = np.diff(np.asarray(q, dtype=float), axis=0) * rate
    f, power = _spectrum(qd, rate, min(max(int(WINDOW * rate), LEAST), len(qd)))
    noise = 2 * np.median(power[f >= rate / 4], axis=0)
    ends = np.where((low := power <= noise).any(axis=0), low.argmax(axis=0), len(f))
    ends = np.where(power.max(axis=0) > noise, np.maximum(ends, np.minimum(power.argmax(axis=0) + 1, len(f))), 0)
    energy = np.cumsum(np.where(np.arange(len(f))[:, None] < ends, power * f[:, None] ** 2, 0.0), axis=0)
    return np.asarray(f[(energy < SHARE * energy[-1]).sum(axis=0)] * (ends > 0))


def advised_cutoff(q: ArrayLike, rate: float) -> float:
    """Five times the median `motion_bandwidth` of the columns that move [Hz], of (T, n) positions at equal steps.

    Gautier and Poignet 2001; Janot, Vandanjon and Gautier 2014.
    """
    widths = motion_bandwidth(q, rate)
    moving = widths[widths > 0]
    if not len(moving):
        return 0.2 * rate
    return float(min(WIDTHS * np.percentile(moving, 50, method="lower"), 0.2 * rate))


def _spectrum(x: Array, rate: float, size: int) -> tuple[Array, Array]:
    """Frequencies [Hz], and the power of each column up to a factor, from segments of `size` rows. Welch 1967.

    Segments overlap by half, have their means subtracted, and are multiplied by a Hann window.
    """
    window = np.hanning(size + 1)[:-1, None]
    starts = range(0, len(x) - size + 1, size - size // 2)
    pieces = (x[k : k + size] - x[k : k + size].mean(axis=0) for k in starts)
    power = np.mean([np.abs(np.fft.rfft(window * piece, axis=0)) ** 2 for piece in pieces], axis=0)
    power[0] /= 2
    if size % 2 == 0:
        power[-1] /= 2
    return np.fft.rfftfreq(size, 1 / rate), power
