"""Writes LLVM IR that takes a kernel's inputs from Python's objects, evaluates it, and makes arrays of the results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from revolute.graph.count import count
from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.context import NOT_THERE
from revolute.targets.llvm.kernel import Function
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.object_writer import ObjectWriter
from revolute.targets.llvm.objects import (
    ARRAY_DATA,
    ARRAY_DESCRIPTOR,
    ARRAY_DIMENSIONS,
    ARRAY_FLAGS,
    ARRAY_NDIM,
)
from revolute.targets.llvm.spare import SLOTS, has_spare, spare_name

__all__ = ["KEPT_PLACE", "PLAIN", "SMALL", "WRITEABLE", "ArrayWriter"]

SMALL = 1 << 19
"""Operations of a batch, about 25 us; larger batches release Python's lock and may use threads."""

PLAIN, WRITEABLE = 0x1 | 0x100, 0x400
"""NumPy's flags: C-contiguous and aligned; writeable."""

KEPT_PLACE = 2
"""Where the tuple that a function is bound to has an array of objects: for each output, results that it keeps."""

_TYPE_NUMBER = {64: 12, 32: 11}  # NPY_DOUBLE, NPY_FLOAT


@dataclass
class ArrayWriter(ObjectWriter):
    """The lines of a function that calls a kernel.

    Attributes:
        graph: the kernel's graph.
        row: the lanes of a single row.
        shapes: tables of the results' extents; the first is left for the number of rows.
    """

    graph: Graph
    row: Lanes
    shapes: list[str] = field(default_factory=list, init=False)

    def begin(self, context: Sequence[str]) -> None:
        """Load the entries of the module's table, and write the shapes of the results."""
        w = self.w
        self.context = {name: w.item("ptr", "@context", k) for k, name in enumerate(context)}
        self.shapes = [w.let(f"alloca [{1 + len(x.shape)} x i64], align 8") for x in self.graph.outputs]
        for shape, output in zip(self.shapes, self.graph.outputs, strict=True):
            for k, extent in enumerate(output.shape, 1):
                w.do(f"store i64 {extent}, ptr {w.let(f'getelementptr i64, ptr {shape}, i64 {k}')}")

    def end(self) -> None:
        """What calls come to that cannot be computed."""
        w = self.w
        # a result could not be made: Python's error is set
        w.label("failed")
        w.do("ret ptr null")
        # every other call: the fallback
        w.label("slow")
        arguments = f"ptr {self.tuple_item('%self', 0)}, ptr %args, i64 %nargs, ptr %kwnames"
        w.do(f"ret ptr {w.let(f'tail call ptr @pass_on({arguments})')}")

    def checked(
        self,
        argument: str,
        array: Input | Output,
        otherwise: str,
        rows: str | None = None,
        flags: int = PLAIN,
        of_another_type: str | None = None,
    ) -> tuple[str, str]:
        """Branch to `otherwise` unless an argument is a plain array of the kernel's type and shape.

        Args:
            argument: the object.
            array: the input or output that it stands for.
            otherwise: a label.
            rows: None for a single row; for a batch, the number of rows of the arguments
                before, "" for the first.
            flags: NumPy's array flags that must be set.
            of_another_type: a label for arrays of another type; None: the same as for others.

        Returns:
            its data pointer, and its number of rows.
        """
        w = self.w

        def field(kind: str, offset: int) -> str:
            return w.let(f"load {kind}, ptr {w.let(f'getelementptr i8, ptr {argument}, i64 {offset}')}")

        # an array of the right number of axes, type and flags
        self.require(self.is_a(argument, "ndarray type"), otherwise)
        leading = 0 if rows is None else 1
        self.require(w.let(f"icmp eq i32 {field('i32', ARRAY_NDIM)}, {leading + len(array.shape)}"), otherwise)
        same_type = w.let(f"icmp eq ptr {field('ptr', ARRAY_DESCRIPTOR)}, {self.context['descriptor']}")
        self.require(same_type, of_another_type or otherwise)
        set_flags = w.let(f"and i32 {field('i32', ARRAY_FLAGS)}, {flags}")
        self.require(w.let(f"icmp eq i32 {set_flags}, {flags}"), otherwise)
        # the core shape, and as many rows as the arguments before
        dimensions = field("ptr", ARRAY_DIMENSIONS)
        for axis, extent in enumerate(array.shape, leading):
            self.require(w.let(f"icmp eq i64 {w.item('i64', dimensions, axis)}, {extent}"), otherwise)
        if rows is not None:
            extent_0 = w.item("i64", dimensions, 0)
            if rows:
                self.require(w.let(f"icmp eq i64 {extent_0}, {rows}"), otherwise)
            rows = extent_0
        return field("ptr", ARRAY_DATA), rows or ""

    def out_arrays(self, out: str) -> list[str]:
        """Pointers to where the results go, for the object given as `out`."""
        outputs, arrays = self.graph.outputs, [out]
        if len(outputs) > 1:
            self.require(self.is_a(out, "tuple type"), "slow")
            self.require(self.w.let(f"icmp eq i64 {self.tuple_size(out)}, {len(outputs)}"), "slow")
            arrays = [self.tuple_item(out, k) for k in range(len(outputs))]
        return [
            self.checked(array, output, "slow", flags=PLAIN | WRITEABLE)[0]
            for array, output in zip(arrays, outputs, strict=True)
        ]

    def new_results(self, leading: int) -> tuple[list[str], list[str]]:
        """New arrays for all outputs, with `leading` batch axes; returns them and their data pointers.

        Without batch axes there is memory in place of an array for a single number: see `return_row`.
        If memory runs out, those already made leak.
        """
        w, results, targets = self.w, [], []
        for k, (shape, output) in enumerate(zip(self.shapes, self.graph.outputs, strict=True)):
            if not leading and not output.shape:
                results.append(w.let(f"alloca {self.row.scalar}, align 8"))
                targets.append(results[-1])
                continue
            if not leading and has_spare(output.shape, self.row.element_bytes):
                result = self.spare(k)
            else:
                extents = shape if leading else w.let(f"getelementptr i64, ptr {shape}, i64 1")
                result = w.let(
                    f"call ptr {self.context['PyArray_New']}(ptr {self.context['ndarray type']}, "
                    f"i32 {leading + len(output.shape)}, ptr {extents}, i32 {_TYPE_NUMBER[self.row.bits]}, "
                    "ptr null, ptr null, i32 0, i32 0, ptr null)"
                )
            self.require(w.let(f"icmp ne ptr {result}, null"), "failed")
            results.append(result)
            targets.append(w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {result}, i64 {ARRAY_DATA}')}"))
        return results, targets

    def spare(self, k: int) -> str:
        """A new array for output k of a single row, or the one of an earlier result: see `spare.py`."""
        w = self.w
        kept = self.tuple_item("%self", KEPT_PLACE)
        items = w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {kept}, i64 {ARRAY_DATA}')}")
        slots = w.let(f"getelementptr ptr, ptr {items}, i64 {SLOTS * k}")
        return w.let(f"call ptr @{spare_name(k)}(ptr {slots}, i32 {_TYPE_NUMBER[self.row.bits]})")

    def batch_results(self, rows: str) -> tuple[list[str], list[str]]:
        """New arrays of so many rows, unless there are too many: see `new_results`."""
        w = self.w
        most = max(SMALL // max(count(self.graph).arithmetic, 1), 1)
        self.require(w.let(f"icmp ule i64 {rows}, {most}"), "slow")
        for shape in self.shapes:
            w.do(f"store i64 {rows}, ptr {shape}")
        return self.new_results(leading=1)

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
        """Whether no result overlaps an input or another result."""
        size, verdict = self.row.element_bytes, "true"
        before: list[tuple[str, Input | Output]] = [*zip(data, self.graph.inputs, strict=True)]
        for target, output in zip(targets, self.graph.outputs, strict=True):
            for source, x in before:
                apart = self.disjoint(target, output.size * size, source, x.size * size)
                verdict = self.w.let(f"and i1 {verdict}, {apart}")
            before.append((target, output))
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

    def return_row(self, results: list[str]) -> None:
        """Return the results of a single row: numbers as NumPy's scalars."""
        make = f"call ptr {self.context['PyArray_Scalar']}"
        for k, output in enumerate(self.graph.outputs):
            if not output.shape:
                results[k] = self.w.let(f"{make}(ptr {results[k]}, ptr {self.context['descriptor']}, ptr null)")
                self.require(self.w.let(f"icmp ne ptr {results[k]}, null"), "failed")
        self.return_results(results)

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

    def return_out(self, out: str) -> None:
        """Give `out` back, with a reference of its own."""
        self.w.do(f"call void {self.context['Py_IncRef']}(ptr {out})")
        self.w.do(f"ret ptr {out}")
