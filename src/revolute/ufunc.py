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
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]
from numpy.typing import NDArray

from revolute.targets.llvm import CONTEXT, Loaded

__all__ = ["fast_call", "generalized_ufunc"]

_FROM_SIGNATURE = 31  # index of PyUFunc_FromFuncAndDataAndSignature in NumPy's ufunc API
_NEW_ARRAY = 93  # index of PyArray_New in NumPy's array API
_RETURN_ARRAY = 76  # index of PyArray_Return there
_UFUNC_NAME, _UFUNC_OWNER = 56, 88  # offsets of `name` and `obj` in PyUFuncObject
_FASTCALL_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS
_METHOD = "PPiP"  # PyMethodDef: name, function, flags, doc

_OUT = sys.intern("out")  # the compiler interns names of arguments: the same object in every call
_NO_NAMES: tuple[str, ...] = ()


def _hidden(target: object) -> NDArray[Any]:
    """A reference that the garbage collector does not see: it does not look into arrays.

    So the object is in use, for the collector, until the last owner of the reference is freed.
    An engine's finalizer frees its code, and another object's finalizer may call that code.
    """
    holder = np.empty((), object)
    holder[()] = target
    return holder


def _address(memory: bytes) -> int:
    """Where the content of some bytes is, with a zero after it; good for as long as they live."""
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
    _tie(ufunc, addresses[3], (_hidden(loaded), *memory))
    return ufunc


def _tie(ufunc: np.ufunc, name_address: int, needed: Any) -> None:
    """Have the ufunc own what its pointers point to: NumPy frees `obj` with the ufunc."""
    where = id(ufunc)
    owner = ctypes.c_void_p.from_address(where + _UFUNC_OWNER)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(needed))  # and never released where the ufunc cannot own it
    if ctypes.c_void_p.from_address(where + _UFUNC_NAME).value == name_address and owner.value is None:
        owner.value = id(needed)


class _Bound(tuple[Any, ...]):
    """What a fast call is bound to: see `targets.llvm.fast`.

    Python pickles a bound function as an attribute of what it is bound to; of a method's fast
    call that is the object whose method takes the other calls.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[Any]]:
        return _owner, (self[0],)


def _owner(method: Any) -> Any:
    return method.__self__


def fast_call(
    loaded: Loaded,
    name: str,
    dtype: np.dtype[Any],
    fallback: Callable[..., Any],
    options: Sequence[Any] = (),
    names: Sequence[str] = (),
) -> Callable[..., Any]:
    """The module's `fast` as a builtin function; `fallback` gets every call that it does not take.

    Its signature and text are those of the fallback.

    Where CPython's or NumPy's objects are not laid out as the machine code expects, the
    fallback itself comes back.

    Args:
        loaded: a module that `targets.llvm.module_text` describes.
        name: of the function.
        dtype: float64 or float32.
        fallback: what takes the other calls.
        options: what must follow the arrays in a call: these very objects.
        names: of the last of them, which are named in the call.
    """
    if not _layout_is_known():
        return fallback
    descriptor = np.dtype(dtype)
    context = (ctypes.c_void_p * len(CONTEXT)).from_address(loaded.variable("context"))
    context[:] = [
        id(np.ndarray),
        id(descriptor),
        id(_OUT),
        _api("_ARRAY_API")[_NEW_ARRAY],
        _api("_ARRAY_API")[_RETURN_ARRAY],
        ctypes.cast(ctypes.pythonapi.PyTuple_New, ctypes.c_void_p).value,
        ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value,
        ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value,
        id(tuple),
        id(_NO_NAMES),
    ]
    doc = f"{name}{_text_of(signature(fallback))}\n--\n\n{fallback.__doc__}"  # where CPython finds a signature
    text = name.encode() + b"\0" + doc.encode()
    label, words = _address(text), _address(text) + text.index(b"\0") + 1
    method = struct.pack(_METHOD, label, loaded.function("fast"), _FASTCALL_KEYWORDS, words)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # CPython reads the method for the last time right before it lets go of the tuple
    owned = (_hidden(loaded), descriptor, _OUT, method, text)
    bound = _Bound((fallback, tuple(map(sys.intern, names)), owned, *options))
    found: Callable[..., Any] = new(_address(method), bound, None)
    return found


def _text_of(shape: Signature) -> str:
    """A signature as builtin functions have it: without types, with what they are bound to."""
    me = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    bare = [p.replace(annotation=p.empty) for p in shape.parameters.values()]
    return str(Signature([me, *bare])).replace("(self", "($self", 1)


@cache
def _layout_is_known() -> bool:
    """Whether arrays and tuples have their parts where `targets.llvm.fast` reads them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    probe, names = np.empty((3, 5)), (_OUT, "other")
    at = id(probe)

    def word(address: int) -> int | None:
        return ctypes.c_void_p.from_address(address).value

    shape = (ctypes.c_ssize_t * 2).from_address(word(at + 32) or at)
    return (
        word(at + 8) == id(np.ndarray)
        and word(at + 16) == probe.ctypes.data
        and ctypes.c_int.from_address(at + 24).value == 2
        and word(at + 56) == id(probe.dtype)
        and ctypes.c_int.from_address(at + 64).value & 0x501 == 0x501
        and tuple(shape) == (3, 5)
        and word(id(names) + 16) == 2
        and word(id(names) + 24) == id(_OUT)
    )
