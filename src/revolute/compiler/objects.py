"""Checks of the memory layout of objects that machine code for calls assumes; if they fail, Python handles calls.

A field is read as an address only after other fields of the object have confirmed its layout.
"""

import ctypes
import struct
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from revolute.targets.llvm import objects as at

METHOD = "PPiP"  # PyMethodDef: name, function, flags, doc
_NUMPY_2 = 0x02000000  # version of NumPy's ABI, which fixes the order of NumPy's function tables


def address(memory: bytes) -> int:
    """Address of the zero-terminated content of a bytes object; valid as long as the object exists."""
    return ctypes.cast(ctypes.c_char_p(memory), ctypes.c_void_p).value or 0


def new_function(method: bytes, bound_to: object) -> Any:
    """A builtin function of Python, bound to an object, from a PyMethodDef that must outlive it."""
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(address(method), bound_to, None)


@cache
def numpy_functions(name: str) -> Any:
    """A table of C function pointers that NumPy exports."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(getattr(_multiarray_umath, name), None), ctypes.POINTER(ctypes.c_void_p))


@cache
def layout_is_known() -> bool:
    """Whether all objects that `targets.llvm` reads have the layout in `targets.llvm.objects`."""
    return (
        sys.implementation.name == "cpython"
        and ctypes.sizeof(ctypes.c_void_p) == 8
        # the first function of NumPy's table returns its version
        and ctypes.CFUNCTYPE(ctypes.c_uint)(numpy_functions("_ARRAY_API")[0])() == _NUMPY_2
        and _arrays()
        and _containers()
        and _functions()
    )


def _word(item: object, offset: int) -> int | None:
    return ctypes.c_void_p.from_address(id(item) + offset).value


def _arrays() -> bool:
    # check the type first: other fields exist only in objects of this type
    array = np.empty((3, 5))
    dimensions = _word(array, at.ARRAY_DIMENSIONS)
    return (
        _word(array, at.TYPE) == id(np.ndarray)
        and _word(array, at.ARRAY_DATA) == array.ctypes.data
        and ctypes.c_int.from_address(id(array) + at.ARRAY_NDIM).value == 2
        and _word(array, at.ARRAY_DESCRIPTOR) == id(array.dtype)
        and ctypes.c_int.from_address(id(array) + at.ARRAY_FLAGS).value & 0x501 == 0x501
        and dimensions is not None
        and tuple((ctypes.c_ssize_t * 2).from_address(dimensions)) == (3, 5)
        and all(_type(x) == (ord(x.kind), ord(x.char), ord(x.byteorder), x.num) for x in map(np.dtype, _TYPES))
    )


_TYPES = ("=f8", ">f8", "f4", "i8")


def _type(x: np.dtype[Any]) -> tuple[int, int, int, int]:
    """Kind, type character, byte order and type number of a NumPy descriptor."""
    kind, character, order, _, number = struct.unpack("4Bi", ctypes.string_at(id(x) + at.DESCRIPTOR_TYPE, 8))
    return kind, character, order, number


def _containers() -> bool:
    a, b = object(), object()
    group, text, mapping = (a, b), b"two bytes", {a: b}
    return (
        _word(group, at.TYPE) == id(tuple)
        and (_word(group, at.SIZE), _word(text, at.SIZE), _word(mapping, at.SIZE)) == (2, 9, 1)
        and (_word(group, at.TUPLE_ITEMS), _word(group, at.TUPLE_ITEMS + 8)) == (id(a), id(b))
        and ctypes.string_at(id(text) + at.BYTES_ITEMS, 9) == text
    )


def _functions() -> bool:
    bound_to = (object(),)
    method = struct.pack(METHOD, address(b"probe"), 0, at.FASTCALL_KEYWORDS, 0)  # this function is never called
    probe = new_function(method, bound_to)
    works = probe.__self__ is bound_to
    del probe  # deallocating the function reads its method definition, which must exist until then
    return works
