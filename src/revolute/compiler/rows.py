"""Batches of plain arrays in machine code: several threads, `out=`, broadcasting and strides, without Python code."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.compiler.batch import new_results
from revolute.compiler.helpers import available, machine_code
from revolute.compiler.objects import layout_is_known
from revolute.compiler.ufunc import builtin, context_table, go_straight, hidden
from revolute.targets.llvm import Loaded
from revolute.targets.llvm.rows import MOST_ARRAYS, MOST_STRIDES, ROWS_CONTEXT

if TYPE_CHECKING:
    from revolute.compiler.kernel import Kernel

__all__ = ["rows_call"]


def rows_call(
    loaded: Loaded, kernel: Kernel, fallback: Callable[..., Any], options: Sequence[Any] = (), names: Sequence[str] = ()
) -> Callable[..., Any]:
    """A callable that evaluates a kernel on batches; `fallback` gets every call that it does not take.

    Returns the fallback itself if the platform or the kernel has not what `targets.llvm.rows` needs. Machine code is
    loaded at the first call: then a builtin function takes the place of the Python code in a `partial`.

    Args:
        loaded: the kernel's machine code, which the callable owns.
        kernel: the kernel, which it does not: a kernel owns its own calls.
        fallback: takes the other calls.
        options: the very objects that must follow the arrays in a call.
        names: of the last options, which are passed by name.
    """
    shapes = [*(x.shape for x in kernel.inputs), *(shape for _, shape in kernel.outputs)]
    strides = sum(1 + len(shape) for shape in shapes)
    if not (available() and layout_is_known()) or len(shapes) > MOST_ARRAYS or strides > MOST_STRIDES:
        return fallback
    owner = hidden(loaded)
    form = _form(loaded, kernel, shapes)
    maker = partial(_new_results, kernel.name, kernel.dtype, kernel.outputs)
    first = (fallback, tuple(map(sys.intern, names)), form, np.dtype(kernel.dtype), maker)

    def begin(*args: Any, **named: Any) -> Any:
        module = machine_code()
        context_table(module, ROWS_CONTEXT)
        call = builtin(kernel_name, module, "rows", first, tuple(options), owner)
        call = state.setdefault("call", call)  # the first thread's, if several come here
        later.__setstate__((call, (), {}, state))  # type: ignore[attr-defined]
        go_straight(later, module)
        return call(*args, **named)

    kernel_name = kernel.name
    later = partial(begin)
    state = later.__dict__
    state.update(fallback=fallback, begin=begin)  # it may be running when it is replaced
    return later


def _form(loaded: Loaded, kernel: Kernel, shapes: Sequence[tuple[int, ...]]) -> bytes:
    """A kernel as `targets.llvm.rows` reads it.

    Numbers of 64 bits: the address of its loop, how many inputs and outputs, operations of a row, bytes of a number and
    rows at once, then for each array the number of core axes, and their extents. Moving a number counts as an operation
    where there are fewer of them.
    """
    moved = sum(math.prod(shape) for shape in shapes)
    form = [
        loaded.function("loop"),
        len(kernel.inputs),
        len(kernel.outputs),
        max(kernel.operations, moved, 1),
        kernel.dtype.itemsize,
        ctypes.c_int64.from_address(loaded.variable("rows_at_once")).value,
    ]
    for shape in shapes:
        form += [len(shape), *shape]
    return np.array(form, np.int64).tobytes()


def _new_results(name: str, dtype: np.dtype[Any], outputs: Sequence[tuple[str, tuple[int, ...]]], rows: int) -> Any:
    """New results of so many rows: an array, or a tuple of several."""
    results = new_results(name, dtype, outputs, (rows,))
    return results[0] if len(results) == 1 else results
