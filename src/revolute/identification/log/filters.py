"""Low-pass filters of sampled signals. Gautier 1997; Gautier and Poignet 2001; Janot, Vandanjon and Gautier 2014."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from revolute.errors import InputError
from revolute.identification.log.zero_phase import forward_and_backward
from revolute.identification.samples import Array

__all__ = ["ORDER", "low_pass", "settling_rows"]

ORDER = 4
"""Order of the Butterworth filter; applied forward and backward, it attenuates like one of twice the order."""

HIGHEST = 0.45
"""Highest cut-off frequency, as a fraction of the sampling rate; the Nyquist frequency is 0.5."""


def low_pass(x: ArrayLike, rate: float, cutoff: float, order: int = ORDER) -> Array:
    """Zero-phase Butterworth low-pass filter of columns, as with `scipy.signal.sosfiltfilt`, in machine code.

    The amplitude at `cutoff` is halved. The signal is extended at both ends by reflection through the end point.

    Args:
        x: (T, ...) samples; columns with values that are not finite are unchanged.
        rate: samples a second [Hz].
        cutoff: cut-off frequency [Hz]; from 0.45 `rate` on, nothing is filtered.
        order: of the filter in one direction.
    """
    values = np.asarray(x, dtype=float)
    _check(rate, cutoff)
    if cutoff >= HIGHEST * rate or len(values) < 2:
        return values.copy()
    sections, steady = _butterworth(order, cutoff / rate)
    columns = values.reshape(len(values), -1)
    pad = min(settling_rows(rate, cutoff, order, 1e-3), len(values) - 1)
    whole = np.isfinite(columns).all(axis=0)
    if whole.all():
        return forward_and_backward(columns, sections, steady, pad).reshape(values.shape)
    result = columns.copy()
    if whole.any():
        result[:, whole] = forward_and_backward(columns[:, whole], sections, steady, pad)
    return result.reshape(values.shape)


@lru_cache(maxsize=16)
def _butterworth(order: int, cutoff: float) -> tuple[Array, Array]:
    """Second-order sections of a low-pass, and their states for the constant signal 1. Oppenheim & Schafer 7.1.

    The cut-off frequency is a fraction of the rate. Poles are exp(+-i angle), or -1, by the bilinear transform
    s = (1 - 1/z) / (1 + 1/z) / w. Each section has unit DC gain.
    """
    w = math.tan(math.pi * cutoff)
    angles = math.pi / 2 * (1 - (2 * np.arange(order // 2) + 1) / order)
    sections = []
    for damping in 2 * w * np.cos(angles[::-1]):
        whole = 1 + damping + w**2
        numerator = np.array([w**2, 2 * w**2, w**2]) / whole
        sections.append([*numerator, 1, 2 * (w**2 - 1) / whole, (1 - damping + w**2) / whole])
    if order % 2:
        sections.append([w / (1 + w), w / (1 + w), 0, 1, (w - 1) / (1 + w), 0])
    design = np.array(sections)
    b, a = design[:, :3], design[:, 3:]
    return design, np.column_stack([1 - b[:, 0], b[:, 2] - a[:, 2]])


def settling_rows(rate: float, cutoff: float, order: int = ORDER, share: float = 1e-3) -> int:
    """Number of samples after which the impulse response has decayed to about that fraction, by its slowest pole."""
    _check(rate, cutoff)
    if cutoff >= HIGHEST * rate:
        return 0
    # poles of the bilinear transform, warped so that the cut-off frequency is exact
    angle = np.pi * (2 * np.arange(1, order + 1) + order - 1) / (2 * order)
    s = 2 * np.tan(np.pi * cutoff / rate) * np.exp(1j * angle)
    slowest = np.abs((2 + s) / (2 - s)).max()
    if not slowest < 1:
        raise InputError(f"a cut-off frequency of {cutoff:.3g} Hz is too low for {rate:.3g} samples a second")
    return math.ceil(math.log(share) / math.log(slowest))


def _check(rate: float, cutoff: float) -> None:
    if not (math.isfinite(rate) and rate > 0):
        raise InputError(f"the sampling rate must be positive [Hz], not {rate}")
    if not cutoff > 0:
        raise InputError(f"the cut-off frequency must be positive [Hz], not {cutoff}")
