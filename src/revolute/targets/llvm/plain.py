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
    batch: bool = False, size: int = 64, stack: bool = True,
) -> str:
    """The LLVM IR of functions `void name(inputs..., outputs...)`, in the order of the graph's arrays.

    Numbers have `bits` bits; the number of rows is an integer of `size` bits. Functions of the C library in `own` are
    replaced by generated code. `batch` adds, for each function, a loop `void name_batch(rows, inputs..., outputs...)`.
    Loops of graphs have their arrays on the stack. Without a `stack`, they are unrolled.
    """
    lanes, declared, texts = Lanes(1, bits, False), set[str](), list[str]()
    for name, graph in functions:
        texts += _Function(declared, name, lanes, layout, own).texts(graph if stack else unrolled(graph))
    if batch:
        texts += [_loop(name, graph, lanes.real, f"i{size}") for name, graph in functions]
    return "\n".join([*sorted(declared), *texts, ""])


class _Function:
    """Writes a function after the bodies of its loops."""

    def __init__(self, declared: set[str], name: str, lanes: Lanes, layout: Layout, own: Collection[str]) -> None:
        self._w, self._name, self._lanes, self._layout, self._own = IRWriter(), name, lanes, layout, own
        self._w.declared = declared
        self._values: dict[Node, str] = {}
        self._ends: dict[Node, tuple[str, str]] = {}  # of a loop: addresses of its arrays and of its last state
        self._bodies: list[str] = []

    def texts(self, graph: Graph, linkage: str = "") -> list[str]:
        """The definitions of the function and of the bodies of its loops."""
        w, t, values = self._w, self._lanes.real, self._values
        angles: dict[Node, tuple[str, str]] = {}
        inputs = {x.name: (f"%i{k}", x) for k, x in enumerate(graph.inputs)}
        for node in graph.nodes:
            if node.op == "const":
                values[node] = self._lanes.const(node.value)
            elif node.op == "input":
                pointer, array = inputs[node.value[0]]
                values[node] = self._load(pointer, place(array, node.value[1], self._layout))
            elif node.op == "loop":
                self._add_loop(node)
            elif node.op == "entry":
                loop, (arrays, state) = node.args[0].value, self._ends[node.args[0]]
                k = node.value
                values[node] = self._load(state, k) if k < loop.state else self._load(arrays, loop.place(k))
            # sine and cosine use one reduced angle
            elif node.op in ("sin", "cos") and node.op in self._own:
                (angle,) = node.args
                if angle not in angles:
                    angles[angle] = sine_and_cosine(w, self._lanes, values[angle])
                values[node] = angles[angle][node.op == "cos"]
            else:
                emit = OWN_FUNCTIONS[node.op] if node.op in self._own else CELLS[node.op]
                values[node] = emit(w, self._lanes, [values[x] for x in node.args])
        for k, y in enumerate(graph.outputs):
            for j, node in enumerate(y.nodes):
                w.do(f"store {t} {values[node]}, ptr {self._at(f'%o{k}', place(y, j, self._layout))}")
        w.do("ret void")
        return [*self._bodies, w.define(linkage + _head(self._name, graph))]

    def _at(self, pointer: str, k: int | str) -> str:
        return self._w.let(f"getelementptr {self._lanes.real}, ptr {pointer}, i32 {k}")

    def _load(self, pointer: str, k: int) -> str:
        return self._w.let(f"load {self._lanes.real}, ptr {self._at(pointer, k)}")

    def _add_loop(self, node: Node) -> None:
        """The steps of a loop: each is a call of its body, which reads one of two states and writes the other."""
        w, t, loop, at = self._w, self._lanes.real, node.value, node.value.places
        body, around, after = f"{self._name}_{w.name('loop')}", w.name("step"), w.name("end")
        self._bodies += _Function(w.declared, body, self._lanes, "row", self._own).texts(loop.body, "internal ")
        arrays = w.variable(t, count=at["end"])
        places = {name: self._at(arrays, start) for name, start in at.items()}
        given = ("state", "given", *(f"each{k}" for k in range(len(loop.each))))
        for name, part in zip(given, loop.operands, strict=True):
            for j, x in enumerate(node.args[part]):
                w.do(f"store {t} {self._values[x]}, ptr {self._at(places[name], j)}")
        before, first = w.block, "true"
        if loop.waits:
            first = w.let(f"fcmp ogt {t} {self._load(arrays, loop.state - 1)}, {self._lanes.const(0.0)}")
        w.branch(first, around, after)
        w.label(around)
        k, old, new = (f"%{around}.{x}" for x in ("k", "old", "new"))
        w.do(f"{k} = phi i32 [ 0, %{before} ], [ {k}.next, %{around} ]")
        w.do(f"{old} = phi ptr [ {places['state']}, %{before} ], [ {new}, %{around} ]")
        w.do(f"{new} = phi ptr [ {places['next']}, %{before} ], [ {old}, %{around} ]")
        row = w.let(f"sub i32 {loop.steps - 1}, {k}") if loop.backward else k

        def of_step(name: str, size: int) -> str:
            return self._at(places[name], w.let(f"mul i32 {row}, {size}"))

        sizes = [(old, loop.state), (places["given"], loop.given)]
        sizes += [(of_step(f"each{j}", size), size) for j, size in enumerate(loop.each)]
        sizes += [(new, loop.state), *((of_step(f"record{j}", size), size) for j, size in enumerate(loop.records))]
        sizes += [] if loop.solution is None else [(places["again"], 1)]
        w.do(f"call void @{body}({', '.join(f'ptr {pointer}' for pointer, size in sizes if size)})")
        w.do(f"{k}.next = add i32 {k}, 1")
        more = w.test("ult", f"{k}.next", loop.steps, "i32")
        if loop.solution is not None:  # not a number ends the loop, too
            more = w.is_all(more, w.let(f"fcmp ogt {t} {self._load(places['again'], 0)}, {self._lanes.const(0.0)}"))
        w.branch(more, around, after)
        w.label(after)
        last = w.let(f"phi ptr [ {places['state']}, %{before} ], [ {new}, %{around} ]")
        self._ends[node] = arrays, last


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
