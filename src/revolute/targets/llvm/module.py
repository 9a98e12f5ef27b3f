"""A graph as an LLVM module with three entry points.

`loop` is the inner loop of a NumPy generalised ufunc: blocks of rows in vector lanes, the rest row by row. Its last
argument is null, or points to a 32-bit integer 0, which becomes 1 if memory runs out. `silent` is `loop` without
NumPy's warnings.

`row` computes a single row. For a long graph it is a module of its own, which `compiler.row_code` loads, or compiles in
the background, after the first call with a single row. The graph's module has a global variable `row_code`: the address
of `row`, `NOT_ASKED_FOR` or `NOT_THERE`. Until it is an address, a single row is computed as a block with this row in
all lanes. The results have the same bits, because the operations are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.direct import direct_mover, goes_straight
from revolute.targets.llvm.host import SECOND_CACHE
from revolute.targets.llvm.kernel import CHUNK, RARELY, GraphFunction, PrintedCode
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.layout import mover
from revolute.targets.llvm.loop import LoopFunction, mover_name
from revolute.targets.llvm.parts import modules
from revolute.targets.llvm.stage import copier, has_stage, refresher
from revolute.targets.llvm.steps import CallPlan, planned
from revolute.targets.llvm.writer import USUAL, IRWriter

# number of nodes above which code for single rows is in a separate module, because this code takes as long to compile
# as the code for blocks
LONG = 4000


def module_text(graph: Graph, lanes: Lanes, chunk: int = CHUNK, cache: int = SECOND_CACHE) -> str:
    """The LLVM IR of a single module: see `module_parts`."""
    (part,) = module_parts(graph, lanes, chunk, 0, cache)
    return part.text


def module_parts(
    graph: Graph, lanes: Lanes, chunk: int = CHUNK, most: int | None = None, cache: int = SECOND_CACHE,
    rows: list[CompiledPart] | None = None,
) -> Iterator[CompiledPart]:
    """The module's LLVM IR, in parts, each printed when it is requested; for `most` see `parts.modules`.

    The graph must have an output. Functions have at most `chunk` operations; a core's L2 cache has `cache` bytes. The
    parts of the separate module with `row`, if there is one, are added to `rows` at the end.
    """
    row = Lanes(1, lanes.bits, lanes.fma)
    # generate code for blocks and, in short modules, also code for single rows
    kinds = [lanes] if len(graph.nodes) > LONG or row == lanes else [lanes, row]
    # both versions follow one plan, so that operations, their order and the results agree bit by bit
    plan = planned(graph, chunk)
    functions = {kind: GraphFunction(graph, kind, plan=plan) for kind in kinds}

    def first(texts: Sequence[PrintedCode]) -> str:
        return _first_module(graph, lanes, functions, texts, cache)

    yield from modules(list(functions.values()), first, most)
    if rows is not None and row not in functions:
        rows += row_parts(graph, lanes, chunk, most, plan)


def _first_module(
    graph: Graph, lanes: Lanes, kinds: Mapping[Lanes, GraphFunction], texts: Sequence[PrintedCode], cache: int
) -> str:
    """The text of the module with the entry points; `texts` are the graph's functions."""
    row = Lanes(1, lanes.bits, lanes.fma)
    arrays: tuple[Input | Output, ...] = (*graph.inputs, *graph.outputs)
    # without code for single rows, a single row is evaluated as a block with this row in all lanes
    by_row = (row, kinds[row]) if row in kinds else (lanes, kinds[lanes])
    movers: dict[str, str] = {}
    for k, array in enumerate(arrays):
        for kind in kinds:
            name = mover_name(k, array, kind)
            if name not in movers:
                zeros = array.zeros if isinstance(array, Output) else frozenset[int]()
                movers[name] = mover(name, array.shape, kind, unpack=isinstance(array, Output), zeros=zeros)
    staged = [(k, x) for k, x in enumerate(arrays) if isinstance(x, Output) and has_stage(x, lanes)]
    declared = USUAL.union(*(text.declarations for text in texts)) | {
        "declare i32 @PyGILState_Ensure()",
        "declare void @PyGILState_Release(i32)",
        "declare ptr @PyErr_NoMemory()",
    }
    elsewhere = frozenset(name for text in texts for name in text.elsewhere)
    return "\n".join([
        *sorted(declared),
        f"@row_code = global ptr {'@row' if row in kinds else 'null'}",
        *(text.definitions for text in texts),
        *(text for _, text in sorted(movers.items())),
        *(refresher(k, array, lanes) for k, array in staged),
        *(direct_mover(k, array, lanes) for k, array in staged if goes_straight(array, lanes)),
        copier() if staged else "",
        LoopFunction(arrays, {lanes.width: (lanes, kinds[lanes]), 1: by_row}, lanes.width, cache, elsewhere).text(),
        _silent_loop(),
        _row(graph, kinds[row]) if row in kinds else "",
        RARELY,
        "!1 = !{i32 1}",
        "",
    ])


def _silent_loop() -> str:
    """The function `silent`: runs `loop`, then the function passed as its data, which clears the exception flags."""
    # NumPy warns of the processor's flags, which vector code also sets for values that it discards: those of the other
    # branch of a choice, and those of lanes beyond the last row. So which rows warn would depend on the processor.
    w = IRWriter()
    w.do("call void @loop(ptr %args, ptr %dims, ptr %steps, ptr null)")
    w.do("call void %clear()")
    w.do("ret void")
    return w.define("void @silent(ptr %args, ptr %dims, ptr %steps, ptr %clear)")


def _row(graph: Graph, function: GraphFunction) -> str:
    """The function `row`: calls the graph's code for one row, without lanes."""
    # It takes a table of pointers to every input and output, which lie apart. It returns whether there was memory to
    # work in.
    w = IRWriter()
    arrays = [f"ptr {w.item('ptr', '%arrays', k)}" for k in range(len(graph.inputs) + len(graph.outputs))]
    work, heap = w.memory(function.workspace, lambda: w.do("ret i1 false"), STACK)
    for name in (function.prepare, *function.calls):
        w.do(f"call void @{name}({', '.join([*arrays, f'ptr {work}'])})")
    w.free(heap)
    w.do("ret i1 true")
    return w.define("i1 @row(ptr %arrays)")


def row_parts(
    graph: Graph, lanes: Lanes, chunk: int = CHUNK, most: int | None = None, plan: CallPlan | None = None
) -> Iterator[CompiledPart]:
    """The LLVM IR of a module with `row` alone, in parts; for arguments see `module_parts` and `GraphFunction`."""
    function = GraphFunction(graph, Lanes(1, lanes.bits, lanes.fma), chunk, plan=plan)

    def first(texts: Sequence[PrintedCode]) -> str:
        (printed,) = texts
        parts = printed.definitions, _row(graph, function), RARELY, ""
        return "\n".join([*sorted(USUAL | printed.declarations), *parts])

    return modules([function], first, most)
