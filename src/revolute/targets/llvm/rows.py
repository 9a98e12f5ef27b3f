"""A Python function in machine code for batches: it reads NumPy's arrays and evaluates rows on several threads.

`rows` has CPython's METH_FASTCALL | METH_KEYWORDS signature. It is bound to a tuple:

    0  the fallback, which takes all other calls
    1  names of the last options
    2  the form: see `compiler.rows`
    3  NumPy's type of all arrays
    4  a function of the number of rows that makes new results
    5  objects that must stay alive
    6  and on: the objects that a call must have as options after its arrays, the last of them under those names

After the options a call may name `out` and `threads`. Inputs are aligned arrays of the type with any strides; each has
one batch axis or none, and they broadcast. Results are new, or C-ordered and apart from all inputs and other results.
"""

from __future__ import annotations

from revolute.targets.llvm.arrays import arrays_text
from revolute.targets.llvm.helpers import helpers_text
from revolute.targets.llvm.jobs import jobs_text
from revolute.targets.llvm.objects import BYTES_ITEMS, TUPLE_ITEMS, TYPE
from revolute.targets.llvm.pass_on import PASS_ON
from revolute.targets.llvm.pieces import pieces_text
from revolute.targets.llvm.short_forms import expanded, with_values
from revolute.targets.llvm.straight import straight_function

__all__ = ["MOST_ARRAYS", "MOST_STRIDES", "ROWS_CONTEXT", "rows_text"]

ROWS_CONTEXT = (
    "ndarray type", "tuple type", "int type", "name out", "name threads", "none", "no names", "builtin type",
    "PyObject_Vectorcall",
)  # fmt: skip
"""Entries of the module's table `context`, which the process fills after loading it."""

MOST_ARRAYS = 64
"""The most inputs and outputs of a kernel."""

MOST_STRIDES = 512
"""The most strides of all arrays of a call together."""

ALONE = 1 << 18
"""Operations, about 15 us; smaller batches are done at once, with Python's lock."""

SHARE = 1 << 17
"""Operations per thread, about 6 us: with less to do, fewer threads take part."""

LONG = 8 << 20
"""Operations, about 0.5 ms, from which helpers that sleep are worth waking."""

_TEXT = """
@context = global [CONTEXTS x ptr] zeroinitializer

declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyErr_NoMemory()
declare ptr @PyLong_FromSsize_t(i64)
declare i64 @PyLong_AsLongAndOverflow(ptr, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)

define ptr @rows(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {
entry:
  %entries = alloca [MOST_ARRAYS x [5 x i64]], align 8
  %data = alloca [MOST_ARRAYS x ptr], align 8
  %steps = alloca [MOST_STRIDES x i64], align 8
  %job = alloca [5 x i64], align 8
  %call = alloca [2 x i64], align 8
  %overflow = alloca i32, align 8
  %single = alloca ptr, align 8
  %names = item %self 1
  %form.object = item %self 2
  %descriptor = item %self 3
  %form = getelementptr i8, ptr %form.object, i64 BYTES_ITEMS
  %loop.code = field %form 0
  %inputs = number %form 1
  %outputs = number %form 2
  %per.row = number %form 3
  %element = number %form 4
  %lanes = number %form 5
  %shapes = getelementptr i64, ptr %form, i64 6
  %arrays = add i64 %inputs, %outputs
  %bound = size %self
  %options = sub i64 %bound, 6
  %expected = size %names
  %none = context none
  %unnamed = icmp eq ptr %kwnames, null
  %no.names = context no names
  %call.names = select i1 %unnamed, ptr %no.names, ptr %kwnames
  %given = size %call.names
  %extra = sub i64 %given, %expected
  %few.names = icmp ule i64 %extra, 2
  %counted = add i64 %nargs, %expected
  %wanted = add i64 %inputs, %options
  %complete = icmp eq i64 %counted, %wanted
  %countable = and i1 %few.names, %complete
  br i1 %countable, label %options.loop, label %slow

options.loop: ; the same options
  %o = phi i64 [0, %entry], [%o.next, %options.body]
  %options.left = icmp slt i64 %o, %options
  br i1 %options.left, label %options.body, label %names.loop
options.body:
  %o.bound = add i64 %o, 6
  %option = item %self %o.bound
  %o.call = add i64 %o, %inputs
  %call.option.place = getelementptr ptr, ptr %args, i64 %o.call
  %call.option = load ptr, ptr %call.option.place
  %o.next = add i64 %o, 1
  %option.same = icmp eq ptr %option, %call.option
  br i1 %option.same, label %options.loop, label %slow

names.loop: ; under the same names
  %n = phi i64 [0, %options.loop], [%n.next, %names.body]
  %names.left = icmp slt i64 %n, %expected
  br i1 %names.left, label %names.body, label %extras
names.body:
  %name = item %names %n
  %call.name = item %call.names %n
  %n.next = add i64 %n, 1
  %name.same = icmp eq ptr %name, %call.name
  br i1 %name.same, label %names.loop, label %slow

extras: ; then `out` and `threads`, in any order; None stands for not given
  br label %extras.loop
extras.loop:
  %e = phi i64 [%expected, %extras], [%e.next, %extras.out], [%e.next, %extras.threads], [%e.next, %threads.fit]
  %out = phi ptr [%none, %extras], [%value, %extras.out], [%out, %extras.threads], [%out, %threads.fit]
  %threads = phi i64 [-1, %extras], [%threads, %extras.out], [-1, %extras.threads], [%threads.number, %threads.fit]
  %extras.left = icmp slt i64 %e, %given
  br i1 %extras.left, label %extras.body, label %arrays.enter
extras.body:
  %extra.name = item %call.names %e
  %e.place = add i64 %e, %nargs
  %value.place = getelementptr ptr, ptr %args, i64 %e.place
  %value = load ptr, ptr %value.place
  %e.next = add i64 %e, 1
  %name.out = context name out
  %is.out = icmp eq ptr %extra.name, %name.out
  br i1 %is.out, label %extras.out, label %extras.other
extras.out:
  br label %extras.loop
extras.other:
  %name.threads = context name threads
  %is.threads = icmp eq ptr %extra.name, %name.threads
  br i1 %is.threads, label %extras.threads, label %slow
extras.threads:
  %is.none = icmp eq ptr %value, %none
  br i1 %is.none, label %extras.loop, label %threads.type
threads.type: ; a whole number from 1 on
  %value.type = field %value TYPE
  %int.type = context int type
  %is.int = icmp eq ptr %value.type, %int.type
  br i1 %is.int, label %threads.read, label %slow
threads.read:
  %threads.number = call i64 @PyLong_AsLongAndOverflow(ptr %value, ptr %overflow)
  %positive = icmp sgt i64 %threads.number, 0
  br i1 %positive, label %threads.fit, label %slow
threads.fit:
  br label %extras.loop

arrays.enter: ; strides of the core axes follow the steps of all arrays
  %strides.first = getelementptr i64, ptr %steps, i64 %arrays
  br label %inputs.loop
inputs.loop: ; rows is 1 until an input has more; batched is 1 once an input has a batch axis
  %i = phi i64 [0, %arrays.enter], [%i.next, %inputs.next]
  %shape = phi ptr [%shapes, %arrays.enter], [%shape.next, %inputs.next]
  %strides = phi ptr [%strides.first, %arrays.enter], [%strides.next, %inputs.next]
  %rows = phi i64 [1, %arrays.enter], [%rows.next, %inputs.next]
  %batched = phi i1 [false, %arrays.enter], [%batched.next, %inputs.next]
  %inputs.left = icmp slt i64 %i, %inputs
  br i1 %inputs.left, label %inputs.body, label %inputs.done
inputs.body:
  %input.place = getelementptr ptr, ptr %args, i64 %i
  %input = load ptr, ptr %input.place
  %input.entry = getelementptr [5 x i64], ptr %entries, i64 %i
  %input.fits = call i1 @read(
    ptr %input, ptr %descriptor, i32 ALIGNED, i64 %element, ptr %shape, ptr %input.entry, ptr %strides)
  br i1 %input.fits, label %inputs.rows, label %slow
inputs.rows:
  %input.rows = number %input.entry 2
  %input.axes = number %shape 0
  %shape.core = getelementptr i64, ptr %shape, i64 %input.axes
  %shape.next = getelementptr i64, ptr %shape.core, i64 1
  %strides.next = getelementptr i64, ptr %strides, i64 %input.axes
  %i.next = add i64 %i, 1
  %has.axis = icmp ne i64 %input.rows, -1
  %batched.next = or i1 %batched, %has.axis
  %input.one = icmp ule i64 %input.rows, 1
  %input.none = icmp eq i64 %input.rows, 0
  %spread = icmp eq i64 %input.rows, -1
  %repeated = or i1 %input.one, %spread
  %rows.one = icmp eq i64 %rows, 1
  %rows.same = icmp eq i64 %rows, %input.rows
  %free = or i1 %rows.one, %repeated
  %agree = or i1 %free, %rows.same
  %empty = xor i1 %input.none, true
  %possible = and i1 %agree, %empty
  %rows.next = select i1 %repeated, i64 %rows, i64 %input.rows
  br i1 %possible, label %inputs.next, label %slow
inputs.next:
  br label %inputs.loop
inputs.done:
  br i1 %batched, label %results, label %slow

results: ; new ones, or those given
  %make = icmp eq ptr %out, %none
  br i1 %make, label %new, label %outputs.enter
new:
  %maker = item %self 4
  %rows.object = call ptr @PyLong_FromSsize_t(i64 %rows)
  %rows.made = icmp ne ptr %rows.object, null
  br i1 %rows.made, label %new.call, label %failed
new.call:
  store ptr %rows.object, ptr %single
  %vectorcall = context PyObject_Vectorcall
  %made = call ptr %vectorcall(ptr %maker, ptr %single, i64 1, ptr null)
  call void @Py_DecRef(ptr %rows.object)
  %is.made = icmp ne ptr %made, null
  br i1 %is.made, label %outputs.enter, label %failed
outputs.enter: ; one array, or a tuple of several
  %result = phi ptr [%out, %results], [%made, %new.call]
  store ptr %result, ptr %single
  %result.type = field %result TYPE
  %tuple.type = context tuple type
  %is.tuple = icmp eq ptr %result.type, %tuple.type
  %is.one = icmp eq i64 %outputs, 1
  br i1 %is.one, label %outputs.one, label %outputs.several
outputs.one:
  br label %outputs.loop
outputs.several:
  br i1 %is.tuple, label %outputs.count, label %mismatch
outputs.count:
  %result.size = size %result
  %result.items = getelementptr i8, ptr %result, i64 TUPLE_ITEMS
  %as.many = icmp eq i64 %result.size, %outputs
  br i1 %as.many, label %outputs.loop, label %mismatch
outputs.loop: ; C-ordered, aligned, writeable, of as many rows, apart from all arrays before
  %r = phi i64 [%inputs, %outputs.one], [%inputs, %outputs.count], [%r.next, %outputs.next]
  %targets = phi ptr [%single, %outputs.one], [%result.items, %outputs.count], [%targets, %outputs.next]
  %out.shape = phi ptr [%shape, %outputs.one], [%shape, %outputs.count], [%out.shape.next, %outputs.next]
  %out.strides = phi ptr [%strides, %outputs.one], [%strides, %outputs.count], [%out.strides.next, %outputs.next]
  %outputs.left = icmp slt i64 %r, %arrays
  br i1 %outputs.left, label %outputs.body, label %tables
outputs.body:
  %r.result = sub i64 %r, %inputs
  %target.place = getelementptr ptr, ptr %targets, i64 %r.result
  %target = load ptr, ptr %target.place
  %out.entry = getelementptr [5 x i64], ptr %entries, i64 %r
  %target.fits = call i1 @read(
    ptr %target, ptr %descriptor, i32 RESULT, i64 %element, ptr %out.shape, ptr %out.entry, ptr %out.strides)
  br i1 %target.fits, label %outputs.rows, label %mismatch
outputs.rows:
  %out.rows = number %out.entry 2
  %out.axes = number %out.shape 0
  %out.shape.core = getelementptr i64, ptr %out.shape, i64 %out.axes
  %out.shape.next = getelementptr i64, ptr %out.shape.core, i64 1
  %out.strides.next = getelementptr i64, ptr %out.strides, i64 %out.axes
  %r.next = add i64 %r, 1
  %out.same = icmp eq i64 %out.rows, %rows
  br i1 %out.same, label %outputs.apart, label %mismatch
outputs.apart:
  %target.apart = call i1 @apart(ptr %entries, i64 %r)
  br i1 %target.apart, label %outputs.next, label %mismatch
outputs.next:
  br label %outputs.loop

tables: ; data and step of every array; an array with one row is the same for all
  %t = phi i64 [0, %outputs.loop], [%t.next, %tables]
  %table.entry = getelementptr [5 x i64], ptr %entries, i64 %t
  %table.data = field %table.entry 0
  %table.step = number %table.entry 1
  %table.rows = number %table.entry 2
  %many = icmp sgt i64 %table.rows, 1
  %step = select i1 %many, i64 %table.step, i64 0
  %data.place = getelementptr ptr, ptr %data, i64 %t
  store ptr %table.data, ptr %data.place
  %step.place = getelementptr i64, ptr %steps, i64 %t
  store i64 %step, ptr %step.place
  %t.next = add i64 %t, 1
  %tables.left = icmp slt i64 %t.next, %arrays
  br i1 %tables.left, label %tables, label %evaluate

evaluate:
  store ptr %loop.code, ptr %job
  %job.1 = getelementptr i64, ptr %job, i64 1
  store i64 %arrays, ptr %job.1
  %job.2 = getelementptr i64, ptr %job, i64 2
  store ptr %data, ptr %job.2
  %job.3 = getelementptr i64, ptr %job, i64 3
  store ptr %steps, ptr %job.3
  %job.4 = getelementptr i64, ptr %job, i64 4
  store ptr %call, ptr %job.4
  store i64 0, ptr %call
  %call.rows = getelementptr i64, ptr %call, i64 1
  store i64 %rows, ptr %call.rows
  %operations = mul i64 %rows, %per.row
  %small = icmp ule i64 %operations, ALONE
  br i1 %small, label %here, label %threaded
here: ; as in `fast`, with Python's lock
  call void @some_rows(ptr %job, i64 0, i64 %rows)
  br label %evaluated
threaded:
  %state = call ptr @PyEval_SaveThread()
  %shares = udiv i64 %operations, SHARE
  %most = call i64 @llvm.umin.i64(i64 %threads, i64 %shares)
  %size = call i64 @piece(i64 %operations, i64 %per.row, i64 %lanes)
  %is.long = icmp uge i64 %operations, LONG
  %long = zext i1 %is.long to i64
  call void @run_pieces(ptr @some_rows, ptr %job, i64 %rows, i64 %size, i64 %most, i64 %long)
  call void @PyEval_RestoreThread(ptr %state)
  br label %evaluated
evaluated:
  %lost = load i32, ptr %call
  %complete.result = icmp eq i32 %lost, 0
  br i1 %complete.result, label %return, label %no.memory
return:
  br i1 %make, label %return.new, label %return.given
return.new:
  ret ptr %result
return.given:
  call void @Py_IncRef(ptr %result)
  ret ptr %result

no.memory:
  %set = call ptr @PyErr_NoMemory()
  br i1 %make, label %drop, label %failed
drop:
  call void @Py_DecRef(ptr %result)
  br label %failed
failed: ; Python's error is set
  ret ptr null

mismatch: ; new results fit, unless the maker was replaced
  br i1 %make, label %discard, label %slow
discard:
  call void @Py_DecRef(ptr %result)
  br label %slow
slow: ; what takes every call
  %fallback = item %self 0
  %slow.result = tail call ptr @pass_on(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %slow.result
}
"""

_VALUES = {
    "CONTEXTS": len(ROWS_CONTEXT),
    "MOST_ARRAYS": MOST_ARRAYS,
    "MOST_STRIDES": MOST_STRIDES,
    "BYTES_ITEMS": BYTES_ITEMS,
    "TUPLE_ITEMS": TUPLE_ITEMS,
    "TYPE": TYPE,
    "ALONE": ALONE,
    "SHARE": SHARE,
    "LONG": LONG,
    "ALIGNED": 0x100,
    "RESULT": 0x1 | 0x100 | 0x400,
}
"""Constants in the text above; the last are flags of NumPy's: C-contiguous, aligned, writeable."""


def rows_text(triple: str) -> str:
    """The LLVM IR of a module with `rows`, `straight`, the table `context`, and the helpers.

    Args:
        triple: of the host, as LLVM names it.
    """
    others = helpers_text(triple) + jobs_text(triple) + arrays_text() + pieces_text() + PASS_ON + straight_function()
    return expanded(others + with_values(_TEXT, _VALUES), ROWS_CONTEXT)
