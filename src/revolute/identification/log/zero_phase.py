"""Zero-phase filters: second-order sections forward and backward. Oppenheim & Schafer 2010, 6.3; Gustafsson 1996.

Each section is in transposed direct form II,

    y = b0 x + z1,    z1 = b1 x - a1 y + z2,    z2 = b2 x - a2 y

and passes y to the next. The samples of a signal are the steps of a loop, and signals the rows of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.graph import Input
from revolute.identification.samples import Array
from revolute.spatial.loop import repeated
from revolute.spatial.scalar import Scalar
from revolute.targets.llvm import host

__all__ = ["forward_and_backward"]

SAMPLES = 512
"""Signals per call: the samples of as many signals as fit a vector register remain in the L1 cache."""


def forward_and_backward(x: Array, sections: Array, steady: Array, pad: int) -> Array:
    """A filter applied forward and backward, so that phases cancel.

    A signal is extended at both ends by reflection through the end point, and the filter starts in steady state.

    Args:
        x: (T, n) signals, finite, with at least two rows.
        sections: (s, 6) second-order sections b0, b1, b2, 1, a1, a2, as SciPy's.
        steady: (s, 2) states of the sections for the constant signal 1: `scipy.signal.sosfilt_zi`.
        pad: rows of the reflections, fewer than T.

    Returns:
        (T, n) the filtered signals.
    """
    # signals fill whole vectors: others would be computed one at a time
    width, result = host().lanes().width, np.empty(x.shape)
    numbers = np.hstack([sections[:, :3], -sections[:, 4:]]).ravel()
    rows = len(x) + 2 * pad
    # the last call of either direction runs on into rows beyond the end
    beyond = -rows % SAMPLES
    given, filtered = (np.zeros((rows + 2 * beyond, width)) for _ in range(2))
    inner = slice(beyond, beyond + rows)
    for at in range(0, x.shape[1], width):
        part = x[:, at : at + width]
        used = given[inner, : part.shape[1]]
        used[pad : rows - pad] = part
        if pad:
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
    """The filtered samples and the last state; coefficients are b0, b1, b2, -a1, -a2 of each section."""

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
