"""A Python function in machine code that puts the arguments of a call in order for another function.

`arrange` has CPython's METH_FASTCALL | METH_KEYWORDS signature. It is bound to a tuple:

    0  the fallback, which takes all other calls
    1  the function to call
    2  the names of the named arguments
    3  the keys of the dict
    4  a code for every argument
    5  the function's arguments, where a call does not give them
    6  the objects that a call must have as options
    7  for each key, which argument of the function it stands for
    8  NumPy's type of all arrays; of float64, a list, a tuple or a float may be in place of one

A code says what an argument is: k >= 0, argument k of the function; -1, an option; -2, a dict with exactly these keys,
in their order. An `out=` at the end is passed on. Until a call is fully checked, `arrange` runs no Python code, which
could change the dict; then it owns the dict's values until the call is done.
"""

from __future__ import annotations

from revolute.targets.llvm.objects import (
    ARRAY_DESCRIPTOR,
    BYTES_ITEMS,
    FUNCTION_BOUND_TO,
    FUNCTION_METHOD,
    METHOD_CODE,
    TUPLE_ITEMS,
    TYPE,
)
from revolute.targets.llvm.pass_on import PASS_ON
from revolute.targets.llvm.same_type import SAME_TYPE
from revolute.targets.llvm.short_forms import expanded

__all__ = ["ARRANGE_CONTEXT", "MOST", "arrange_text"]

ARRANGE_CONTEXT = (
    "dict type", "name out", "names of out", "ndarray type", "list type", "tuple type", "float type",
    "builtin type", "float64 descriptor", "PyDict_Next", "PyObject_Vectorcall", "Py_IncRef", "Py_DecRef",
)
"""Entries of the module's table `context`, which the process fills after loading it."""

MOST = 64
"""The most arguments of the function to call, `out` included."""


def _for_dict_values(label: str, k: str, before: str, after: str, function: str) -> str:
    """A loop in short form: call a function for each value of the dict, from block `before` to block `after`."""
    return f"""\
  br label %{label}.loop
{label}.loop:
  %{k} = phi i64 [0, %{before}], [%{k}.next, %{label}.body]
  %{label}.left = icmp ult i64 %{k}, %keys.size
  br i1 %{label}.left, label %{label}.body, label %{after}
{label}.body:
  %{k}.place = getelementptr i64, ptr %place.table, i64 %{k}
  %{k}.at = load i64, ptr %{k}.place
  %{k}.value.place = getelementptr ptr, ptr %table, i64 %{k}.at
  %{k}.value = load ptr, ptr %{k}.value.place
  %{label} = context {function}
  call void %{label}(ptr %{k}.value)
  %{k}.next = add i64 %{k}, 1
  br label %{label}.loop"""


_TEXT = f"""
@context = global [{len(ARRANGE_CONTEXT)} x ptr] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i1 @fits(ptr %argument, ptr %descriptor) alwaysinline {{
entry: ; an array of the type
  %type = field %argument {TYPE}
  %array.type = context ndarray type
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %array, label %others
array:
  %own = field %argument {ARRAY_DESCRIPTOR}
  %same = call i1 @same_type(ptr %own, ptr %descriptor)
  ret i1 %same
others: ; or numbers without a type, which count as float64
  %float64 = context float64 descriptor
  %is.float64 = icmp eq ptr %descriptor, %float64
  %list.type = context list type
  %is.list = icmp eq ptr %type, %list.type
  %tuple.type = context tuple type
  %is.tuple = icmp eq ptr %type, %tuple.type
  %is.sequence = or i1 %is.list, %is.tuple
  %float.type = context float type
  %is.float = icmp eq ptr %type, %float.type
  %is.number = or i1 %is.sequence, %is.float
  %counts = and i1 %is.float64, %is.number
  ret i1 %counts
}}

define ptr @arrange(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
entry: ; the parts of the tuple
  %table = alloca [64 x ptr], align 8
  %position = alloca i64, align 8
  %key.found = alloca ptr, align 8
  %value.found = alloca ptr, align 8
  %function = item %self 1
  %names = item %self 2
  %keys = item %self 3
  %codes = item %self 4
  %template = item %self 5
  %options = item %self 6
  %places = item %self 7
  %descriptor = item %self 8
  %place.table = getelementptr i8, ptr %places, i64 {BYTES_ITEMS}
  %keys.size = size %keys
  %bytes = size %codes
  %slots = lshr i64 %bytes, 3
  %code.table = getelementptr i8, ptr %codes, i64 {BYTES_ITEMS}
  %named = size %names
  %inputs = size %template
  %without = icmp eq ptr %kwnames, null
  br i1 %without, label %count, label %with

with:
  %given.size = size %kwnames
  br label %count

count: ; as many arguments as there are codes, and at most one name more
  %given = phi i64 [0, %entry], [%given.size, %with]
  %all = add i64 %nargs, %named
  %fits = icmp eq i64 %all, %slots
  %more = sub i64 %given, %named
  %few = icmp ule i64 %more, 1
  %ok = and i1 %fits, %few
  br i1 %ok, label %names.loop, label %slow

names.loop: ; the same names in the same order
  %n = phi i64 [0, %count], [%n.next, %names.same]
  %names.left = icmp ult i64 %n, %named
  br i1 %names.left, label %names.body, label %copy
names.body:
  %name = item %names %n
  %name.given = item %kwnames %n
  %name.same = icmp eq ptr %name, %name.given
  br i1 %name.same, label %names.same, label %slow
names.same:
  %n.next = add i64 %n, 1
  br label %names.loop

copy: ; the function's arguments where a call does not give them
  %items = getelementptr i8, ptr %template, i64 {TUPLE_ITEMS}
  %length = shl i64 %inputs, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %table, ptr %items, i64 %length, i1 false)
  br label %slots.loop

slots.loop: ; each argument to its place
  %s = phi i64 [0, %copy], [%s.next, %slots.next]
  %slots.left = icmp ult i64 %s, %slots
  br i1 %slots.left, label %slots.body, label %last
slots.body:
  %argument.place = getelementptr ptr, ptr %args, i64 %s
  %argument = load ptr, ptr %argument.place
  %code.place = getelementptr i64, ptr %code.table, i64 %s
  %code = load i64, ptr %code.place
  %is.input = icmp sge i64 %code, 0
  br i1 %is.input, label %input, label %other
input: ; None may mean that there is none
  %input.fits = call i1 @fits(ptr %argument, ptr %descriptor)
  br i1 %input.fits, label %input.put, label %slow
input.put:
  %target = getelementptr ptr, ptr %table, i64 %code
  store ptr %argument, ptr %target
  br label %slots.next
other:
  %is.option = icmp eq i64 %code, -1
  br i1 %is.option, label %option, label %mapping
option:
  %expected = item %options %s
  %option.same = icmp eq ptr %expected, %argument
  br i1 %option.same, label %slots.next, label %slow
mapping: ; a dict of as many keys
  %type = field %argument {TYPE}
  %dict = context dict type
  %is.dict = icmp eq ptr %type, %dict
  br i1 %is.dict, label %mapping.size, label %slow
mapping.size:
  %used = size %argument
  %whole = icmp eq i64 %used, %keys.size
  store i64 0, ptr %position
  br i1 %whole, label %keys.loop, label %slow
keys.loop: ; the very keys, and arrays of the type
  %k = phi i64 [0, %mapping.size], [%k.next, %keys.put]
  %keys.left = icmp ult i64 %k, %keys.size
  br i1 %keys.left, label %keys.body, label %slots.next
keys.body:
  %step = context PyDict_Next
  %more.keys = call i32 %step(ptr %argument, ptr %position, ptr %key.found, ptr %value.found)
  %has.key = icmp ne i32 %more.keys, 0
  br i1 %has.key, label %keys.compare, label %slow
keys.compare:
  %key = item %keys %k
  %key.given = load ptr, ptr %key.found
  %key.same = icmp eq ptr %key, %key.given
  br i1 %key.same, label %keys.value, label %slow
keys.value:
  %value = load ptr, ptr %value.found
  %value.fits = call i1 @fits(ptr %value, ptr %descriptor)
  br i1 %value.fits, label %keys.put, label %slow
keys.put:
  %k.place = getelementptr i64, ptr %place.table, i64 %k
  %at = load i64, ptr %k.place
  %value.place = getelementptr ptr, ptr %table, i64 %at
  store ptr %value, ptr %value.place
  %k.next = add i64 %k, 1
  br label %keys.loop
slots.next:
  %s.next = add i64 %s, 1
  br label %slots.loop

last: ; one name more can only be out
  %plain = icmp eq i64 %more, 0
  br i1 %plain, label %go, label %out
out:
  %last.name = item %kwnames %named
  %out.name = context name out
  %is.out = icmp eq ptr %last.name, %out.name
  br i1 %is.out, label %out.put, label %slow
out.put:
  %out.place = getelementptr ptr, ptr %args, i64 %slots
  %out.array = load ptr, ptr %out.place
  %out.target = getelementptr ptr, ptr %table, i64 %inputs
  store ptr %out.array, ptr %out.target
  %out.names = context names of out
  br label %go

go: ; own the dict's values
  %names.handed = phi ptr [null, %last], [%out.names, %out.put]
{_for_dict_values("own", "o", "go", "call", "Py_IncRef")}

call: ; to the machine code of the function
  %method = field %function {FUNCTION_METHOD}
  %bound = field %function {FUNCTION_BOUND_TO}
  %machine.code = field %method {METHOD_CODE}
  %result = call ptr %machine.code(ptr %bound, ptr %table, i64 %inputs, ptr %names.handed)
{_for_dict_values("release", "r", "call", "done", "Py_DecRef")}
done:
  ret ptr %result

slow: ; what takes every call
  %fallback = item %self 0
  %slow.result = tail call ptr @pass_on(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %slow.result
}}
"""


def arrange_text() -> str:
    """The LLVM IR of a module with `arrange` and its table `context`."""
    return expanded(SAME_TYPE + PASS_ON + _TEXT, ARRANGE_CONTEXT)
