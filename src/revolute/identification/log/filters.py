"""Low-pass filters of sampled signals, and advised cut-off frequencies. Gautier and Poignet 2001; Janot et al. 2014."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.errors import InputError
from revolute.graph import Input
from revolute.identification.samples import Array
from revolute.spatial.loop import repeated
from revolute.spatial.scalar import Scalar
from revolute.targets.llvm import host

ORDER = 4
"""Order of the Butterworth filter. The filter runs forward and backward, which doubles the order of its roll-off."""

HIGHEST = 0.45
"""Maximum cut-off frequency, as a fraction of the sampling rate, of which the Nyquist frequency is 0.5."""

SAMPLES = 512
"""Number of samples per call of the filter: the samples of one vector of signals fit in the L1 cache."""


def low_pass(x: ArrayLike, rate: float, cutoff: float) -> Array:
    """Zero-phase Butterworth low-pass filter of columns, as with `scipy.signal.sosfiltfilt`, in machine code.

    The amplitude at `cutoff` [Hz] is halved; from 0.45 `rate` on, nothing is filtered. The signal x (T, ...) is
    extended at both ends by reflection through the end point. Columns with values that are not finite are unchanged.
    """
    values = np.array(x, dtype=float)
    pad = min(settling_rows(rate, cutoff), len(values) - 1)
    if cutoff >= HIGHEST * rate or pad < 1:
        return values
    columns = values.reshape(len(values), -1)
    whole = np.isfinite(columns).all(axis=0)
    if whole.any():
        columns[:, whole] = _forward_and_backward(columns[:, whole], *_butterworth(cutoff / rate), pad)
    return columns.reshape(values.shape)


@lru_cache(maxsize=16)
def _butterworth(cutoff: float) -> tuple[Array, Array]:
    """Second-order sections of a low-pass, and their states for the constant signal 1. Oppenheim & Schafer 7.1.

    The cut-off frequency is a fraction of the rate. Poles are exp(+-i angle), by the bilinear transform
    s = (1 - 1/z) / (1 + 1/z) / w. Each section has unit DC gain.
    """
    w = math.tan(math.pi * cutoff)
    damping = 2 * w * np.sin(math.pi / ORDER * (np.arange(ORDER // 2) + 0.5))
    whole = 1 + damping + w**2
    b = np.outer(w**2 / whole, [1, 2, 1])
    a = np.column_stack([np.ones(len(b)), 2 * (w**2 - 1) / whole, (1 - damping + w**2) / whole])
    return np.hstack([b, a]), np.column_stack([1 - b[:, 0], b[:, 2] - a[:, 2]])


def settling_rows(rate: float, cutoff: float, share: float = 1e-3) -> int:
    """Number of samples after which the impulse response has decayed to about that fraction, by its slowest pole."""
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
        raise InputError(f"a cut-off frequency of {cutoff:.3g} Hz is too low for {rate:.3g} samples a second")
    return math.ceil(math.log(share) / math.log(slowest))


def _forward_and_backward(x: Array, sections: Array, steady: Array, pad: int) -> Array:
    """(T, n) signals filtered forward and backward, so that phases cancel. Gustafsson 1996.

    `sections` (s, 6) are b0, b1, b2, 1, a1, a2 as SciPy's, and `steady` (s, 2) their states for the constant signal 1.
    Reflections of 0 < `pad` < T rows through the end points extend the signals.
    """
    # pad the signals to whole vectors, because the remaining signals would be filtered one at a time
    width, result = host().lanes().width, np.empty(x.shape)
    numbers = np.hstack([sections[:, :3], -sections[:, 4:]]).ravel()
    rows = len(x) + 2 * pad
    # the last call in each direction continues beyond the last row
    beyond = -rows % SAMPLES
    given, filtered = (np.zeros((rows + 2 * beyond, width)) for _ in range(2))
    inner = slice(beyond, beyond + rows)
    for at in range(0, x.shape[1], width):
        part = x[:, at : at + width]
        used = given[inner, : part.shape[1]]
        used[pad : rows - pad] = part
        np.subtract(2 * part[0], part[pad:0:-1], out=used[:pad])
        np.subtract(2 * part[-1], part[-2 : -pad - 2 : -1], out=used[rows - pad :])
        _filter(given[beyond:], filtered[beyond:], numbers, steady)
        _filter(filtered[inner.stop - 1 :: -1], given[inner.stop - 1 :: -1], numbers, steady)
        result[:, at : at + width] = used[pad : rows - pad]
    return result


def _filter(x: Array, y: Array, numbers: Array, steady: Array) -> None:
    """Filter all whole calls of (rows, width) samples x to y, from the steady state of the first sample."""
    kernel = _kernel(len(steady))
    state = x[0, :, None] * steady.ravel()
    for at in range(0, len(x) - SAMPLES + 1, SAMPLES):
        span = slice(at, at + SAMPLES)
        _, state = kernel.ufunc(x[span].T, state, numbers, out=(y[span].T, None))


@cache
def _kernel(count: int) -> Kernel:
    """Machine code for a number of sections."""
    inputs = Input("x", (SAMPLES,)), Input("state", (2 * count,)), Input("numbers", (5 * count,))
    form = Signature("sections", inputs, (("y", (SAMPLES,)), ("state", (2 * count,))), _sections)
    return compiled("filter", f"{count} sections", form, np.float64, None, partial(_kernel, count))


def _sections(x: Sequence[Scalar], state: Sequence[Scalar], numbers: Sequence[Scalar]) -> Any:
    """The filtered samples and the last state; coefficients are b0, b1, b2, -a1, -a2 of each section.

    Sections are in transposed direct form II, and each passes y to the next. Oppenheim & Schafer 2010, 6.3.

        y = b0 x + z1,    z1 = b1 x - a1 y + z2,    z2 = b2 x - a2 y
    """

    def step(states: list[list[Scalar]], sample: Scalar) -> tuple[list[list[Scalar]], Scalar]:
        following = []
        for k, (z1, z2) in enumerate(states):
            b0, b1, b2, a1, a2 = numbers[5 * k : 5 * k + 5]
            y = b0 * sample + z1
            following.append([a1 * y + (b1 * sample + z2), a2 * y + b2 * sample])
            sample = y
        return following, sample

    last, y = repeated(step, [list(state[k : k + 2]) for k in range(0, len(state), 2)], [list(x)])
    return y, [z for pair in last for z in pair]


SHARE = 0.999
"""Fraction of the energy of the accelerations that lies below the bandwidth of the motion, by definition."""

WIDTHS = 5.0
"""Ratio of cut-off frequency to bandwidth: Gautier and Poignet 2001, Janot, Vandanjon and Gautier 2014."""

WINDOW, LEAST = 4.0, 8
"""Duration of the segments whose spectra are averaged [s], and minimum number of samples in a segment."""


def _bandwidths(q: ArrayLike, rate: float) -> Array:
    """(n,) frequency below which 99.9 % of the energy of each column's acceleration lies [Hz]; 0 if it does not move.

    The upper half of the spectrum of the velocities (Welch 1967) counts as noise. The motion's band ends where the
    spectrum first falls to twice that level. Its energy is weighted by the square of the frequency, for accelerations.
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
    """Frequencies [Hz], and the power of each column up to a factor, from segments of `size` rows. Welch 1967.

    Segments overlap by half, have their means subtracted, and are multiplied by a Hann window.
    """
    window = np.hanning(size + 1)[:-1, None]
    starts = range(0, len(x) - size + 1, size - size // 2)
    pieces = (x[k : k + size] - x[k : k + size].mean(axis=0) for k in starts)
    power = np.mean([np.abs(np.fft.rfft(window * piece, axis=0)) ** 2 for piece in pieces], axis=0)
    power[[0, -1] if size % 2 == 0 else [0]] /= 2
    return np.fft.rfftfreq(size, 1 / rate), power
