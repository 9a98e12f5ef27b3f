"""A cut-off frequency for the filters, from the spectrum of the positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from revolute.identification.samples import Array

__all__ = ["advised_cutoff", "motion_bandwidth"]

SHARE = 0.999
"""Share of the energy of accelerations that counts as motion."""

WIDTHS = 5.0
"""The cut-off in bandwidths of the motion: Gautier and Poignet 2001, Janot, Vandanjon and Gautier 2014."""

LEAST = 8
"""Fewest samples of such a piece."""

WINDOW = 4.0
"""Length of the pieces whose spectra are averaged [s]."""


def motion_bandwidth(q: ArrayLike, rate: float) -> Array:
    """(n,) frequency below which 99.9 % of the energy of each column's acceleration lies [Hz]; 0 if it stands still.

    The spectrum of the velocities (Welch 1967) ends where it first meets twice the level of its upper half, which is
    taken for noise. Up to there its energy is weighted by the square of the frequency, for accelerations.

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
    """Five bandwidths of the motion [Hz]: those of the column in the middle, of those that move.

    The rule of Gautier and Poignet (2001) and of Janot, Vandanjon and Gautier (2014): five times the frequency up to
    which the joints follow. That is measured here, by `motion_bandwidth`.

    Args:
        q: (T, n) positions at equal steps.
        rate: samples a second [Hz].

    Example:
        >>> import numpy as np
        >>> from revolute.identification.log.cutoff_frequency import advised_cutoff
        >>> t = np.arange(5000) / 500
        >>> noise = 1e-6 * np.random.default_rng(1).normal(size=(5000, 1))
        >>> 5 <= advised_cutoff(np.sin(2 * np.pi * t)[:, None] + noise, 500) <= 10
        True
    """
    widths = motion_bandwidth(q, rate)
    moving = widths[widths > 0]
    if not len(moving):
        return 0.2 * rate
    return float(min(WIDTHS * np.percentile(moving, 50, method="lower"), 0.2 * rate))


def _spectrum(x: Array, rate: float, size: int) -> tuple[Array, Array]:
    """Frequencies [Hz], and the power of each column at them, of no unit. Welch 1967.

    That is the mean over pieces of `size` rows that overlap by half, less their means and under Hann's window.
    """
    window = np.hanning(size + 1)[:-1, None]
    starts = range(0, len(x) - size + 1, size - size // 2)
    pieces = (x[k : k + size] - x[k : k + size].mean(axis=0) for k in starts)
    power = np.mean([np.abs(np.fft.rfft(window * piece, axis=0)) ** 2 for piece in pieces], axis=0)
    power[0] /= 2
    if size % 2 == 0:
        power[-1] /= 2
    return np.fft.rfftfreq(size, 1 / rate), power
