"""Byte offsets of the fields of CPython's and NumPy's objects that machine code for calls reads.

The offsets follow from the size of an object's header, which differs in free-threaded builds, and from sizes of types.
`revolute.compiler.objects` checks them on objects of this process before any such code runs.
"""

__all__ = [
    "ARRAY_DATA", "ARRAY_DESCRIPTOR", "ARRAY_DIMENSIONS", "ARRAY_FLAGS", "ARRAY_NDIM", "BYTES_ITEMS", "DESCRIPTOR_TYPE",
    "FASTCALL_KEYWORDS", "FREE_THREADED", "HEADER", "SIZE", "TUPLE_ITEMS", "TYPE", "UFUNC_NAME", "UFUNC_OWNER",
]  # fmt: skip

HEADER = object.__basicsize__  # size of PyObject [bytes]; the last field is the pointer to the type
FREE_THREADED = HEADER > 16  # whether other threads may change dicts and lists concurrently
TYPE = HEADER - 8
SIZE = HEADER  # offset of the number of items of tuples and bytes, or of the number of keys of dicts
TUPLE_ITEMS = tuple.__basicsize__  # offset of a tuple's items; since Python 3.14 a hash precedes them
BYTES_ITEMS = bytes.__basicsize__ - 1
ARRAY_DATA, ARRAY_NDIM, ARRAY_DIMENSIONS = HEADER, HEADER + 8, HEADER + 16
ARRAY_DESCRIPTOR, ARRAY_FLAGS = HEADER + 40, HEADER + 48
DESCRIPTOR_TYPE = HEADER + 8  # offset of the 8 bytes with kind, character, byte order and number of the type
FASTCALL_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS, the flags of the compiled functions

UFUNC_NAME, UFUNC_OWNER = HEADER + 40, HEADER + 72
"""Offsets in PyUFuncObject of the pointer to the name and of `obj`, an object that the ufunc owns."""
