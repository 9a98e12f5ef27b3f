"""Where CPython's and NumPy's objects have their parts: byte offsets that machine code for calls reads at.

All follow from the size of an object's header, which differs in free-threaded builds, and from the sizes of types.
`revolute.compiler.objects` looks at objects of this process before any such code runs.
"""

__all__ = [
    "ARRAY_DATA", "ARRAY_DESCRIPTOR", "ARRAY_DIMENSIONS", "ARRAY_FLAGS", "ARRAY_NDIM", "BYTES_ITEMS", "DESCRIPTOR_TYPE",
    "FASTCALL_KEYWORDS", "FREE_THREADED", "HEADER", "SIZE", "TUPLE_ITEMS", "TYPE", "UFUNC_NAME", "UFUNC_OWNER",
]  # fmt: skip

HEADER = object.__basicsize__  # bytes of PyObject; the pointer to the type is last
FREE_THREADED = HEADER > 16  # whether other threads may change dicts and lists concurrently

TYPE = HEADER - 8

SIZE = HEADER  # of tuples and bytes: number of items; of dicts: number of keys
TUPLE_ITEMS = tuple.__basicsize__  # from Python 3.14 on there is a hash before them

BYTES_ITEMS = bytes.__basicsize__ - 1

ARRAY_DATA, ARRAY_NDIM, ARRAY_DIMENSIONS = HEADER, HEADER + 8, HEADER + 16
ARRAY_DESCRIPTOR, ARRAY_FLAGS = HEADER + 40, HEADER + 48

DESCRIPTOR_TYPE = HEADER + 8  # where PyArray_Descr has kind, character, byte order and number of its type: 8 bytes
FASTCALL_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS, the flags of our own functions

UFUNC_NAME, UFUNC_OWNER = HEADER + 40, HEADER + 72
"""Where PyUFuncObject has the pointer to its name, and `obj`, an object that it owns."""
