"""Code for a single row of a long graph, as a module of its own: it is compiled when it is asked for.

The graph's other module has a global variable `row_code`: the address of this module's `row`, `NOT_ASKED_FOR` or
`NOT_THERE`. Only there do single calls take another way, and so the bits stay the same: rows of blocks go through
the same operations.
"""

from __future__ import annotations

from collections.abc import Iterator

from revolute.graph.graph import Graph
from revolute.targets.llvm.compile import Part
from revolute.targets.llvm.context import NOT_THERE
from revolute.targets.llvm.kernel import CHUNK, RARELY, Function, Printed
from revolute.targets.llvm.lanes import STACK, Lanes, Writer
from revolute.targets.llvm.parts import modules

__all__ = ["row_parts", "row_variable"]


def row_variable(needed: bool) -> str:
    """The variable `row_code` of a module, which may need code for single rows or have it itself."""
    value = "null" if needed else f"inttoptr (i64 {NOT_THERE} to ptr)"
    return f"@row_code = global ptr {value}"


def row_parts(graph: Graph, lanes: Lanes, chunk: int = CHUNK, most: int | None = None) -> Iterator[Part]:
    """The LLVM IR of a module with `row`: it takes a pointer to every input and output, which lie apart.

    It tells whether there was memory to work in.

    Args:
        graph: a function.
        lanes: the format of numbers.
        chunk: operations a function.
        most: see `parts.modules`.
    """
    function = Function(graph, Lanes(1, lanes.bits, lanes.fma), chunk)
    return modules([function], lambda texts: _first_module(graph, function, *texts), most)


def _first_module(graph: Graph, function: Function, printed: Printed) -> str:
    """The module with `row`, and this text of the function."""
    w = Writer()
    arrays = [f"ptr %a{k}" for k in range(len(graph.inputs) + len(graph.outputs))]
    on_stack = function.workspace <= STACK
    place = "alloca [{} x i8], align 64" if on_stack else "call ptr @malloc(i64 {})"
    work = w.let(place.format(max(function.workspace, 1)))
    w.do(f"br i1 {w.let(f'icmp ne ptr {work}, null')}, label %enough, label %lost")
    w.label("enough")
    for name in (function.prepare, *function.calls):
        w.do(f"call void @{name}({', '.join([*arrays, f'ptr {work}'])})")
    if not on_stack:
        w.do(f"call void @free(ptr {work})")
    w.do("ret i1 true")
    w.label("lost")
    w.do("ret i1 false")
    return "\n".join([
        *sorted(printed.declarations),
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        printed.definitions,
        f"define i1 @row({', '.join(arrays)}) nounwind {{",
        "entry:",
        *w.lines,
        "}",
        RARELY,
        "",
    ])
