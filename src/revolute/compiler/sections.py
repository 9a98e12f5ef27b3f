"""Zero-phase filters as machine code: forward and backward in place, a vector register's worth of signals at once."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.stored import load_shared
from revolute.targets.llvm import Loaded, host
from revolute.targets.llvm.sections import NUMBERS, sections_text

__all__ = ["forward_and_backward"]

Array = NDArray[Any]

_CODE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
"""Calls release Python's lock."""


def forward_and_backward(x: Array, sections: Array, steady: Array, pad: int) -> Array:
    """A filter applied forward and backward, so that phases cancel. Gustafsson 1996 has more on its ends.

    At both ends a signal is continued by its reflection through the end point, and begins in its steady state.

    Args:
        x: (T, n) signals, finite, of two rows or more.
        sections: (s, 6) second-order sections b0, b1, b2, 1, a1, a2, as SciPy's.
        steady: (s, 2) states of the sections for the constant signal 1: `scipy.signal.sosfilt_zi`.
        pad: rows of the reflections, fewer than T.

    Returns:
        (T, n) the filtered signals.
    """
    code, width = _CODE(_loaded(len(sections)).function("sections")), host().lanes().width
    numbers = np.ascontiguousarray(np.hstack([sections[:, :3], -sections[:, 4:], steady]), dtype=float)
    assert numbers.shape[1] == NUMBERS
    result = np.empty(x.shape)
    rows = len(x) + 2 * pad
    buffer = np.zeros((rows, width))
    first, step = buffer.ctypes.data, buffer.strides[0]
    for at in range(0, x.shape[1], width):
        part = x[:, at : at + width]
        used = buffer[:, : part.shape[1]]
        used[pad : rows - pad] = part
        if pad:
            np.subtract(2 * part[0], part[pad:0:-1], out=used[:pad])
            np.subtract(2 * part[-1], part[-2 : -pad - 2 : -1], out=used[rows - pad :])
        code(first, rows, step, numbers.ctypes.data)
        code(first + (rows - 1) * step, rows, -step, numbers.ctypes.data)
        result[:, at : at + width] = used[pad : rows - pad]
    return result


@cache
def _loaded(count: int) -> Loaded:
    lanes = host().lanes()
    return load_shared(f"sections {count} {lanes!r}", lambda: sections_text(count, lanes))
