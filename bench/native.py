"""Machine code of the benchmark's own: what calls and loops cost without Python in between."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from bench.robots import Array
from revolute.targets.llvm import Loaded, compile_object, host, load_object

__all__ = ["Loop", "again", "compiled", "empty_builtin"]

_AGAIN = """
define void @again(ptr %function, i64 %times, ptr %a, ptr %b, ptr %c, ptr %d) {
entry:
  br label %turn
turn:
  %k = phi i64 [0, %entry], [%next, %turn]
  call void %function(ptr %a, ptr %b, ptr %c, ptr %d)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %turn, label %done
done:
  ret void
}
"""

# A METH_FASTCALL function that returns its first argument.
_EMPTY = """
declare void @Py_IncRef(ptr)
define ptr @empty(ptr %self, ptr %arguments, i64 %count, ptr %names) {
  %first = load ptr, ptr %arguments
  call void @Py_IncRef(ptr %first)
  ret ptr %first
}
"""

_FASTCALL, _KEYWORDS = 0x80, 0x02


@cache
def compiled(text: str) -> Loaded:
    """The machine code of an LLVM module; it stays loaded."""
    return load_object(compile_object(text, host()), host())


@cache
def again() -> Any:
    """`again(function, times, a, b, c, d)`: calls machine code `times` times with four words."""
    address = compiled(_AGAIN).function("again")
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 4)(address)


class _Method(ctypes.Structure):
    """PyMethodDef of Python's C interface."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


@cache
def empty_builtin() -> Any:
    """A builtin function that takes any arguments, and returns the first."""
    method = _Method(b"empty", compiled(_EMPTY).function("empty"), _FASTCALL | _KEYWORDS, None)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))  # the function reads it for as long as it lives
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.argtypes, make.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p], ctypes.py_object
    return make(ctypes.addressof(method), None, None)


class Loop:
    """The inner loop of a kernel over rows, called from machine code.

    Attributes:
        words: what `again` takes after the number of times.
        address: of the loop.
    """

    def __init__(self, ir: str, arrays: Sequence[Array]) -> None:
        """Compile a kernel's IR; `arrays` are its inputs and then its results, each (rows, ...)."""
        self._loaded = compiled(ir)
        self.address = self._loaded.function("loop")
        self._arrays = tuple(arrays)
        outer = [x.strides[0] for x in arrays]
        inner = [stride for x in arrays for stride in x.strides[1:]]
        tables = [x.ctypes.data for x in arrays], [len(arrays[0])], outer + inner
        self._tables = [np.array(x, dtype=np.int64) for x in tables]
        self.words = (*(x.ctypes.data for x in self._tables), None)

    def __call__(self, times: int) -> None:
        """Compute all rows, `times` times."""
        again()(self.address, times, *self.words)
