"""Memory of large results, reused once they are freed.

A new array of some megabytes is allocated by the operating system, which zeroes every page on first access: that takes
longer than computing most results. So freed memory is kept, up to `KEPT` bytes, for results of the same size.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import ShapeError

POOLED = 1 << 18  # minimum size of a result [bytes] whose memory is pooled; the C library pools smaller blocks
KEPT = 1 << 27  # maximum total size of the pool [bytes]; larger results are never pooled
LINE = 64  # size of a cache line [bytes]. Results are aligned to lines, because whole lines are written faster
_idle: deque[NDArray[np.uint8]] = deque()


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An uninitialised array, as from `numpy.empty`; its `base` returns the memory to the pool when it is freed."""
    size = dtype.itemsize * math.prod(shape)
    # the C library pools small blocks; very large blocks are not pooled, because one block would fill the pool
    if not POOLED <= size <= KEPT:
        return np.empty(shape, dtype)
    memory: NDArray[Any] = np.asarray(_Lease(_take(size + LINE)))
    # the block is one cache line longer than the result, so that the result can be aligned to a line
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


class _Lease:
    """A block of memory in use, as the base of arrays; when they are freed, the block returns to the pool."""

    def __init__(self, memory: NDArray[np.uint8]) -> None:
        self._memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        _idle.append(self._memory)
        while sum(memory.nbytes for memory in _idle.copy()) > KEPT:
            try:
                _idle.popleft()
            except IndexError:  # another thread has removed the last block
                return


def _take(size: int) -> NDArray[np.uint8]:
    """The last freed block of this size, which is most likely in the processor's cache; otherwise a new block."""
    # several threads may remove blocks at once: each pop is atomic, and a block of the wrong size is put back
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
    """A new array for result k of a kernel, with leading axes `batch`; `name` is for messages."""
    try:
        return new_array(batch + outputs[k][1], dtype)
    except ValueError as error:
        size = f"{math.prod(batch)} rows on {len(batch)} axes"
        raise ShapeError(f"{name}: the results of {size} do not fit a NumPy array: {error}") from None
