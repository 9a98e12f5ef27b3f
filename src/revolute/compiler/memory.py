"""Memory of large results, reused once they are freed.

A new array of some megabytes comes from the operating system, which zeroes every page of it
when it is first touched: that takes longer than computing most results. So the memory of
freed results is kept, up to `KEPT` bytes, for the next result of the same size.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import ShapeError

__all__ = ["POOLED", "new_array", "new_result"]

POOLED = 1 << 18
"""Bytes of the smallest result whose memory is kept; the C library itself keeps smaller ones."""

KEPT = 1 << 27
"""The most bytes to keep, in all; larger results are never kept."""

LINE = 64
"""Bytes of a cache line. Results begin at one, because whole lines are written faster."""

_idle: deque[NDArray[np.uint8]] = deque()


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array with arbitrary content, as from `numpy.empty`; its `base` returns the memory when it is freed."""
    size = dtype.itemsize * math.prod(shape)
    # small memory the C library keeps; of large results even one would fill the store
    if not POOLED <= size <= KEPT:
        return np.empty(shape, dtype)
    memory: NDArray[Any] = np.asarray(_Lease(_take(size + LINE)))
    # the memory is a line longer than the result, so that this can begin with a whole one
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


class _Lease:
    """Memory in use: arrays hold it as their base; when it is freed, its memory is kept."""

    def __init__(self, memory: NDArray[np.uint8]) -> None:
        self._memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        _idle.append(self._memory)
        while sum(memory.nbytes for memory in _idle.copy()) > KEPT:
            try:
                _idle.popleft()
            except IndexError:  # another thread was faster
                return


def _take(size: int) -> NDArray[np.uint8]:
    """The memory of this size that was kept last, of which the cache has most; new memory if there is none."""
    # several threads may take at once: each pop is atomic, and what does not fit goes back
    others: list[NDArray[np.uint8]] = []
    try:
        while (memory := _idle.pop()).nbytes != size:
            others.append(memory)
    except IndexError:
        memory = np.empty(size, np.uint8)
    _idle.extend(reversed(others))
    return memory


def new_result(
    name: str, dtype: np.dtype[Any], outputs: Sequence[tuple[str, tuple[int, ...]]], k: int, *batch: int
) -> NDArray[Any]:
    """A new array for result k of a kernel of that name, with these leading axes."""
    try:
        return new_array(batch + outputs[k][1], dtype)
    except ValueError as error:
        size = f"{math.prod(batch)} rows on {len(batch)} axes"
        raise ShapeError(f"{name}: no NumPy array holds the results of {size}: {error}") from None
