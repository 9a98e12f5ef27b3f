"""New arrays for results of single rows: the array of an earlier result that nobody holds any more, else a new one.

NumPy takes some 25 to 40 ns to make an array and free it, as long as many kernels compute. So a function keeps a
reference to each of its latest two results: in a loop, one is the caller's while the next is computed. The function
`spare.k` returns one of them if that reference is the only one, and the array is as it was made. No one can tell it
from a new array at the address of one that was freed: there is no view of it, no buffer of it and no weak reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from revolute.targets.llvm.objects import (
    ARRAY_BASE,
    ARRAY_DESCRIPTOR,
    ARRAY_DIMENSIONS,
    ARRAY_FLAGS,
    ARRAY_NDIM,
    ARRAY_WEAK_REFERENCES,
    FREE_THREADED,
    TYPE,
)
from revolute.targets.llvm.short_forms import expanded, with_values

__all__ = ["KEPT", "SLOTS", "has_spare", "spare_function", "spare_name"]

SLOTS = 2
"""Results that a function keeps, of each output."""

LARGEST = 4096
"""Bytes of a result that is kept."""

KEPT = not FREE_THREADED
"""Whether results are kept: where threads share Python's objects, no count tells that nobody else holds one."""

_FRESH, _ORDER = 0x1 | 0x4 | 0x100 | 0x400, 0x2
"""NumPy's flags of a new array: C-contiguous, owner of its data, aligned, writeable. Vectors have Fortran's as well."""

_TEXT = """
define internal ptr @NAME(ptr %slots, i32 %kind) noinline nounwind { ; a new reference; null if there is no memory
entry:
  %newer = pointer %slots 0
  br label %look
look: ; at the newer one, then at the older one
  %older.one = phi i1 [false, %entry], [true, %look.older]
  %array = phi ptr [%newer, %entry], [%older, %look.older]
  %type = field %array TYPE
  %array.type = context ndarray type
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %alone, label %another
alone: ; one reference, none of them weak
  %references = load i32, ptr %array
  %single = icmp eq i32 %references, 1
  br i1 %single, label %same, label %another
same: ; as it was made
  %weak = field %array ARRAY_WEAK_REFERENCES
  %no.weak = icmp eq ptr %weak, null
  %base = field %array ARRAY_BASE
  %no.base = icmp eq ptr %base, null
  %flags.place = getelementptr i8, ptr %array, i64 ARRAY_FLAGS
  %flags.all = load i32, ptr %flags.place
  %flags = and i32 %flags.all, MASK
  %fresh = icmp eq i32 %flags, FRESH
  %own.descriptor = field %array ARRAY_DESCRIPTOR
  %descriptor = context descriptor
  %same.type = icmp eq ptr %own.descriptor, %descriptor
  %axes.place = getelementptr i8, ptr %array, i64 ARRAY_NDIM
  %axes = load i32, ptr %axes.place
  %same.axes = icmp eq i32 %axes, AXES
  %known.0 = and i1 %no.weak, %no.base
  %known.1 = and i1 %known.0, %fresh
  %known.2 = and i1 %known.1, %same.type
  %known = and i1 %known.2, %same.axes
  br i1 %known, label %shape, label %another
shape:
  %dimensions = field %array ARRAY_DIMENSIONS
EXTENTS
  br i1 %same.EXTENT, label %take, label %another
take:
  %own = context Py_IncRef
  call void %own(ptr %array)
  ret ptr %array
another:
  br i1 %older.one, label %new, label %look.older
look.older:
  %older = pointer %slots 1
  br label %look
new: ; keep it, in place of the older one
  %make = context PyArray_New
  %made = call ptr %make(
    ptr %array.type, i32 AXES, ptr @NAME.shape, i32 %kind, ptr null, ptr null, i32 0, i32 0, ptr null)
  %is.made = icmp ne ptr %made, null
  br i1 %is.made, label %keep, label %failed
keep: ; freeing the older one may run Python code, which finds all in order
  %keep.it = context Py_IncRef
  call void %keep.it(ptr %made)
  %second = getelementptr ptr, ptr %slots, i64 1
  store ptr %newer, ptr %second
  store ptr %made, ptr %slots
  %release = context Py_DecRef
  call void %release(ptr %array)
  ret ptr %made
failed:
  ret ptr null
}
"""


def has_spare(shape: tuple[int, ...], element: int) -> bool:
    """Whether results of this shape are kept: see `spare_function`."""
    return KEPT and bool(shape) and 0 < math.prod(shape) * element <= LARGEST


def spare_name(k: int) -> str:
    """Of the function for output k."""
    return f"spare.{k}"


def spare_function(k: int, shape: tuple[int, ...], context: Sequence[str]) -> str:
    """The LLVM IR of `spare.k(slots, kind)` for output k: `slots` has SLOTS objects, which are arrays or others.

    Args:
        k: the output.
        shape: of the result.
        context: entries of the module's table.
    """
    extents = ", ".join(f"i64 {x}" for x in shape)
    table = f"@{spare_name(k)}.shape = private constant [{len(shape)} x i64] [{extents}], align 8"
    compared = ["  %same.0 = icmp eq i1 true, true"]
    for axis, extent in enumerate(shape):
        compared += [
            f"  %extent.{axis} = number %dimensions {axis}",
            f"  %fits.{axis} = icmp eq i64 %extent.{axis}, {extent}",
            f"  %same.{axis + 1} = and i1 %same.{axis}, %fits.{axis}",
        ]
    values: dict[str, int | str] = {
        "NAME": spare_name(k), "AXES": len(shape), "EXTENTS": "\n".join(compared), "EXTENT": len(shape),
        "TYPE": TYPE, "ARRAY_WEAK_REFERENCES": ARRAY_WEAK_REFERENCES, "ARRAY_BASE": ARRAY_BASE,
        "ARRAY_FLAGS": ARRAY_FLAGS, "ARRAY_DESCRIPTOR": ARRAY_DESCRIPTOR, "ARRAY_NDIM": ARRAY_NDIM,
        "ARRAY_DIMENSIONS": ARRAY_DIMENSIONS, "MASK": ~_ORDER, "FRESH": _FRESH,
    }  # fmt: skip
    return expanded(f"{table}\n{with_values(_TEXT, values)}", context)
