"""`row`: the code for a single row, in a graph's module, or for a long graph in one of its own that comes later.

The graph's module has a global variable `row_code`: the address of `row`, `NOT_ASKED_FOR` or `NOT_THERE`. Without it a
single row is a block with the same row in all lanes. The bits stay the same: blocks go through the same operations.
"""

from __future__ import annotations

from collections.abc import Iterator

from revolute.graph.graph import Graph
from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.kernel import CHUNK, RARELY, GraphFunction, PrintedCode
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.parts import modules
from revolute.targets.llvm.writer import USUAL, IRWriter

__all__ = ["row_function", "row_parts", "row_variable"]


def row_variable(there: bool) -> str:
    """The variable `row_code` of a module, which may have code for single rows."""
    return f"@row_code = global ptr {'@row' if there else 'null'}"


def row_function(graph: Graph, function: GraphFunction) -> str:
    """The function `row`, which calls the graph's code for one row.

    It takes a table of pointers to every input and output, which lie apart, and tells whether there was memory to
    work in.
    """
    w = IRWriter()
    arrays = [f"ptr {w.item('ptr', '%arrays', k)}" for k in range(len(graph.inputs) + len(graph.outputs))]
    work, heap = w.memory(function.workspace, lambda: w.do("ret i1 false"), STACK)
    for name in (function.prepare, *function.calls):
        w.do(f"call void @{name}({', '.join([*arrays, f'ptr {work}'])})")
    if heap != "null":
        w.do(f"call void @free(ptr {heap})")
    w.do("ret i1 true")
    return w.define("i1 @row(ptr %arrays)")


def row_parts(graph: Graph, lanes: Lanes, chunk: int = CHUNK, most: int | None = None) -> Iterator[CompiledPart]:
    """The LLVM IR of a module with `row`.

    Args:
        graph: a function.
        lanes: the format of numbers.
        chunk: operations a function.
        most: see `parts.modules`.
    """
    function = GraphFunction(graph, Lanes(1, lanes.bits, lanes.fma), chunk)
    return modules([function], lambda texts: _first_module(graph, function, *texts), most)


def _first_module(graph: Graph, function: GraphFunction, printed: PrintedCode) -> str:
    """The module with `row`, and this text of the function."""
    parts = printed.definitions, row_function(graph, function), RARELY, ""
    return "\n".join([*sorted(USUAL | printed.declarations), *parts])
