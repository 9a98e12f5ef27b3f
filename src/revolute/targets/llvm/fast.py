"""A kernel as a Python function in machine code, for calls so small that the way in matters.

`fast` has CPython's METH_FASTCALL | METH_KEYWORDS signature. Where every argument is a plain
C-ordered array of the kernel's type it computes at once: a row, a row with `out=`, or a
batch of rows too small for threads. Several outputs come as a tuple, a single number as
NumPy's scalar. Any other call goes to the Python object that it is bound to, which raises
the errors and takes all the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from revolute.graph.count import count
from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.kernel import Function
from revolute.targets.llvm.lanes import STACK, Lanes, Writer

__all__ = ["CONTEXT", "fast_function"]

CONTEXT = (
    "ndarray type",
    "descriptor",
    "name out",
    "PyArray_New",
    "PyArray_Return",
    "PyTuple_New",
    "PyObject_Vectorcall",
    "Py_IncRef",
)
"""What the process writes into the module's table `context` after loading it."""

SMALL = 1 << 20
"""Operations of a batch, about 50 us, from which a call gives up Python's lock and may use threads."""

_TYPE_NUMBER = {64: 12, 32: 11}  # NPY_DOUBLE, NPY_FLOAT
_TYPE, _DATA, _NDIM, _DIMENSIONS, _DESCRIPTOR, _FLAGS = 8, 16, 24, 32, 56, 64  # offsets in PyArrayObject
_PLAIN, _WRITEABLE = 0x1 | 0x100, 0x400  # flags: C-contiguous and aligned
_TUPLE_SIZE, _TUPLE_ITEMS = 16, 24  # offsets in PyTupleObject


def fast_function(graph: Graph, row: Lanes, function: Function | None) -> str:
    """The function `fast` of a module that has a `loop` and a table `context`.

    Args:
        graph: the kernel's graph.
        row: the lanes of a single row.
        function: the graph's code for a single row, if there is any.
    """
    return _Fast(Writer(), graph, row, function).text()


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
        self.shapes = [w.let(f"alloca [{1 + len(x.shape)} x i64], align 8") for x in self.graph.outputs]
        for shape, output in zip(self.shapes, self.graph.outputs, strict=True):
            for k, extent in enumerate(output.shape, 1):
                w.do(f"store i64 {extent}, ptr {w.let(f'getelementptr i64, ptr {shape}, i64 {k}')}")
        self.go_on(w.let(f"icmp eq i64 %nargs, {len(self.graph.inputs)}"), "slow")
        self.go_on(w.let("icmp eq ptr %kwnames, null"), "named")
        results = sum(x.size for x in self.graph.outputs) * self.row.element_bytes
        if self.function and self.function.workspace + results <= STACK:
            self.single_row(self.function)
            self.batch()
            self.row_into_out(self.function)
        else:  # so much, and what has no code for single rows, goes through `loop`, which takes it from the heap
            w.do("br label %slow")
            w.label("named")
            w.do("br label %slow")
        w.label("failed")
        w.do("ret ptr null")
        w.label("slow")
        call = f"call ptr {self.context['PyObject_Vectorcall']}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)"
        w.do(f"ret ptr {w.let(call)}")
        head = "define ptr @fast(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {"
        return "\n".join([head, "entry:", *w.lines, "}"])

    def single_row(self, function: Function) -> None:
        data = [self.checked(k, x, "batch")[0] for k, x in enumerate(self.graph.inputs)]
        results, targets = self.new_results(leading=0)
        self.compute(function, data, targets)
        for k, output in enumerate(self.graph.outputs):
            if not output.shape:
                results[k] = self.w.let(f"call ptr {self.context['PyArray_Return']}(ptr {results[k]})")
        self.give_back(results)

    def batch(self) -> None:
        w = self.w
        w.label("batch")
        rows, data = "", []
        for k, x in enumerate(self.graph.inputs):
            pointer, rows = self.checked(k, x, "slow", rows)
            data.append(pointer)
        most = max(SMALL // max(count(self.graph).arithmetic, 1), 1)
        self.go_on(w.let(f"icmp ule i64 {rows}, {most}"), "slow")
        for shape in self.shapes:
            w.do(f"store i64 {rows}, ptr {shape}")
        results, targets = self.new_results(leading=1)
        w.do(f"call void @loop({self.loop_arguments([*data, *targets], rows)}, ptr null)")
        self.give_back(results)

    def row_into_out(self, function: Function) -> None:
        """`out=` as the only named argument. It may be an input: the result is copied there at the end."""
        w, output = self.w, self.graph.outputs[0]
        w.label("named")
        if len(self.graph.outputs) > 1:
            w.do("br label %slow")
            return
        size = w.let(f"load i64, ptr {w.let(f'getelementptr i8, ptr %kwnames, i64 {_TUPLE_SIZE}')}")
        self.go_on(w.let(f"icmp eq i64 {size}, 1"), "slow")
        name = w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr %kwnames, i64 {_TUPLE_ITEMS}')}")
        self.go_on(w.let(f"icmp eq ptr {name}, {self.context['name out']}"), "slow")
        data = [self.checked(k, x, "slow")[0] for k, x in enumerate(self.graph.inputs)]
        place = len(self.graph.inputs)
        target, _ = self.checked(place, output, "slow", flags=_PLAIN | _WRITEABLE)
        size_bytes = output.size * self.row.element_bytes
        result = w.let(f"alloca [{max(size_bytes, 1)} x i8], align 64")
        self.compute(function, data, [result])
        w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {result}, i64 {size_bytes}, i1 false)")
        out = w.item("ptr", "%args", place)
        w.do(f"call void {self.context['Py_IncRef']}(ptr {out})")
        w.do(f"ret ptr {out}")

    def checked(
        self, k: int, array: Input | Output, otherwise: str, rows: str | None = None, flags: int = _PLAIN
    ) -> tuple[str, str]:
        """Branch to `otherwise` unless argument k is a plain array of the kernel's type and shape.

        Args:
            k: place of the argument.
            array: what it is for.
            otherwise: a label.
            rows: None for a single row; for a batch the number of rows that the arguments
                before had, "" for the first.
            flags: NumPy's array flags that must be set.

        Returns:
            its data pointer, and its number of rows.
        """
        w = self.w
        argument = w.item("ptr", "%args", k)

        def field(kind: str, offset: int) -> str:
            return w.let(f"load {kind}, ptr {w.let(f'getelementptr i8, ptr {argument}, i64 {offset}')}")

        self.go_on(w.let(f"icmp eq ptr {field('ptr', _TYPE)}, {self.context['ndarray type']}"), otherwise)
        leading = 0 if rows is None else 1
        self.go_on(w.let(f"icmp eq i32 {field('i32', _NDIM)}, {leading + len(array.shape)}"), otherwise)
        self.go_on(w.let(f"icmp eq ptr {field('ptr', _DESCRIPTOR)}, {self.context['descriptor']}"), otherwise)
        set_flags = w.let(f"and i32 {field('i32', _FLAGS)}, {flags}")
        self.go_on(w.let(f"icmp eq i32 {set_flags}, {flags}"), otherwise)
        dimensions = field("ptr", _DIMENSIONS)
        for axis, extent in enumerate(array.shape, leading):
            self.go_on(w.let(f"icmp eq i64 {w.item('i64', dimensions, axis)}, {extent}"), otherwise)
        if rows is not None:
            own = w.item("i64", dimensions, 0)
            if rows:
                self.go_on(w.let(f"icmp eq i64 {own}, {rows}"), otherwise)
            rows = own
        return field("ptr", _DATA), rows or ""

    def new_results(self, leading: int) -> tuple[list[str], list[str]]:
        """New arrays for all outputs, with `leading` batch axes; themselves and their data pointers.

        If memory runs out, those already made are lost: there is little left to do then.
        """
        w, results, targets = self.w, [], []
        for shape, output in zip(self.shapes, self.graph.outputs, strict=True):
            extents = shape if leading else w.let(f"getelementptr i64, ptr {shape}, i64 1")
            result = w.let(
                f"call ptr {self.context['PyArray_New']}(ptr {self.context['ndarray type']}, "
                f"i32 {leading + len(output.shape)}, ptr {extents}, i32 {_TYPE_NUMBER[self.row.bits]}, "
                "ptr null, ptr null, i32 0, i32 0, ptr null)"
            )
            self.go_on(w.let(f"icmp ne ptr {result}, null"), "failed")
            results.append(result)
            targets.append(w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {result}, i64 {_DATA}')}"))
        return results, targets

    def give_back(self, results: list[str]) -> None:
        """Return one result, or a tuple that takes over the references of several."""
        w = self.w
        if len(results) == 1:
            w.do(f"ret ptr {results[0]}")
            return
        group = w.let(f"call ptr {self.context['PyTuple_New']}(i64 {len(results)})")
        self.go_on(w.let(f"icmp ne ptr {group}, null"), "failed")
        for k, result in enumerate(results):
            w.do(f"store ptr {result}, ptr {w.let(f'getelementptr i8, ptr {group}, i64 {_TUPLE_ITEMS + 8 * k}')}")
        w.do(f"ret ptr {group}")

    def compute(self, function: Function, data: list[str], targets: list[str]) -> None:
        """Evaluate a single row."""
        work = self.w.let(f"alloca [{max(function.workspace, 1)} x i8], align 64")
        for name in (function.prepare, *function.calls):
            self.w.do(f"call void @{name}({', '.join(f'ptr {p}' for p in (*data, *targets, work))})")

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

    def go_on(self, condition: str, otherwise: str) -> None:
        """Continue where a condition holds, else leave for a label."""
        label = self.w.name("go")
        self.w.do(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.w.label(label)
