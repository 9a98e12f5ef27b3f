"""The function `any` of a kernel's module: a call with arguments that are no plain arrays, such as lists.

It has the arguments of `fast`, which ends with it, and the object given as `out`, or null. `read` finds a pointer and
strides for every input, and `loop` computes. What `read` does not take goes to the fallback.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.array_writer import ArrayWriter
from revolute.targets.llvm.lanes import Lanes, Writer
from revolute.targets.llvm.read import read_function

__all__ = ["any_function"]

CONVERTED = 4096
"""Bytes of all inputs; lists and integers for more are left to NumPy."""


def any_function(graph: Graph, row: Lanes, context: Sequence[str]) -> str:
    """The functions `any` and `read`.

    Args:
        graph: the kernel's graph.
        row: the lanes of a single row.
        context: entries of the module's table.
    """
    return "\n".join([*_forms(graph), read_function(row.bits, context), _Any(Writer(), graph, row).text(context)])


def _forms(graph: Graph) -> list[str]:
    """For each input a table of its number of axes and its extents, for `read`."""
    tables = [(len(x.shape), *x.shape) for x in graph.inputs]
    return [
        f"@form.{k} = private constant [{len(table)} x i64] [{', '.join(f'i64 {x}' for x in table)}]"
        for k, table in enumerate(tables)
    ]


class _Any(ArrayWriter):
    """The lines of `any` while they are written."""

    def text(self, context: Sequence[str]) -> str:
        w = self.w
        self.begin(context)
        data, steps, rows = self.read_inputs()
        single = w.let(f"icmp eq i64 {rows}, -1")
        w.do(f"br i1 {single}, label %one, label %batch")
        # a batch
        w.label("batch")
        self.require(w.let("icmp eq ptr %out, null"), "slow")
        results, targets = self.batch_results(rows)
        self.run_loop(data, steps, targets, rows)
        self.return_results(results)
        # a row
        w.label("one")
        w.do(f"br i1 {w.let('icmp eq ptr %out, null')}, label %new, label %into")
        w.label("new")
        results, targets = self.new_results(leading=0)
        self.run_loop(data, steps, targets, "1")
        self.return_row(results)
        # a row into `out`, which may share memory with inputs: `loop` reads a row before it writes the results
        w.label("into")
        self.run_loop(data, steps, self.out_arrays("%out"), "1")
        self.return_out("%out")
        self.end()
        head = "define internal ptr @any(ptr %self, ptr %args, i64 %nargs, ptr %kwnames, ptr %out) noinline nounwind {"
        return "\n".join([head, "entry:", *w.lines, "}"])

    def read_inputs(self) -> tuple[str, str, str]:
        """Tables of pointers and strides, as `loop` takes them, and the number of rows: -1 without a batch axis.

        Pointers of the results are not in the table yet.
        """
        w, inputs, outputs = self.w, self.graph.inputs, self.graph.outputs
        size = self.row.element_bytes
        arrays: tuple[Input | Output, ...] = (*inputs, *outputs)
        data = w.let(f"alloca [{len(arrays)} x ptr], align 8")
        steps = w.let(f"alloca [{len(arrays) + sum(len(x.shape) for x in arrays)} x i64], align 8")
        rows = w.let("alloca i64, align 8")
        w.do(f"store i64 -1, ptr {rows}")
        fits = sum(x.size for x in inputs) * size <= CONVERTED

        def place(table: str, k: int) -> str:
            return w.let(f"getelementptr i64, ptr {table}, i64 {k}")

        core = len(arrays)
        for k, x in enumerate(arrays):
            if k < len(inputs):
                # an input: `read` stores its pointer and strides
                buffer = w.let(f"alloca [{max(x.size, 1)} x double], align 8") if fits and len(x.shape) < 2 else "null"
                tables = ", ".join(f"ptr {place(table, n)}" for table, n in ((data, k), (steps, k), (steps, core)))
                call = f"call i1 @read(ptr {self.argument(k)}, ptr @form.{k}, ptr {buffer}, {tables}, ptr {rows})"
                self.require(w.let(call), "slow")
            else:
                # a result, in C order
                w.do(f"store i64 {x.size * size}, ptr {place(steps, k)}")
                for axis in range(len(x.shape)):
                    stride = math.prod(x.shape[axis + 1 :]) * size
                    w.do(f"store i64 {stride}, ptr {place(steps, core + axis)}")
            core += len(x.shape)
        return data, steps, w.let(f"load i64, ptr {rows}")

    def run_loop(self, data: str, steps: str, targets: list[str], rows: str) -> None:
        """Call `loop` with tables of pointers and strides; the results' pointers are put into the first."""
        w = self.w
        for k, target in enumerate(targets, len(self.graph.inputs)):
            w.do(f"store ptr {target}, ptr {w.let(f'getelementptr ptr, ptr {data}, i64 {k}')}")
        length = w.let("alloca i64, align 8")
        w.do(f"store i64 {rows}, ptr {length}")
        w.do(f"call void @loop(ptr {data}, ptr {length}, ptr {steps}, ptr null)")
