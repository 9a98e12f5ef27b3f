"""The function `read` of a kernel's module: an argument that is no plain array, as a pointer and strides.

    read(object, form, buffer, data, outer, core, rows): whether the object stands for an input

`form` holds the input's number of axes and its extents. If the object can be read where it is, or its numbers could be
put into `buffer`, `read` stores a pointer to the first number in `data`, the stride of the batch in `outer`, and those
of the input's axes in `core`. It takes

- arrays of the kernel's type with any strides, and with an axis of `rows` before, as long as that of the arguments
  before. `rows` is -1 while there is none;
- rows of 64-bit integers, and lists and tuples of floats and integers, where the input has one axis;
- a float or an integer where it has none.

The last two are for kernels of float64 alone: numbers without a type are computed in float64. Numbers are converted as
NumPy does it. No code of others runs meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from revolute.targets.llvm.objects import (
    ARRAY_DATA,
    ARRAY_DESCRIPTOR,
    ARRAY_DIMENSIONS,
    ARRAY_FLAGS,
    ARRAY_NDIM,
    ARRAY_STRIDES,
    FLOAT_VALUE,
    FREE_THREADED,
    LIST_ITEMS,
    TUPLE_ITEMS,
    TYPE,
)
from revolute.targets.llvm.same_type import SAME_TYPE
from revolute.targets.llvm.short_forms import expanded

__all__ = ["read_function"]

_ARRAYS = f"""
define internal i1 @read(ptr %object, ptr %form, ptr %buffer, ptr %data, ptr %outer, ptr %core, ptr %rows) noinline {{
entry:
  %alone = alloca ptr, align 8
  %overflow = alloca i32, align 4
  %axes = number %form 0
  %extents = getelementptr i64, ptr %form, i64 1
  %type = field %object {TYPE}
  %array.type = context ndarray type
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %array, label %others

array: ; aligned, with the input's axes and at most one before them
  %flags.place = getelementptr i8, ptr %object, i64 {ARRAY_FLAGS}
  %flags = load i32, ptr %flags.place
  %aligned.flag = and i32 %flags, 256
  %aligned = icmp ne i32 %aligned.flag, 0
  %ndim.place = getelementptr i8, ptr %object, i64 {ARRAY_NDIM}
  %ndim.int = load i32, ptr %ndim.place
  %ndim = zext i32 %ndim.int to i64
  %before = sub i64 %ndim, %axes
  %few = icmp ule i64 %before, 1
  %usable = and i1 %aligned, %few
  br i1 %usable, label %array.axes, label %no
array.axes:
  %dimensions = field %object {ARRAY_DIMENSIONS}
  %strides = field %object {ARRAY_STRIDES}
  %is.batch = icmp eq i64 %before, 1
  br i1 %is.batch, label %batch, label %core.start
batch: ; as many rows as other arguments
  %known = load i64, ptr %rows
  %length = load i64, ptr %dimensions
  %first = icmp eq i64 %known, -1
  %equal = icmp eq i64 %known, %length
  %agree = or i1 %first, %equal
  br i1 %agree, label %batch.put, label %no
batch.put:
  store i64 %length, ptr %rows
  %row.stride = load i64, ptr %strides
  br label %core.start

core.start: ; the input's own extents; without a batch axis every row is the same
  %step = phi i64 [0, %array.axes], [%row.stride, %batch.put]
  store i64 %step, ptr %outer
  br label %core.loop
core.loop:
  %k = phi i64 [0, %core.start], [%k.next, %core.put]
  %more = icmp ult i64 %k, %axes
  br i1 %more, label %core.body, label %content
core.body:
  %axis = add i64 %k, %before
  %extent = number %extents %k
  %dimension = number %dimensions %axis
  %fits = icmp eq i64 %extent, %dimension
  br i1 %fits, label %core.put, label %no
core.put:
  %stride = number %strides %axis
  %core.place = getelementptr i64, ptr %core, i64 %k
  store i64 %stride, ptr %core.place
  %k.next = add i64 %k, 1
  br label %core.loop

content: ; numbers of the kernel's type are read where they are
  %memory = field %object {ARRAY_DATA}
  store ptr %memory, ptr %data
  %descriptor = field %object {ARRAY_DESCRIPTOR}
  %kernel.descriptor = context descriptor
  %is.plain = call i1 @same_type(ptr %descriptor, ptr %kernel.descriptor)
  br i1 %is.plain, label %yes, label %integers
yes:
  ret i1 1
no:
  ret i1 0
"""

_NO_NUMBERS = """
integers:
  br label %no
others:
  br label %no
}
"""

_NUMBERS = f"""
integers: ; a single row of 64-bit integers
  %int64 = context int64 descriptor
  %is.int64 = call i1 @same_type(ptr %descriptor, ptr %int64)
  %has.one = icmp eq i64 %axes, 1
  %has.room = icmp ne ptr %buffer, null
  %is.row = xor i1 %is.batch, true
  %row.of.one = and i1 %is.row, %has.one
  %convertible = and i1 %row.of.one, %has.room
  %convert = and i1 %convertible, %is.int64
  br i1 %convert, label %integers.start, label %no
integers.start:
  %count = number %extents 0
  %gap = number %core 0
  br label %integers.loop
integers.loop:
  %i = phi i64 [0, %integers.start], [%i.next, %integers.body]
  %i.left = icmp ult i64 %i, %count
  br i1 %i.left, label %integers.body, label %converted
integers.body:
  %i.offset = mul i64 %i, %gap
  %i.place = getelementptr i8, ptr %memory, i64 %i.offset
  %i.value = load i64, ptr %i.place
  %i.real = sitofp i64 %i.value to double
  %i.target = getelementptr double, ptr %buffer, i64 %i
  store double %i.real, ptr %i.target
  %i.next = add i64 %i, 1
  br label %integers.loop
converted:
  store ptr %buffer, ptr %data
  store i64 8, ptr %core
  ret i1 1

others: ; a list or a tuple for one axis, an object for none
  store i64 0, ptr %outer
  %room = icmp ne ptr %buffer, null
  br i1 %room, label %others.kind, label %no
others.kind:
  store ptr %object, ptr %alone
  switch i64 %axes, label %no [ i64 0, label %values i64 1, label %sequence ]
sequence:
  %length.needed = number %extents 0
  %tuple.type = context tuple type
  %list.type = context list type
  %is.tuple = icmp eq ptr %type, %tuple.type
  %is.list = {"icmp ne i64 0, 0 ; other threads may change it" if FREE_THREADED else "icmp eq ptr %type, %list.type"}
  %is.known = or i1 %is.tuple, %is.list
  br i1 %is.known, label %sequence.size, label %no
sequence.size:
  %own.size = size %object
  %whole = icmp eq i64 %own.size, %length.needed
  %tuple.items = getelementptr i8, ptr %object, i64 {TUPLE_ITEMS}
  br i1 %whole, label %sequence.items, label %no
sequence.items:
  br i1 %is.tuple, label %values, label %list.items
list.items:
  %list.memory = field %object {LIST_ITEMS}
  br label %values

values: ; each to its place in the buffer
  %items = phi ptr [%alone, %others.kind], [%tuple.items, %sequence.items], [%list.memory, %list.items]
  %number = phi i64 [1, %others.kind], [%length.needed, %sequence.items], [%length.needed, %list.items]
  store ptr %buffer, ptr %data
  br label %values.loop
values.loop:
  %v = phi i64 [0, %values], [%v.next, %value.put]
  %v.left = icmp ult i64 %v, %number
  br i1 %v.left, label %value, label %values.done
value:
  %v.place = getelementptr ptr, ptr %items, i64 %v
  %x = load ptr, ptr %v.place
  %x.type = field %x {TYPE}
  %float.type = context float type
  %is.float = icmp eq ptr %x.type, %float.type
  br i1 %is.float, label %value.float, label %value.others
value.others:
  %float64.type = context float64 type
  %is.float64 = icmp eq ptr %x.type, %float64.type
  br i1 %is.float64, label %value.float, label %value.rest
value.float:
  %float.place = getelementptr i8, ptr %x, i64 {FLOAT_VALUE}
  %float = load double, ptr %float.place
  br label %value.put
value.rest:
  %int.type = context int type
  %is.int = icmp eq ptr %x.type, %int.type
  br i1 %is.int, label %value.int, label %no
value.int: ; integers of more than 64 bits are left to NumPy
  %as.int64 = context PyLong_AsLongLongAndOverflow
  %integer = call i64 %as.int64(ptr %x, ptr %overflow)
  %overflowed = load i32, ptr %overflow
  %small = icmp eq i32 %overflowed, 0
  %int.real = sitofp i64 %integer to double
  br i1 %small, label %value.put, label %no
value.put:
  %real = phi double [%float, %value.float], [%int.real, %value.int]
  %v.target = getelementptr double, ptr %buffer, i64 %v
  store double %real, ptr %v.target
  %v.next = add i64 %v, 1
  br label %values.loop
values.done: ; there is no stride to store where there is no axis
  %stored = icmp eq i64 %axes, 1
  br i1 %stored, label %values.stride, label %yes
values.stride:
  store i64 8, ptr %core
  br label %yes
}}
"""


def read_function(bits: int, context: Sequence[str]) -> str:
    """The LLVM IR of `read`.

    Args:
        bits: of the kernel's numbers.
        context: entries of the module's table.
    """
    return expanded(SAME_TYPE + _ARRAYS + (_NUMBERS if bits == 64 else _NO_NUMBERS), context)
