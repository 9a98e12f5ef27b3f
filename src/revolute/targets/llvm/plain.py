"""Graphs as LLVM functions with C's calling convention: pointers to arrays, one state per call.

The code is equivalent to the output of `revolute.targets.c`, for processors without a compiler. Sines, cosines and
similar functions are calls of the C library, or generated code. Products used by one sum may be fused.
"""

from collections.abc import Collection, Mapping, Sequence

from revolute.graph import Graph, Node, unrolled
from revolute.graph.ops import column
from revolute.targets.c.function import Layout, arrays, place
from revolute.targets.llvm import operations
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.own_functions import OWN_FUNCTIONS, sine_and_cosine
from revolute.targets.llvm.writer import IRWriter


def _contracted(instruction: str) -> operations.Emit:
    return lambda w, lanes, x: w.let(f"{instruction} contract {lanes.real} {x[0]}, {x[1]}")


def _library(name: str) -> operations.Emit:
    """A function of the C library for this type of numbers."""

    def emit_call(w: IRWriter, lanes: Lanes, x: Sequence[str]) -> str:
        t, function = lanes.real, name if lanes.bits == 64 else f"{name}f"
        w.declared.add(f"declare {t} @{function}({', '.join([t] * len(x))}) memory(none)")
        return w.let(f"call {t} @{function}({', '.join(f'{t} {v}' for v in x)})")

    return emit_call


CELLS: Mapping[str, operations.Emit] = column(
    "plain llvm",
    {
        **operations.CELLS,
        **{name: _contracted(f"f{name}") for name in ("add", "sub", "mul")},
        **{name: _library(name) for name in OWN_FUNCTIONS},
    },
)


def plain_module(
    functions: Sequence[tuple[str, Graph]], bits: int, *, layout: Layout = "row", own: Collection[str] = (),
    batch: bool = False, size: int = 64,
) -> str:
    """The LLVM IR of functions `void name(inputs..., outputs...)`, in the order of the graph's arrays.

    Numbers have `bits` bits; the number of rows is an integer of `size` bits. Functions of the C library in `own` are
    replaced by generated code. `batch` adds, for each function, a loop `void name_batch(rows, inputs..., outputs...)`.
    """
    writer, lanes = IRWriter(), Lanes(1, bits, False)
    texts = [_function(writer, name, unrolled(graph), lanes, layout, own) for name, graph in functions]
    if batch:
        texts += [_loop(name, graph, lanes.real, f"i{size}") for name, graph in functions]
    return "\n".join([*sorted(writer.declared), *texts, ""])


def _function(w: IRWriter, name: str, graph: Graph, lanes: Lanes, layout: Layout, own: Collection[str]) -> str:
    w.lines, t = [], lanes.real
    values: dict[Node, str] = {}
    angles: dict[Node, tuple[str, str]] = {}
    inputs = {x.name: (f"%i{k}", x) for k, x in enumerate(graph.inputs)}
    for node in graph.nodes:
        if node.op == "const":
            values[node] = lanes.const(node.value)
        elif node.op == "input":
            pointer, array = inputs[node.value[0]]
            at = place(array, node.value[1], layout)
            values[node] = w.let(f"load {t}, ptr {w.let(f'getelementptr {t}, ptr {pointer}, i32 {at}')}")
        # sine and cosine use one reduced angle
        elif node.op in ("sin", "cos") and node.op in own:
            (angle,) = node.args
            if angle not in angles:
                angles[angle] = sine_and_cosine(w, lanes, values[angle])
            values[node] = angles[angle][node.op == "cos"]
        else:
            emit = OWN_FUNCTIONS[node.op] if node.op in own else CELLS[node.op]
            values[node] = emit(w, lanes, [values[x] for x in node.args])
    for k, y in enumerate(graph.outputs):
        for j, node in enumerate(y.nodes):
            pointer = w.let(f"getelementptr {t}, ptr %o{k}, i32 {place(y, j, layout)}")
            w.do(f"store {t} {values[node]}, ptr {pointer}")
    w.do("ret void")
    return w.define(_head(name, graph))


def _head(name: str, graph: Graph, first: str = "") -> str:
    given = [f"ptr noalias readonly %i{k}" for k, x in enumerate(graph.inputs) if x.size]
    results = [f"ptr noalias writeonly %o{k}" for k, y in enumerate(graph.outputs) if y.size]
    return f"void @{name}({', '.join(x for x in (first, *given, *results) if x)})"


def _loop(name: str, graph: Graph, t: str, size: str) -> str:
    given = [f"%i{k}" for k, x in enumerate(graph.inputs) if x.size]
    pointers = [*given, *(f"%o{k}" for k, y in enumerate(graph.outputs) if y.size)]
    w = IRWriter()
    w.go("test")
    # the size argument has the width of pointers, which may be 32 bits
    w.label("test")
    w.do(f"%k = phi {size} [ 0, %entry ], [ %next, %row ]")
    w.branch(w.test("ult", "%k", "%rows", size), "row", "end")
    w.label("row")
    rows = []
    for pointer, array in zip(pointers, arrays(graph), strict=True):
        offset = w.let(f"mul {size} %k, {array.size}")
        rows.append(w.let(f"getelementptr {t}, ptr {pointer}, {size} {offset}"))
    w.do(f"call void @{name}({', '.join(f'ptr {row}' for row in rows)})")
    w.do(f"%next = add {size} %k, 1")
    w.go("test")
    w.label("end")
    w.do("ret void")
    return w.define(_head(f"{name}_batch", graph, f"{size} %rows"))
