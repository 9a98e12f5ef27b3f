"""Where CPython's and NumPy's objects have their parts: byte offsets that machine code for calls reads at.

All follow from the size of an object's header, which differs in free-threaded builds, and from the sizes of types.
`revolute.compiler.objects` looks at objects of this process before any such code runs.
"""

from __future__ import annotations

__all__ = [
    "ARRAY_BASE", "ARRAY_DATA", "ARRAY_DESCRIPTOR", "ARRAY_DIMENSIONS", "ARRAY_FLAGS", "ARRAY_NDIM", "ARRAY_STRIDES",
    "ARRAY_WEAK_REFERENCES", "BYTES_ITEMS", "DESCRIPTOR_TYPE", "FASTCALL_KEYWORDS", "FLOAT_VALUE", "FREE_THREADED",
    "FUNCTION_BOUND_TO", "FUNCTION_METHOD",
    "HEADER", "LIST_ITEMS", "METHOD_CODE", "METHOD_FLAGS", "PARTIAL_FUNCTION", "SIZE", "TUPLE_ITEMS", "TYPE",
    "UFUNC_NAME", "UFUNC_OWNER",
]  # fmt: skip

HEADER = object.__basicsize__
"""Bytes of PyObject; the pointer to the type is last."""

FREE_THREADED = HEADER > 16
"""Other threads may run meanwhile and change dicts and lists."""

TYPE = HEADER - 8

SIZE = HEADER
"""Of tuples, lists and bytes: number of items; of dicts: number of keys."""

TUPLE_ITEMS = tuple.__basicsize__
"""From Python 3.14 on there is a hash before them."""

LIST_ITEMS = HEADER + 8
"""Where a list has the pointer to its items."""

BYTES_ITEMS = bytes.__basicsize__ - 1
FLOAT_VALUE = HEADER

ARRAY_DATA, ARRAY_NDIM, ARRAY_DIMENSIONS, ARRAY_STRIDES = HEADER, HEADER + 8, HEADER + 16, HEADER + 24
ARRAY_BASE, ARRAY_DESCRIPTOR, ARRAY_FLAGS, ARRAY_WEAK_REFERENCES = HEADER + 32, HEADER + 40, HEADER + 48, HEADER + 56

DESCRIPTOR_TYPE = HEADER + 8
"""Where PyArray_Descr has kind, character, byte order and number of its type: 8 bytes."""

PARTIAL_FUNCTION = HEADER
FUNCTION_METHOD, FUNCTION_BOUND_TO = HEADER, HEADER + 8
"""Of builtin functions: PyMethodDef, and the object that they are bound to."""

METHOD_CODE, METHOD_FLAGS = 8, 16
"""Where PyMethodDef has the machine code, and flags that tell its signature."""

FASTCALL_KEYWORDS = 0x0080 | 0x0002
"""METH_FASTCALL | METH_KEYWORDS, the flags of our own functions."""

UFUNC_NAME, UFUNC_OWNER = HEADER + 40, HEADER + 72
"""Where PyUFuncObject has the pointer to its name, and `obj`, an object that it owns."""
