"""A kernel as a Python function in machine code, for calls so small that their overhead matters.

`fast` has CPython's METH_FASTCALL | METH_KEYWORDS signature. It is bound to a tuple: the
fallback, names of arguments, objects that must stay alive, and then the options that a call
must have after its arrays, the last of them under those names. If a call's options are these
very objects, and every array is a plain C-ordered one of the kernel's type, it computes at
once: a row, a row with `out=`, or a batch of rows too small for threads. Several outputs come
as a tuple, a single number as NumPy's scalar. Any other call goes to the fallback: perhaps
the fast call for other options, in the end a Python object that takes every call and raises
the errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from revolute.graph.count import count
from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.kernel import Function
from revolute.targets.llvm.lanes import STACK, Lanes, Writer
from revolute.targets.llvm.row import NOT_THERE

__all__ = ["CONTEXT", "TUPLE_ITEMS", "fast_function", "straight_function"]

CONTEXT = (
    "ndarray type",
    "descriptor",
    "name out",
    "PyArray_New",
    "PyArray_Return",
    "PyTuple_New",
    "PyObject_Vectorcall",
    "Py_IncRef",
    "tuple type",
    "no names",
)
"""Entries of the module's table `context`, which the process fills after loading it."""

SMALL = 1 << 20
"""Operations of a batch, about 50 us; larger batches release Python's lock and may use threads."""

_TYPE_NUMBER = {64: 12, 32: 11}  # NPY_DOUBLE, NPY_FLOAT
_TYPE, _DATA, _NDIM, _DIMENSIONS, _DESCRIPTOR, _FLAGS = 8, 16, 24, 32, 56, 64  # offsets in PyArrayObject
_PLAIN, _WRITEABLE = 0x1 | 0x100, 0x400  # flags: C-contiguous and aligned
_TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__  # offsets in PyTupleObject: Python 3.14 has a hash between them
_PARTIAL_FUNCTION = 16  # offset in partialobject
_METHOD, _BOUND_TO, _METHOD_CODE = 16, 24, 8  # offsets in PyCFunctionObject, and in its PyMethodDef
_BOUND = 3  # items before the options in the tuple that `fast` is bound to


def fast_function(graph: Graph, row: Lanes, function: Function | None) -> str:
    """The function `fast` of a module that has a `loop` and a table `context`.

    Args:
        graph: the kernel's graph.
        row: the lanes of a single row.
        function: the graph's code for a single row, if there is any.
    """
    return _Fast(Writer(), graph, row, function).text()


def straight_function() -> str:
    """The function `straight`: calls a `functools.partial` that has no arguments and holds a builtin function.

    It has the signature of CPython's vectorcall. It reads the builtin function's machine code and bound object, and
    jumps to the code.
    """
    w = Writer()

    def field(item: str, offset: int) -> str:
        return w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {item}, i64 {offset}')}")

    function = field("%partial", _PARTIAL_FUNCTION)
    code = field(field(function, _METHOD), _METHOD_CODE)
    positional = w.let(f"and i64 %nargs, {(1 << 63) - 1}")  # the highest bit says that args[-1] may be written to
    call = f"tail call ptr {code}(ptr {field(function, _BOUND_TO)}, ptr %args, i64 {positional}, ptr %kwnames)"
    w.do(f"ret ptr {w.let(call)}")
    head = "define ptr @straight(ptr %partial, ptr %args, i64 %nargs, ptr %kwnames) nounwind {"
    return "\n".join([head, "entry:", *w.lines, "}"])


@dataclass
class _Fast:
    """The lines of `fast` while they are written."""

    w: Writer
    graph: Graph
    row: Lanes
    function: Function | None

    def text(self) -> str:
        w = self.w
        self.context = {name: w.item("ptr", "@context", k) for k, name in enumerate(CONTEXT)}
        fallback = self.tuple_item("%self", 0)
        # shapes of the results: the first extent is left for the number of rows
        self.shapes = [w.let(f"alloca [{1 + len(x.shape)} x i64], align 8") for x in self.graph.outputs]
        for shape, output in zip(self.shapes, self.graph.outputs, strict=True):
            for k, extent in enumerate(output.shape, 1):
                w.do(f"store i64 {extent}, ptr {w.let(f'getelementptr i64, ptr {shape}, i64 {k}')}")
        self.recognize()
        small = self.function is not None and self.function.workspace <= STACK
        self.single_row(self.function if small else None)
        self.batch()
        self.row_into_out(self.function if small else None)
        # a result could not be made: Python's error is set
        w.label("failed")
        w.do("ret ptr null")
        # every other call: the fallback
        w.label("slow")
        call = f"call ptr {self.context['PyObject_Vectorcall']}(ptr {fallback}, ptr %args, i64 %nargs, ptr %kwnames)"
        w.do(f"ret ptr {w.let(call)}")
        head = "define ptr @fast(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {"
        return "\n".join([head, "entry:", *w.lines, "}"])

    def recognize(self) -> None:
        """Branch to `named` for a call with the options and `out=`, to `row` for one with only the options."""
        w, inputs = self.w, len(self.graph.inputs)
        # most calls: no names, and a function without options
        unnamed = w.let("icmp eq ptr %kwnames, null")
        bound = self.tuple_size("%self")
        bare = w.let(f"and i1 {unnamed}, {w.let(f'icmp eq i64 {bound}, {_BOUND}')}")
        exact = w.let(f"icmp eq i64 %nargs, {inputs}")
        w.do(f"br i1 {w.let(f'and i1 {bare}, {exact}')}, label %row, label %others")
        # the others: as many arguments as inputs and options, and at most one name more
        w.label("others")
        call_names = w.let(f"select i1 {unnamed}, ptr {self.context['no names']}, ptr %kwnames")
        names = self.tuple_item("%self", 1)
        expected, options = self.tuple_size(names), w.let(f"sub i64 {bound}, {_BOUND}")
        arguments = w.let(f"add i64 %nargs, {expected}")
        self.require(w.let(f"icmp eq i64 {arguments}, {w.let(f'add i64 {options}, {inputs}')}"), "slow")
        extra = w.let(f"sub i64 {self.tuple_size(call_names)}, {expected}")
        self.require(w.let(f"icmp ule i64 {extra}, 1"), "slow")  # unsigned: with too few names, args is shorter
        # the same options under the same names
        call_options = w.let(f"getelementptr ptr, ptr %args, i64 {inputs}")
        self.require_same(call_options, self.tuple_items("%self", _BOUND), options, "slow")
        self.require_same(self.tuple_items(call_names), self.tuple_items(names), expected, "slow")
        # a name more must be `out`, and its value is the last argument
        self.out_place = arguments
        self.last_name = w.let(f"getelementptr ptr, ptr {self.tuple_items(call_names)}, i64 {expected}")
        w.do(f"br i1 {w.let(f'icmp eq i64 {extra}, 0')}, label %row, label %named")
        w.label("row")

    def single_row(self, function: Function | None) -> None:
        """At `row`: check the inputs, make the results, compute and return; `batch` takes arrays of other shapes."""
        data = [self.checked(self.argument(k), x, "batch")[0] for k, x in enumerate(self.graph.inputs)]
        if self.function is None:
            self.require_row_code("slow")
        results, targets = self.new_results(leading=0)
        self.compute(function, data, targets)
        for k, output in enumerate(self.graph.outputs):
            if not output.shape:
                results[k] = self.w.let(f"call ptr {self.context['PyArray_Return']}(ptr {results[k]})")
        self.return_results(results)

    def batch(self) -> None:
        """At `batch`: the same for inputs with one batch axis of equal length, unless there are too many rows."""
        w = self.w
        w.label("batch")
        rows, data = "", []
        for k, x in enumerate(self.graph.inputs):
            pointer, rows = self.checked(self.argument(k), x, "slow", rows)
            data.append(pointer)
        most = max(SMALL // max(count(self.graph).arithmetic, 1), 1)
        self.require(w.let(f"icmp ule i64 {rows}, {most}"), "slow")
        for shape in self.shapes:
            w.do(f"store i64 {rows}, ptr {shape}")
        results, targets = self.new_results(leading=1)
        w.do(f"call void @loop({self.loop_arguments([*data, *targets], rows)}, ptr null)")
        self.return_results(results)

    def row_into_out(self, function: Function | None) -> None:
        """At `named`: `out=` after the options, an array or a tuple of them.

        It may share memory with an input, so results are computed elsewhere and copied at the
        end. If they are too large for the stack, calls with shared memory go to the fallback.
        """
        w, outputs = self.w, self.graph.outputs
        # check the name, the inputs and the arrays for the results
        w.label("named")
        name = w.let(f"load ptr, ptr {self.last_name}")
        self.require(w.let(f"icmp eq ptr {name}, {self.context['name out']}"), "slow")
        data = [self.checked(self.argument(k), x, "slow")[0] for k, x in enumerate(self.graph.inputs)]
        out = self.argument(self.out_place)
        arrays = [out]
        if len(outputs) > 1:
            self.require(self.is_a(out, "tuple type"), "slow")
            self.require(w.let(f"icmp eq i64 {self.tuple_size(out)}, {len(outputs)}"), "slow")
            arrays = [self.tuple_item(out, k) for k in range(len(outputs))]
        targets = [
            self.checked(array, output, "slow", flags=_PLAIN | _WRITEABLE)[0]
            for array, output in zip(arrays, outputs, strict=True)
        ]
        if self.function is None:
            self.require_row_code("slow")
        # compute, and give `out` back with a reference of its own
        sizes = [output.size * self.row.element_bytes for output in outputs]
        if function is None:
            self.compute(function, data, targets, self.all_apart(data, targets))
        elif function.workspace + sum(sizes) <= STACK:
            results = [w.let(f"alloca [{max(size, 1)} x i8], align 64") for size in sizes]
            self.compute(function, data, results)
            for target, result, size in zip(targets, results, sizes, strict=True):
                w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {result}, i64 {size}, i1 false)")
        else:
            self.require(self.all_apart(data, targets), "slow")
            self.compute(function, data, targets)
        w.do(f"call void {self.context['Py_IncRef']}(ptr {out})")
        w.do(f"ret ptr {out}")

    def checked(
        self, argument: str, array: Input | Output, otherwise: str, rows: str | None = None, flags: int = _PLAIN
    ) -> tuple[str, str]:
        """Branch to `otherwise` unless an argument is a plain array of the kernel's type and shape.

        Args:
            argument: the object.
            array: the input or output that it stands for.
            otherwise: a label.
            rows: None for a single row; for a batch, the number of rows of the arguments
                before, "" for the first.
            flags: NumPy's array flags that must be set.

        Returns:
            its data pointer, and its number of rows.
        """
        w = self.w

        def field(kind: str, offset: int) -> str:
            return w.let(f"load {kind}, ptr {w.let(f'getelementptr i8, ptr {argument}, i64 {offset}')}")

        # an array of the right number of axes, type and flags
        self.require(self.is_a(argument, "ndarray type"), otherwise)
        leading = 0 if rows is None else 1
        self.require(w.let(f"icmp eq i32 {field('i32', _NDIM)}, {leading + len(array.shape)}"), otherwise)
        self.require(w.let(f"icmp eq ptr {field('ptr', _DESCRIPTOR)}, {self.context['descriptor']}"), otherwise)
        set_flags = w.let(f"and i32 {field('i32', _FLAGS)}, {flags}")
        self.require(w.let(f"icmp eq i32 {set_flags}, {flags}"), otherwise)
        # the core shape, and as many rows as the arguments before
        dimensions = field("ptr", _DIMENSIONS)
        for axis, extent in enumerate(array.shape, leading):
            self.require(w.let(f"icmp eq i64 {w.item('i64', dimensions, axis)}, {extent}"), otherwise)
        if rows is not None:
            extent_0 = w.item("i64", dimensions, 0)
            if rows:
                self.require(w.let(f"icmp eq i64 {extent_0}, {rows}"), otherwise)
            rows = extent_0
        return field("ptr", _DATA), rows or ""

    def new_results(self, leading: int) -> tuple[list[str], list[str]]:
        """New arrays for all outputs, with `leading` batch axes; returns them and their data pointers.

        If memory runs out, those already made leak.
        """
        w, results, targets = self.w, [], []
        for shape, output in zip(self.shapes, self.graph.outputs, strict=True):
            extents = shape if leading else w.let(f"getelementptr i64, ptr {shape}, i64 1")
            result = w.let(
                f"call ptr {self.context['PyArray_New']}(ptr {self.context['ndarray type']}, "
                f"i32 {leading + len(output.shape)}, ptr {extents}, i32 {_TYPE_NUMBER[self.row.bits]}, "
                "ptr null, ptr null, i32 0, i32 0, ptr null)"
            )
            self.require(w.let(f"icmp ne ptr {result}, null"), "failed")
            results.append(result)
            targets.append(w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {result}, i64 {_DATA}')}"))
        return results, targets

    def return_results(self, results: list[str]) -> None:
        """Return one result, or a tuple that takes over the references of several."""
        w = self.w
        if len(results) == 1:
            w.do(f"ret ptr {results[0]}")
            return
        group = w.let(f"call ptr {self.context['PyTuple_New']}(i64 {len(results)})")
        self.require(w.let(f"icmp ne ptr {group}, null"), "failed")
        for k, result in enumerate(results):
            w.do(f"store ptr {result}, ptr {self.tuple_items(group, k)}")
        w.do(f"ret ptr {group}")

    def compute(self, function: Function | None, data: list[str], targets: list[str], apart: str = "true") -> None:
        """Evaluate a single row: by its own code, or by `loop`, which may use the heap.

        Args:
            function: its own code in this module.
            data, targets: pointers to the inputs and the results.
            apart: whether no result shares memory with an input: `loop` needs no such thing.
        """
        if function is None:
            self.compute_by_other_code(data, targets, apart)
            return
        work = self.w.let(f"alloca [{max(function.workspace, 1)} x i8], align 64")
        for name in (function.prepare, *function.calls):
            self.w.do(f"call void @{name}({', '.join(f'ptr {p}' for p in (*data, *targets, work))})")

    def compute_by_other_code(self, data: list[str], targets: list[str], apart: str) -> None:
        """Evaluate a single row by the code of another module, if there is any, else by `loop`."""
        w = self.w
        code = w.let("load atomic ptr, ptr @row_code acquire, align 8")
        own, block, computed = (w.name(label) for label in ("own", "block", "computed"))
        there = w.let(f"icmp ugt ptr {code}, inttoptr (i64 {NOT_THERE} to ptr)")
        w.do(f"br i1 {w.let(f'and i1 {there}, {apart}')}, label %{own}, label %{block}")
        w.label(own)
        done = w.let(f"call i1 {code}({', '.join(f'ptr {p}' for p in (*data, *targets))})")
        w.do(f"br i1 {done}, label %{computed}, label %{block}")
        w.label(block)
        w.do(f"call void @loop({self.loop_arguments([*data, *targets], '1')}, ptr null)")
        w.do(f"br label %{computed}")
        w.label(computed)

    def require_row_code(self, otherwise: str) -> None:
        """Branch to `otherwise` if the code for single rows was not asked for yet."""
        code = self.w.let("load ptr, ptr @row_code")
        self.require(self.w.let(f"icmp ne ptr {code}, null"), otherwise)

    def all_apart(self, data: list[str], targets: list[str]) -> str:
        """Whether no result overlaps an input."""
        size, verdict = self.row.element_bytes, "true"
        for target, output in zip(targets, self.graph.outputs, strict=True):
            for source, x in zip(data, self.graph.inputs, strict=True):
                apart = self.disjoint(target, output.size * size, source, x.size * size)
                verdict = self.w.let(f"and i1 {verdict}, {apart}")
        return verdict

    def loop_arguments(self, data: list[str], rows: str) -> str:
        """Tables of pointers, extents and strides of C-ordered arrays, as `loop` takes them."""
        w = self.w
        arrays: tuple[Input | Output, ...] = (*self.graph.inputs, *self.graph.outputs)
        steps = [math.prod(array.shape) * self.row.element_bytes for array in arrays]
        for array in arrays:
            steps += [math.prod(array.shape[k + 1 :]) * self.row.element_bytes for k in range(len(array.shape))]
        tables = []
        for kind, values in (("ptr", data), ("i64", [rows]), ("i64", [str(step) for step in steps])):
            table = w.let(f"alloca [{len(values)} x {kind}], align 8")
            for k, value in enumerate(values):
                w.do(f"store {kind} {value}, ptr {w.let(f'getelementptr {kind}, ptr {table}, i64 {k}')}")
            tables.append(f"ptr {table}")
        return ", ".join(tables)

    def argument(self, place: int | str) -> str:
        """An argument of the call."""
        return self.w.let(f"load ptr, ptr {self.w.let(f'getelementptr ptr, ptr %args, i64 {place}')}")

    def is_a(self, item: str, kind: str) -> str:
        """Whether an object's type is the one of that name in the context."""
        field = self.w.let(f"getelementptr i8, ptr {item}, i64 {_TYPE}")
        return self.w.let(f"icmp eq ptr {self.w.let(f'load ptr, ptr {field}')}, {self.context[kind]}")

    def require_same(self, a: str, b: str, count: str, otherwise: str) -> None:
        """Branch to `otherwise` unless two tables hold the same pointers."""
        w = self.w
        before, loop, body, following, after = (w.name(x) for x in ("before", "loop", "body", "next", "same"))
        k, one_more = f"%{w.name('k')}", f"%{w.name('k')}"
        # for k in 0 .. count: compare a[k] with b[k]
        w.do(f"br label %{before}")
        w.label(before)
        w.do(f"br label %{loop}")
        w.label(loop)
        w.do(f"{k} = phi i64 [0, %{before}], [{one_more}, %{following}]")
        w.do(f"br i1 {w.let(f'icmp ult i64 {k}, {count}')}, label %{body}, label %{after}")
        w.label(body)
        x, y = (w.let(f"load ptr, ptr {w.let(f'getelementptr ptr, ptr {p}, i64 {k}')}") for p in (a, b))
        w.do(f"br i1 {w.let(f'icmp eq ptr {x}, {y}')}, label %{following}, label %{otherwise}")
        w.label(following)
        w.do(f"{one_more} = add i64 {k}, 1")
        w.do(f"br label %{loop}")
        w.label(after)

    def disjoint(self, a: str, size_a: int, b: str, size_b: int) -> str:
        """Whether two pieces of memory do not overlap."""
        end_a, end_b = (self.w.let(f"getelementptr i8, ptr {p}, i64 {size}") for p, size in ((a, size_a), (b, size_b)))
        before, after = (self.w.let(f"icmp ule ptr {end}, {start}") for end, start in ((end_a, b), (end_b, a)))
        return self.w.let(f"or i1 {before}, {after}")

    def tuple_size(self, group: str) -> str:
        """Number of a tuple's items."""
        return self.w.let(f"load i64, ptr {self.w.let(f'getelementptr i8, ptr {group}, i64 {_TUPLE_SIZE}')}")

    def tuple_items(self, group: str, start: int = 0) -> str:
        """The table of a tuple's items, from item `start` on."""
        return self.w.let(f"getelementptr i8, ptr {group}, i64 {TUPLE_ITEMS + 8 * start}")

    def tuple_item(self, group: str, k: int) -> str:
        """An item of a tuple."""
        return self.w.let(f"load ptr, ptr {self.tuple_items(group, k)}")

    def require(self, condition: str, otherwise: str) -> None:
        """Branch to `otherwise` unless a condition holds."""
        label = self.w.name("go")
        self.w.do(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.w.label(label)
