"""Calls of kernels as builtin functions of Python: see `targets.llvm.call`.

The functions are created through C APIs with ctypes, so Revolute's installation needs no compiler. The functions own
the code that they run, and all memory to which they point.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from revolute.compiler.memory import POOLED, new_result
from revolute.compiler.objects import METHOD, address, layout_is_known, new_function, numpy_functions
from revolute.compiler.patterns import Pattern
from revolute.compiler.signature import Signature
from revolute.compiler.stored import load_shared
from revolute.compiler.ufunc import hidden
from revolute.targets.llvm import Loaded
from revolute.targets.llvm.call_form import BOUND, CONTEXT, FORM, MOST_ARRAYS, MOST_STRIDES, strides
from revolute.targets.llvm.objects import FASTCALL_KEYWORDS, FREE_THREADED

ALONE = 1 << 18  # number of operations (about 15 us) below which a batch is computed without releasing the GIL
PAYS = 30_000_000  # number of operations (about 1.5 ms) above which several threads save time, even after pauses
_NUMPY_FUNCTIONS = {"PyArray_New": 93, "PyArray_Scalar": 60}  # indices of functions in NumPy's array API

_OBJECTS: dict[str, object] = {
    "ndarray": np.ndarray, "tuple": tuple, "dict": dict, "int": int, "none": None,
    "out": sys.intern("out"), "threads": sys.intern("threads"),  # the names of arguments are interned strings
}  # fmt: skip
"""Objects to which the machine code refers and which must outlive the code."""


def fast_call(
    form: Signature, descriptor: np.dtype[Any], work: int, loaded: Loaded, fallback: Callable[..., Any], how: Pattern
) -> Callable[..., Any]:
    """A builtin function for calls of a pattern with plain arrays; `fallback` handles all other calls.

    Returns the fallback itself if CPython's or NumPy's objects do not have the layout that the machine code assumes, or
    if the kernel has too many arrays. The function keeps the code alive, but not the kernel, which owns such functions.
    `work` is the kernel's number of operations per row.
    """
    shapes = [*(x.shape for x in form.inputs), *(shape for _, shape in form.outputs)]
    steps = strides(shapes, descriptor.itemsize)
    # the tables of the machine code are on the stack, so their size is fixed
    known = layout_is_known() and len(shapes) <= MOST_ARRAYS and len(steps) <= MOST_STRIDES
    if not known or (FREE_THREADED and how.keys):  # other threads may modify the dict during iteration
        return fallback
    module, label = _module(), form.name.encode()
    numbers = {
        "loop": loaded.function("loop"), "row code": loaded.variable("row_code"), "inputs": len(form.inputs),
        "outputs": len(form.outputs), "strides": len(steps), "operations": work, "alone": ALONE, "pays": PAYS,
        "type": descriptor.num, "descriptor": id(descriptor), "pooled": POOLED,
    }
    method = struct.pack(METHOD, address(label), module.function("call"), FASTCALL_KEYWORDS, 0)
    parts = {
        "fallback": fallback,
        "names": how.names,
        "slots": _words(how.codes),
        "options": how.options,
        "keys": how.keys,
        "places": _words(how.places),
        "template": how.template,
        "form": _words([numbers[name] for name in FORM]),
        "shapes": _words([number for shape in shapes for number in (len(shape), *shape)]),
        "steps": _words(steps),
        "maker": partial(new_result, form.name, descriptor, form.outputs),
        "owned": (hidden(loaded), method, label, descriptor),
    }
    # the code reads the tuple `self`; CPython last accesses the method immediately before releasing the tuple
    call: Callable[..., Any] = new_function(method, tuple([parts[name] for name in BOUND]))
    return call


@cache
def _module() -> Loaded:
    """The machine code that handles calls; all kernels of the process share it."""
    loaded = load_shared("call", _text)

    def entry(name: str) -> int | None:
        if name in _OBJECTS:
            return id(_OBJECTS[name])
        if name in _NUMPY_FUNCTIONS:
            return int(numpy_functions("_ARRAY_API")[_NUMPY_FUNCTIONS[name]])
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value

    (ctypes.c_void_p * len(CONTEXT)).from_address(loaded.variable("context"))[:] = [entry(name) for name in CONTEXT]
    return loaded


def _text() -> str:
    from revolute.targets.llvm.call import call_text  # the lock ensures that the code is compiled only once

    return call_text()


def _words(numbers: Sequence[int]) -> bytes:
    return np.array(numbers, np.int64).tobytes()
