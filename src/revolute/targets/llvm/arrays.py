"""Functions in machine code that read NumPy's arrays: `read` for the place of an array, `apart` for shared memory."""

from __future__ import annotations

from revolute.targets.llvm import objects
from revolute.targets.llvm.same_type import SAME_TYPE
from revolute.targets.llvm.short_forms import with_values

__all__ = ["arrays_text"]

_TEXT = """
declare i64 @llvm.smin.i64(i64, i64)

; Read an array of a type and with some flags set into a cell: data, step, rows or -1, first and last byte's address.
; `shape` is the number of core axes and their extents; `strides` gets the core strides. False if it does not fit.
define internal i1 @read(ptr %array, ptr %descriptor, i32 %flags, i64 %element, ptr %shape, ptr %cell, ptr %strides) {
entry:
  %type = field %array TYPE
  %expected = context ndarray type
  %is.array = icmp eq ptr %type, %expected
  br i1 %is.array, label %array.type, label %no
array.type:
  %array.descriptor = field %array ARRAY_DESCRIPTOR
  %same = call i1 @same_type(ptr %array.descriptor, ptr %descriptor)
  %flags.place = getelementptr i8, ptr %array, i64 ARRAY_FLAGS
  %array.flags = load i32, ptr %flags.place
  %common = and i32 %array.flags, %flags
  %set = icmp eq i32 %common, %flags
  %fits = and i1 %same, %set
  br i1 %fits, label %axes, label %no
axes: ; the core axes, and perhaps one before them
  %axes.place = getelementptr i8, ptr %array, i64 ARRAY_NDIM
  %axes.short = load i32, ptr %axes.place
  %all = sext i32 %axes.short to i64
  %core = number %shape 0
  %more = sub i64 %all, %core
  %few = icmp ule i64 %more, 1
  %dimensions = field %array ARRAY_DIMENSIONS
  %steps = field %array ARRAY_STRIDES
  %data = field %array ARRAY_DATA
  %low.first = ptrtoint ptr %data to i64
  %high.first = add i64 %low.first, %element
  br i1 %few, label %batched, label %no
batched:
  %has.rows = icmp eq i64 %more, 1
  br i1 %has.rows, label %rows, label %extents
rows:
  %count = load i64, ptr %dimensions
  %step = load i64, ptr %steps
  br label %extents
extents: ; each axis widens the range of addresses
  %array.rows = phi i64 [-1, %batched], [%count, %rows]
  %array.step = phi i64 [0, %batched], [%step, %rows]
  br label %loop
loop:
  %k = phi i64 [0, %extents], [%k.next, %next]
  %low = phi i64 [%low.first, %extents], [%low.next, %next]
  %high = phi i64 [%high.first, %extents], [%high.next, %next]
  %left = icmp slt i64 %k, %all
  br i1 %left, label %body, label %yes
body:
  %extent = number %dimensions %k
  %stride = number %steps %k
  %axis = sub i64 %k, %more
  %is.core = icmp sge i64 %axis, 0
  br i1 %is.core, label %compare, label %next
compare:
  %axis.up = add i64 %axis, 1
  %wanted = number %shape %axis.up
  %core.target = getelementptr i64, ptr %strides, i64 %axis
  store i64 %stride, ptr %core.target
  %equal = icmp eq i64 %wanted, %extent
  br i1 %equal, label %next, label %no
next:
  %distance = sub i64 %extent, 1
  %reach = mul i64 %distance, %stride
  %down = call i64 @llvm.smin.i64(i64 %reach, i64 0)
  %up = sub i64 %reach, %down
  %low.next = add i64 %low, %down
  %high.next = add i64 %high, %up
  %k.next = add i64 %k, 1
  br label %loop
yes:
  store ptr %data, ptr %cell
  %cell.1 = getelementptr i64, ptr %cell, i64 1
  store i64 %array.step, ptr %cell.1
  %cell.2 = getelementptr i64, ptr %cell, i64 2
  store i64 %array.rows, ptr %cell.2
  %cell.3 = getelementptr i64, ptr %cell, i64 3
  store i64 %low, ptr %cell.3
  %cell.4 = getelementptr i64, ptr %cell, i64 4
  store i64 %high, ptr %cell.4
  ret i1 true
no:
  ret i1 false
}

; Whether an entry's memory is apart from that of all others before it.
define internal i1 @apart(ptr %entries, i64 %k) nounwind {
entry:
  %entry.k = getelementptr [5 x i64], ptr %entries, i64 %k
  %low = number %entry.k 3
  %high = number %entry.k 4
  br label %loop
loop:
  %j = phi i64 [0, %entry], [%j.next, %next]
  %left = icmp slt i64 %j, %k
  br i1 %left, label %next, label %yes
next:
  %other = getelementptr [5 x i64], ptr %entries, i64 %j
  %other.low = number %other 3
  %other.high = number %other 4
  %j.next = add i64 %j, 1
  %before = icmp ule i64 %other.high, %low
  %after = icmp ule i64 %high, %other.low
  %disjoint = or i1 %before, %after
  br i1 %disjoint, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
}
"""
"""LLVM IR in short forms; numbers of an array's axes and of its core axes differ by one where it has a batch axis."""


def arrays_text() -> str:
    """The LLVM IR of these functions, in short forms."""
    return SAME_TYPE + with_values(_TEXT, {name: getattr(objects, name) for name in objects.__all__})
