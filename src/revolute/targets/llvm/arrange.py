"""A Python function in machine code that puts the arguments of a call in order for another one.

`arrange` has CPython's METH_FASTCALL | METH_KEYWORDS signature. It is bound to a tuple: what takes the calls that it
does not know, the function to call, names of arguments, keys of a dict, a code for every argument, the function's
arguments where a call does not give them, the very objects that a call must have as options, which argument of the
function each key stands for, and NumPy's type of all arrays.

A code says what an argument is: k >= 0, argument k of the function; -1, an option; -2, a dict with the very keys, in
their order. An `out=` at the end is handed on. Until it is sure of a call, `arrange` runs no Python code, which could
change the dict; then it owns the dict's values until the call is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from revolute.targets.llvm.fast import TUPLE_ITEMS

__all__ = ["ARRANGE_CONTEXT", "MOST", "arrange_text"]

ARRANGE_CONTEXT = (
    "dict type", "name out", "names of out", "ndarray type", "PyDict_Next", "PyObject_Vectorcall", "Py_IncRef",
    "Py_DecRef",
)
"""What the process writes into the module's table `context` after loading it."""

MOST = 64
"""Arguments of a function that is called, `out` included."""

_SHORT = {
    r"item (\S+) (\S+)": (  # of a tuple
        f"{{0}}.items = getelementptr i8, ptr {{1}}, i64 {TUPLE_ITEMS}",
        "{0}.place = getelementptr ptr, ptr {0}.items, i64 {2}",
        "{0} = load ptr, ptr {0}.place",
    ),
    r"size (\S+)": ("{0}.place = getelementptr i8, ptr {1}, i64 16", "{0} = load i64, ptr {0}.place"),
    r"field (\S+) (\S+)": ("{0}.place = getelementptr i8, ptr {1}, i64 {2}", "{0} = load ptr, ptr {0}.place"),
    r"known (\S+)": ("{0}.place = getelementptr ptr, ptr @context, i64 {1}", "{0} = load ptr, ptr {0}.place"),
}
"""Short forms in the text below, and what they stand for; `size` is that of a tuple, of bytes or of a dict.

Fields: 8 is an object's type; 16 and 24 are the method and the bound object of a builtin function, 8 is the code in its
method.
"""

_TEXT = """
@context = global [8 x ptr] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @arrange(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {
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
  %place.table = getelementptr i8, ptr %places, i64 32
  %keys.size = size %keys
  %bytes = size %codes
  %slots = lshr i64 %bytes, 3
  %code.table = getelementptr i8, ptr %codes, i64 32
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
  %items = getelementptr i8, ptr %template, i64 TUPLE_ITEMS
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
input: ; an array of the type: None may mean that there is none
  %input.type = field %argument 8
  %array = known 3
  %is.array = icmp eq ptr %input.type, %array
  br i1 %is.array, label %input.array, label %slow
input.array:
  %input.descriptor = field %argument 56
  %input.fits = icmp eq ptr %input.descriptor, %descriptor
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
  %type = field %argument 8
  %dict = known 0
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
  %step = known 4
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
  %value.type = field %value 8
  %value.array = known 3
  %value.is.array = icmp eq ptr %value.type, %value.array
  br i1 %value.is.array, label %keys.array, label %slow
keys.array:
  %value.descriptor = field %value 56
  %value.fits = icmp eq ptr %value.descriptor, %descriptor
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
  %out.name = known 1
  %is.out = icmp eq ptr %last.name, %out.name
  br i1 %is.out, label %out.put, label %slow
out.put:
  %out.place = getelementptr ptr, ptr %args, i64 %slots
  %out.array = load ptr, ptr %out.place
  %out.target = getelementptr ptr, ptr %table, i64 %inputs
  store ptr %out.array, ptr %out.target
  %out.names = known 2
  br label %go

go: ; own the dict's values
  %names.handed = phi ptr [null, %last], [%out.names, %out.put]
  br label %own.loop
own.loop:
  %o = phi i64 [0, %go], [%o.next, %own.body]
  %own.left = icmp ult i64 %o, %keys.size
  br i1 %own.left, label %own.body, label %call
own.body:
  %o.place = getelementptr i64, ptr %place.table, i64 %o
  %o.at = load i64, ptr %o.place
  %o.value.place = getelementptr ptr, ptr %table, i64 %o.at
  %o.value = load ptr, ptr %o.value.place
  %own = known 6
  call void %own(ptr %o.value)
  %o.next = add i64 %o, 1
  br label %own.loop

call: ; to the machine code of the function
  %method = field %function 16
  %bound = field %function 24
  %machine.code = field %method 8
  %result = call ptr %machine.code(ptr %bound, ptr %table, i64 %inputs, ptr %names.handed)
  br label %release.loop
release.loop:
  %r = phi i64 [0, %call], [%r.next, %release.body]
  %release.left = icmp ult i64 %r, %keys.size
  br i1 %release.left, label %release.body, label %done
release.body:
  %r.place = getelementptr i64, ptr %place.table, i64 %r
  %r.at = load i64, ptr %r.place
  %r.value.place = getelementptr ptr, ptr %table, i64 %r.at
  %r.value = load ptr, ptr %r.value.place
  %release = known 7
  call void %release(ptr %r.value)
  %r.next = add i64 %r, 1
  br label %release.loop
done:
  ret ptr %result

slow: ; what takes every call
  %fallback = item %self 0
  %vectorcall = known 5
  %slow.result = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %slow.result
}
"""


def arrange_text() -> str:
    """The LLVM IR of a module with `arrange` and its table `context`."""
    text = _TEXT.replace("TUPLE_ITEMS", str(TUPLE_ITEMS))
    return "\n".join(line for short in text.splitlines() for line in _long(short))


def _long(line: str) -> Iterator[str]:
    """A line in LLVM's own words."""
    for pattern, words in _SHORT.items():
        found = re.fullmatch(rf"  (%\S+) = {pattern}", line)
        if found:
            yield from (f"  {word.format(*found.groups())}" for word in words)
            return
    yield line
