"""Machine code as Python callables: a NumPy generalised ufunc, and a fast call for single rows.

Both are made through C APIs with ctypes, so no compiler is needed where Revolute is
installed. The objects own the code that they run, and all memory that they point to. That
memory is in objects that the garbage collector does not track: of garbage that refers to
itself, it finalizes and clears the parts in any order, and others may still be called meanwhile.
"""

from __future__ import annotations

import builtins
import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache, partial
from types import BuiltinFunctionType
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]
from numpy.typing import NDArray

from revolute.targets.llvm import CONTEXT, Loaded

__all__ = ["builtin", "context_table", "fast_call", "generalized_ufunc", "go_straight", "hidden", "layout_is_known"]

_FROM_SIGNATURE = 31  # index of PyUFunc_FromFuncAndDataAndSignature in NumPy's ufunc API
_NEW_ARRAY = 93  # index of PyArray_New in NumPy's array API
_RETURN_ARRAY = 76  # index of PyArray_Return there
_UFUNC_NAME, _UFUNC_OWNER = 56, 88  # offsets of `name` and `obj` in PyUFuncObject
_FASTCALL_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS
_METHOD = "PPiP"  # PyMethodDef: name, function, flags, doc
_VECTORCALL_OFFSET = 56  # offset of tp_vectorcall_offset in PyTypeObject

_OUT = sys.intern("out")  # the compiler interns names of arguments: the same object in every call
_THREADS = sys.intern("threads")
_NO_NAMES: tuple[str, ...] = ()
_NAMES_OF_OUT = (_OUT,)


def hidden(target: object) -> NDArray[Any]:
    """A reference that the garbage collector does not see: it does not look into arrays.

    So the object is in use, for the collector, until the last owner of the reference is freed.
    An engine's finalizer frees its code, and another object's finalizer may call that code.
    """
    holder = np.empty((), object)
    holder[()] = target
    return holder


def _address(memory: bytes) -> int:
    """Address of the content of some bytes, with a zero after it; valid for as long as they live."""
    return ctypes.cast(ctypes.c_char_p(memory), ctypes.c_void_p).value or 0


@cache
def _api(name: str) -> Any:
    """A table of C function pointers that NumPy exports."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(getattr(_multiarray_umath, name), None), ctypes.POINTER(ctypes.c_void_p))


def generalized_ufunc(
    loaded: Loaded,
    name: str,
    doc: str,
    dtype: np.dtype[Any],
    inputs: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
) -> np.ufunc:
    """The module's `loop` as a NumPy generalised ufunc.

    Args:
        loaded: a module that `targets.llvm.module_text` describes.
        name, doc: of the ufunc.
        dtype: float64 or float32.
        inputs, outputs: core shapes.
    """
    memory = [
        struct.pack("P", loaded.function("loop")),
        struct.pack("P", 0),  # data for the loop, which needs none
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
    )(_api("_UFUNC_API")[_FROM_SIGNATURE])
    addresses = [_address(x) for x in memory]
    ufunc: np.ufunc = make(*addresses[:3], 1, len(inputs), len(outputs), -1, *addresses[3:], 0, signature)
    _tie(ufunc, addresses[3], (hidden(loaded), *memory))
    return ufunc


def _tie(ufunc: np.ufunc, name_address: int, memory: Any) -> None:
    """Have the ufunc own the memory that its pointers point to: NumPy frees `obj` with the ufunc."""
    owner = ctypes.c_void_p.from_address(id(ufunc) + _UFUNC_OWNER)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))  # never released if the ufunc cannot own it
    if ctypes.c_void_p.from_address(id(ufunc) + _UFUNC_NAME).value == name_address and owner.value is None:
        owner.value = id(memory)


def fast_call(
    loaded: Loaded,
    name: str,
    dtype: np.dtype[Any],
    fallback: Callable[..., Any],
    options: Sequence[Any] = (),
    names: Sequence[str] = (),
) -> Callable[..., Any]:
    """The module's `fast` as a builtin function; `fallback` gets every call that it does not take.

    Returns the fallback itself if CPython's or NumPy's objects are not laid out as the machine
    code expects.

    Args:
        loaded: a module that `targets.llvm.module_text` describes.
        name: of the function.
        dtype: float64 or float32.
        fallback: takes the other calls.
        options: the very objects that must follow the arrays in a call.
        names: of the last options, which are passed by name.
    """
    if not layout_is_known():
        return fallback
    descriptor = np.dtype(dtype)
    context_table(loaded, CONTEXT, descriptor)
    return builtin(name, loaded, "fast", (fallback, tuple(map(sys.intern, names))), tuple(options), descriptor)


def context_table(loaded: Loaded, names: Sequence[str], descriptor: np.dtype[Any] | None = None) -> None:
    """Fill a module's table `context` with addresses of objects and of Python's and NumPy's functions.

    Args:
        loaded: the module.
        names: of the entries.
        descriptor: NumPy's type of the kernel's arrays; its functions must own it.
    """

    def address(name: str) -> int | None:
        match name:
            case "ndarray type":
                return id(np.ndarray)
            case "descriptor":
                return id(descriptor)
            case "tuple type":
                return id(tuple)
            case "dict type":
                return id(dict)
            case "int type":
                return id(int)
            case "none":
                return id(None)
            case "name out":
                return id(_OUT)
            case "name threads":
                return id(_THREADS)
            case "names of out":
                return id(_NAMES_OF_OUT)
            case "no names":
                return id(_NO_NAMES)
            case "PyArray_New":
                return int(_api("_ARRAY_API")[_NEW_ARRAY])
            case "PyArray_Return":
                return int(_api("_ARRAY_API")[_RETURN_ARRAY])
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value

    (ctypes.c_void_p * len(names)).from_address(loaded.variable("context"))[:] = [address(name) for name in names]


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
    method = struct.pack(_METHOD, _address(label), loaded.function(function), _FASTCALL_KEYWORDS, 0)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # CPython reads the method for the last time right before it releases the tuple
    items = (*first, (hidden(loaded), method, label, needed), *last)
    result: Callable[..., Any] = new(_address(method), items, None)
    return result


def go_straight(bound: partial[Any], loaded: Loaded) -> None:
    """Have calls of a partial that holds a builtin function of `fast_call` skip the partial's own code.

    Args:
        bound: a partial without arguments. It must own the function, and so the code of it.
        loaded: the module of the function.
    """
    if layout_is_known() and type(bound.func) is BuiltinFunctionType:
        _vector_call(bound).value = loaded.function("straight")


def _vector_call(bound: partial[Any]) -> ctypes.c_void_p:
    """Where a partial keeps the code that calls of it run."""
    offset = ctypes.c_ssize_t.from_address(id(partial) + _VECTORCALL_OFFSET).value
    return ctypes.c_void_p.from_address(id(bound) + offset)


@cache
def layout_is_known() -> bool:
    """Whether arrays, tuples, partials and builtin functions have their parts where `targets.llvm.fast` reads them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    probe, names = np.empty((3, 5)), (_OUT, "other")
    array = id(probe)

    def word(address: int) -> int | None:
        return ctypes.c_void_p.from_address(address).value

    shape, strides = ((ctypes.c_ssize_t * 2).from_address(word(array + place) or array) for place in (32, 40))
    partial_of_len, method = partial(len), word(id(len) + 16)
    return (
        word(array + 8) == id(np.ndarray)
        and word(array + 16) == probe.ctypes.data
        and ctypes.c_int.from_address(array + 24).value == 2
        and word(array + 56) == id(probe.dtype)
        and ctypes.c_int.from_address(array + 64).value & 0x501 == 0x501
        and tuple(shape) == (3, 5)
        and tuple(strides) == probe.strides
        and word(id(names) + 16) == 2
        and word(id(names) + tuple.__basicsize__) == id(_OUT)
        and word(id(partial_of_len) + 16) == id(len)
        and word(id(len) + 24) == id(builtins)
        and method is not None
        and ctypes.string_at(word(method) or method) == b"len"
        and 0 < (word(id(partial) + _VECTORCALL_OFFSET) or 0) < partial.__basicsize__
    )
