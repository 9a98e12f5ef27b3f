"""A kernel as a Python function in machine code, for calls so small that their overhead matters.

`fast` has CPython's METH_FASTCALL | METH_KEYWORDS signature. It is bound to a tuple: the
fallback, names of arguments, results that it keeps (see `spare`), objects that must stay alive,
what takes calls with other options or another type, and then the options that a call must have
after its arrays, the last of them under those names. If a call's options are these very objects,
and every array is a plain C-ordered one of the kernel's type, it computes at once: a row, a row
with `out=`, or a batch of rows too small for threads. Arrays with other strides, lists and
integers take some nanoseconds more: see `read`. So do rows and small batches with a number of
threads, which need only one. Several outputs come as a tuple, a single number as NumPy's scalar.
Any other call goes to the fallback: perhaps the fast call for other options, in the end a Python
object that takes every call and raises the errors.
"""

from __future__ import annotations

from dataclasses import dataclass

from revolute.graph.graph import Graph
from revolute.targets.llvm.any_arguments import any_function
from revolute.targets.llvm.array_writer import ArrayWriter
from revolute.targets.llvm.context import CONTEXT
from revolute.targets.llvm.kernel import Function
from revolute.targets.llvm.lanes import STACK, Lanes, Writer
from revolute.targets.llvm.objects import ARRAY_DESCRIPTOR
from revolute.targets.llvm.pass_on import PASS_ON
from revolute.targets.llvm.short_forms import expanded
from revolute.targets.llvm.spare import has_spare, spare_function

__all__ = ["fast_function"]

_BOUND = 5  # items before the options in the tuple that `fast` is bound to


def fast_function(graph: Graph, row: Lanes, function: Function | None) -> str:
    """The function `fast` of a module that has a `loop` and a table `context`, with what it needs besides.

    Args:
        graph: the kernel's graph.
        row: the lanes of a single row.
        function: the graph's code for a single row, if there is any.
    """
    others = expanded(PASS_ON, CONTEXT), any_function(graph, row, CONTEXT)
    spare = [
        spare_function(k, x.shape, CONTEXT)
        for k, x in enumerate(graph.outputs)
        if has_spare(x.shape, row.element_bytes)
    ]
    return "\n".join([*others, *spare, _Fast(Writer(), graph, row, function).text()])


@dataclass
class _Fast(ArrayWriter):
    """The lines of `fast` while they are written; `function` is the graph's code for a single row, if there is any."""

    function: Function | None

    def text(self) -> str:
        w = self.w
        self.begin(CONTEXT)
        self.recognize()
        small = self.function is not None and self.function.workspace <= STACK
        self.single_row(self.function if small else None)
        self.batch()
        self.row_into_out(self.function if small else None)
        # inputs that are no plain arrays, without `out=` and with it
        for label, out in (("any", "null"), ("into.out.any", self.out)):
            w.label(label)
            call = f"tail call ptr @any(ptr %self, ptr %args, i64 %nargs, ptr %kwnames, ptr {out})"
            w.do(f"ret ptr {w.let(call)}")
        self.calls_of_others()
        self.end()
        head = "define ptr @fast(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {"
        return "\n".join([head, "entry:", *w.lines, "}"])

    def recognize(self) -> None:
        """Branch to `into.out` for a call with the options and `out=`, to `row` for one with only the options."""
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
        self.require(w.let(f"icmp eq i64 {arguments}, {w.let(f'add i64 {options}, {inputs}')}"), "not.own")
        extra = w.let(f"sub i64 {self.tuple_size(call_names)}, {expected}")
        self.require(w.let(f"icmp ule i64 {extra}, 1"), "slow")  # unsigned: with too few names, args is shorter
        # the same options under the same names
        call_options = w.let(f"getelementptr ptr, ptr %args, i64 {inputs}")
        self.require_same(call_options, self.tuple_items("%self", _BOUND), options, "not.own")
        self.require_same(self.tuple_items(call_names), self.tuple_items(names), expected, "not.own")
        # a name more must be `out` or `threads`, and its value is the last argument
        self.last_place = arguments
        last_name = w.let(f"getelementptr ptr, ptr {self.tuple_items(call_names)}, i64 {expected}")
        w.do(f"br i1 {w.let(f'icmp eq i64 {extra}, 0')}, label %row, label %named")
        w.label("named")
        self.last_name = w.let(f"load ptr, ptr {last_name}")
        is_out = w.let(f"icmp eq ptr {self.last_name}, {self.context['name out']}")
        w.do(f"br i1 {is_out}, label %into.out, label %threads")
        self.number_of_threads()
        w.label("row")

    def number_of_threads(self) -> None:
        """At `threads`: a positive number, or None; one thread does a row, or a batch of few rows."""
        w = self.w
        w.label("threads")
        self.require(w.let(f"icmp eq ptr {self.last_name}, {self.context['name threads']}"), "slow")
        threads = self.argument(self.last_place)
        is_none = w.let(f"icmp eq ptr {threads}, {self.context['none']}")
        w.do(f"br i1 {is_none}, label %row, label %threads.number")
        w.label("threads.number")
        self.require(self.is_a(threads, "int type"), "slow")
        overflow = w.let("alloca i32, align 4")
        number = w.let(f"call i64 {self.context['PyLong_AsLongLongAndOverflow']}(ptr {threads}, ptr {overflow})")
        self.require(w.let(f"icmp sgt i64 {number}, 0"), "slow")
        w.do("br label %row")

    def single_row(self, function: Function | None) -> None:
        """At `row`: check the inputs, make the results, compute and return; `batch` takes arrays of other shapes."""
        types = ["another.type", *[None] * len(self.graph.inputs)]  # the first array shows the type
        data = [
            self.checked(self.argument(k), x, "batch", of_another_type=types[k])[0]
            for k, x in enumerate(self.graph.inputs)
        ]
        if self.function is None:
            self.require_row_code("slow")
        results, targets = self.new_results(leading=0)
        self.compute(function, data, targets)
        self.return_row(results)

    def batch(self) -> None:
        """At `batch`: the same for inputs with one batch axis of equal length, unless there are too many rows."""
        w = self.w
        w.label("batch")
        rows, data = "", []
        for k, x in enumerate(self.graph.inputs):
            pointer, rows = self.checked(self.argument(k), x, "any", rows)
            data.append(pointer)
        results, targets = self.batch_results(rows)
        w.do(f"call void @loop({self.loop_arguments([*data, *targets], rows)}, ptr null)")
        self.return_results(results)

    def calls_of_others(self) -> None:
        """At `another.type` and `not.own`: calls that no code of this kernel takes."""
        w = self.w
        w.label("another.type")
        if self.graph.inputs:
            first = w.let(f"getelementptr i8, ptr {self.argument(0)}, i64 {ARRAY_DESCRIPTOR}")
            descriptor = w.let(f"load ptr, ptr {first}")
            readable = ["descriptor", "int64 descriptor"] if self.row.bits == 64 else ["descriptor"]
            for kind in readable:
                same = w.let(f"call i1 @same_type(ptr {descriptor}, ptr {self.context[kind]})")
                other = w.name("other")
                w.do(f"br i1 {same}, label %any, label %{other}")
                w.label(other)
        w.do("br label %not.own")
        w.label("not.own")
        arguments = f"ptr {self.tuple_item('%self', 4)}, ptr %args, i64 %nargs, ptr %kwnames"
        w.do(f"ret ptr {w.let(f'tail call ptr @pass_on({arguments})')}")

    def row_into_out(self, function: Function | None) -> None:
        """At `into.out`: `out=` after the options, an array or a tuple of them.

        If it shares memory with an input, results are computed elsewhere and copied at the end.
        If they are too large for the stack, such calls go to the fallback.
        """
        w, outputs = self.w, self.graph.outputs
        # check the inputs and the arrays for the results
        w.label("into.out")
        self.out = self.argument(self.last_place)
        targets = self.out_arrays(self.out)
        data = [self.checked(self.argument(k), x, "into.out.any")[0] for k, x in enumerate(self.graph.inputs)]
        if self.function is None:
            self.require_row_code("slow")
        # compute
        sizes = [output.size * self.row.element_bytes for output in outputs]
        if function is None:
            self.compute(function, data, targets, self.all_apart(data, targets))
        elif function.workspace + sum(sizes) <= STACK:
            elsewhere = [w.let(f"alloca [{max(size, 1)} x i8], align 64") for size in sizes]
            apart = self.all_apart(data, targets)
            results = [
                w.let(f"select i1 {apart}, ptr {target}, ptr {other}")
                for target, other in zip(targets, elsewhere, strict=True)
            ]
            self.compute(function, data, results)
            w.do(f"br i1 {apart}, label %in.place, label %copied")
            w.label("copied")
            for target, result, size in zip(targets, results, sizes, strict=True):
                w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {result}, i64 {size}, i1 false)")
            w.do("br label %in.place")
            w.label("in.place")
        else:
            self.require(self.all_apart(data, targets), "slow")
            self.compute(function, data, targets)
        self.return_out(self.out)
