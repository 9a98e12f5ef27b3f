"""Machine code of the benchmark's own: what calls and loops cost without Python in between."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from bench.robots import Array
from revolute.targets.llvm import Loaded, compile_object, host, load_object

__all__ = ["Calls", "Loop", "again", "compiled", "empty_builtin"]

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

# Calls a Python function as Python's own bytecode does, but without that bytecode; 1 if it raises an exception.
_CALLS = """
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_DecRef(ptr)
define i64 @calls(ptr %function, i64 %times, ptr %arguments, i64 %count, ptr %names) {
entry:
  br label %turn
turn:
  %k = phi i64 [0, %entry], [%next, %done]
  %result = call ptr @PyObject_Vectorcall(ptr %function, ptr %arguments, i64 %count, ptr %names)
  %failed = icmp eq ptr %result, null
  br i1 %failed, label %end, label %done
done:
  call void @Py_DecRef(ptr %result)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %turn, label %end
end:
  %error = phi i64 [1, %turn], [0, %done]
  ret i64 %error
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


class Calls:
    """Calls of a Python function with the same arguments, and a given result, from machine code."""

    def __init__(self, function: Any, arguments: Sequence[Any], out: Any) -> None:
        made = ctypes.PYFUNCTYPE(
            ctypes.c_int64, ctypes.py_object, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.py_object
        )
        self._code = made(compiled(_CALLS).function("calls"))
        self._function, self._count, self._names = function, len(arguments), ("out",)
        self._arguments = (ctypes.py_object * (len(arguments) + 1))(*arguments, out)

    def __call__(self, times: int) -> None:
        """Call the function so often."""
        place = ctypes.addressof(self._arguments)
        self._code(self._function, times, place, self._count, self._names)


class Loop:
    """The inner loop of a kernel over rows, called from machine code."""

    def __init__(self, ir: str, inputs: Sequence[Array], results: Sequence[Array]) -> None:
        """Compile a kernel's IR; all arrays are (rows, ...)."""
        arrays = self._arrays = (*inputs, *results)
        self._address = compiled(ir).function("loop")
        outer = [x.strides[0] for x in arrays]
        inner = [stride for x in arrays for stride in x.strides[1:]]
        tables = [x.ctypes.data for x in arrays], [len(arrays[0])], outer + inner
        self._tables = [np.array(x, dtype=np.int64) for x in tables]
        self._words = [x.ctypes.data for x in self._tables]

    def __call__(self, times: int) -> None:
        """Compute all rows, `times` times."""
        again()(self._address, times, *self._words, None)
