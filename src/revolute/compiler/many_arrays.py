"""Machine code with more arrays than a ufunc can have, such as for a robot with hands and a wrench on every link."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.targets.llvm import Loaded
from revolute.targets.llvm.call_form import strides


def broadcast_function(
    loaded: Loaded, dtype: np.dtype[Any], inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]
) -> Callable[..., Any]:
    """The function `loop` of a module as a Python function that broadcasts and takes `out`, as a ufunc does.

    Inputs are copied to contiguous memory. The call releases the GIL.
    """
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loaded.function("loop"))
    steps = np.array(strides([*inputs, *outputs], dtype.itemsize), np.int64)

    def evaluate(*arrays: Array, out: Any = None) -> Any:
        cores = list(zip(arrays, inputs, strict=True))
        batch = np.broadcast_shapes(*[x.shape[: x.ndim - len(shape)] for x, shape in cores])
        copies = [np.array(np.broadcast_to(x, (*batch, *shape)), dtype, order="C") for x, shape in cores]
        results = [np.empty((*batch, *shape), dtype) for shape in outputs]
        pointers = np.array([x.ctypes.data for x in (*copies, *results)], np.uintp)
        rows = np.array([math.prod(batch)], np.int64)
        if rows[0]:
            loop(pointers.ctypes.data, rows.ctypes.data, steps.ctypes.data, None)
        if out is None:
            found = [y if y.ndim else y[()] for y in results]  # single numbers are no arrays
            return found[0] if len(found) == 1 else tuple(found)
        for given, result in zip(out if isinstance(out, tuple) else (out,), results, strict=True):
            given[...] = result
        return out

    return evaluate
