"""Machine code as Python callables: a NumPy generalised ufunc, and a fast call for single rows.

Both are made through C APIs with ctypes, so no compiler is needed where Revolute is
installed. The objects own the code that they run, and all memory that they point to. That
memory is in objects that the garbage collector does not track: of garbage that refers to
itself, it finalizes and clears the parts in any order, and others may still be called meanwhile.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import BuiltinFunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.objects import (
    METHOD,
    address,
    layout_is_known,
    numpy_functions,
    vector_call,
)
from revolute.targets.llvm import CONTEXT, Loaded
from revolute.targets.llvm.objects import FASTCALL_KEYWORDS, UFUNC_NAME, UFUNC_OWNER
from revolute.targets.llvm.spare import SLOTS

__all__ = ["builtin", "context_table", "fast_call", "generalized_ufunc", "go_straight", "hidden"]

_CLEAR_FLAGS, _FROM_SIGNATURE = 27, 31
"""Indices of PyUFunc_clearfperr and PyUFunc_FromFuncAndDataAndSignature in NumPy's ufunc API."""
_NUMPY_FUNCTIONS = {"PyArray_New": 93, "PyArray_Scalar": 60}
"""Indices in NumPy's array API."""

_OUT = sys.intern("out")  # the compiler interns names of arguments: the same object in every call
_THREADS = sys.intern("threads")
_NO_NAMES: tuple[str, ...] = ()
_NAMES_OF_OUT = (_OUT,)
_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def hidden(target: object) -> NDArray[Any]:
    """A reference that the garbage collector does not see: it does not look into arrays.

    So the object is in use, for the collector, until the last owner of the reference is freed.
    An engine's finalizer frees its code, and another object's finalizer may call that code.
    """
    holder = np.empty((), object)
    holder[()] = target
    return holder


def generalized_ufunc(
    loaded: Loaded,
    name: str,
    doc: str,
    dtype: np.dtype[Any],
    inputs: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
) -> np.ufunc:
    """The module's `silent` as a NumPy generalised ufunc.

    Args:
        loaded: a module that `targets.llvm.module_text` describes.
        name, doc: of the ufunc.
        dtype: float64 or float32.
        inputs, outputs: core shapes.
    """
    numpy = numpy_functions("_UFUNC_API")
    memory = [
        struct.pack("P", loaded.function("silent")),
        struct.pack("P", numpy[_CLEAR_FLAGS]),  # data for the loop
        bytes([dtype.num]) * (len(inputs) + len(outputs)),
        name.encode(),
        doc.encode(),
    ]
    # a frozen size may not be zero: robots without joints get a named one
    core = [f"({','.join(str(extent or 'none') for extent in shape)})" for shape in (*inputs, *outputs)]
    signature = f"{','.join(core[: len(inputs)])}->{','.join(core[len(inputs) :])}".encode()
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *[ctypes.c_void_p] * 3,
        *[ctypes.c_int] * 4,
        *[ctypes.c_void_p] * 2,
        ctypes.c_int,
        ctypes.c_char_p,
    )(numpy[_FROM_SIGNATURE])
    addresses = [address(x) for x in memory]
    ufunc: np.ufunc = make(*addresses[:3], 1, len(inputs), len(outputs), -1, *addresses[3:], 0, signature)
    _tie(ufunc, addresses[3], (hidden(loaded), *memory))
    return ufunc


def _tie(ufunc: np.ufunc, name_address: int, memory: Any) -> None:
    """Have the ufunc own the memory that its pointers point to: NumPy frees `obj` with the ufunc."""
    owner = ctypes.c_void_p.from_address(id(ufunc) + UFUNC_OWNER)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))  # never released if the ufunc cannot own it
    if ctypes.c_void_p.from_address(id(ufunc) + UFUNC_NAME).value == name_address and owner.value is None:
        owner.value = id(memory)


def fast_call(
    loaded: Loaded,
    name: str,
    dtype: np.dtype[Any],
    results: int,
    fallback: Callable[..., Any],
    others: Callable[..., Any],
    options: Sequence[Any] = (),
    names: Sequence[str] = (),
) -> Callable[..., Any]:
    """The module's `fast` as a builtin function.

    Returns the fallback itself if CPython's or NumPy's objects are not laid out as the machine
    code expects.

    Args:
        loaded: a module that `targets.llvm.module_text` describes.
        name: of the function.
        dtype: float64 or float32.
        results: how many arrays it returns.
        fallback: takes calls that it does not take, such as large batches.
        others: takes calls with other options or another type; the fallback hands such calls to it too.
        options: the very objects that must follow the arrays in a call.
        names: of the last options, which are passed by name.
    """
    if not layout_is_known():
        return fallback
    descriptor = np.dtype(dtype)
    context_table(loaded, CONTEXT, descriptor)
    kept = np.empty(SLOTS * results, object)  # the garbage collector does not look into arrays
    first, last = (fallback, tuple(map(sys.intern, names)), kept), (others, *options)
    return builtin(name, loaded, "fast", first, last, descriptor)


def context_table(loaded: Loaded, names: Sequence[str], descriptor: np.dtype[Any] | None = None) -> None:
    """Fill a module's table `context` with addresses of objects and of Python's and NumPy's functions.

    Args:
        loaded: the module.
        names: of the entries.
        descriptor: NumPy's type of the kernel's arrays; its functions must own it.
    """
    objects: dict[str, object] = {
        "ndarray type": np.ndarray, "tuple type": tuple, "list type": list, "dict type": dict, "float type": float,
        "int type": int, "float64 type": np.float64, "builtin type": BuiltinFunctionType,
        "descriptor": descriptor, "int64 descriptor": _INT64,
        "float64 descriptor": _FLOAT64, "none": None, "name out": _OUT, "name threads": _THREADS,
        "names of out": _NAMES_OF_OUT, "no names": _NO_NAMES,
    }  # fmt: skip

    def entry(name: str) -> int | None:
        if name in objects:
            return id(objects[name])
        if name in _NUMPY_FUNCTIONS:
            return int(numpy_functions("_ARRAY_API")[_NUMPY_FUNCTIONS[name]])
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value

    (ctypes.c_void_p * len(names)).from_address(loaded.variable("context"))[:] = [entry(name) for name in names]


def builtin(
    name: str, loaded: Loaded, function: str, first: tuple[Any, ...], last: tuple[Any, ...] = (), needed: object = None
) -> Callable[..., Any]:
    """A builtin function of Python that runs the machine code of a module.

    Args:
        name: of the builtin function.
        loaded: the module.
        function: its function, with the signature METH_FASTCALL | METH_KEYWORDS.
        first, last: items of the tuple that the function is bound to; the one between them keeps all it needs alive.
        needed: an object that it needs besides its code.
    """
    label = name.encode()
    method = struct.pack(METHOD, address(label), loaded.function(function), FASTCALL_KEYWORDS, 0)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # CPython reads the method for the last time right before it releases the tuple
    items = (*first, (hidden(loaded), method, label, needed), *last)
    result: Callable[..., Any] = new(address(method), items, None)
    return result


def go_straight(bound: partial[Any], loaded: Loaded) -> None:
    """Have calls of a partial that holds a builtin function of `fast_call` skip the partial's own code.

    Args:
        bound: a partial without arguments. It must own the function, and so the code of it.
        loaded: the module of the function.
    """
    if layout_is_known() and type(bound.func) is BuiltinFunctionType and (place := vector_call(bound)) is not None:
        place.value = loaded.function("straight")
