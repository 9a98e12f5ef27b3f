"""What a kernel's machine code needs of others: a table of addresses, and code for single rows."""

from __future__ import annotations

__all__ = ["CONTEXT", "NOT_ASKED_FOR", "NOT_THERE"]

CONTEXT = (
    "ndarray type", "descriptor", "name out", "PyArray_New", "PyArray_Scalar", "PyTuple_New", "PyObject_Vectorcall",
    "Py_IncRef", "tuple type", "no names", "name threads", "none", "int64 descriptor", "list type",
    "float type", "float64 type", "int type", "PyLong_AsLongLongAndOverflow", "builtin type", "Py_DecRef",
)  # fmt: skip
"""Entries of the module's table `context`, which the process fills after loading it."""

NOT_ASKED_FOR, NOT_THERE = 0, 1
"""Values of a module's variable `row_code`, which are no addresses: see `row.py`."""
