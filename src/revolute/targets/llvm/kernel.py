"""A graph as LLVM functions on rows in lanes: straight-line code, cut into chunks.

Arrays come component by component, each `width` numbers long. A product that only one sum
uses is fused with it here, on the graph, and LLVM may not fuse or reorder anything: so
every width, chunk size and optimisation level gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from revolute.graph.graph import Graph
from revolute.graph.node import Node
from revolute.graph.ops import COMPARISONS, column
from revolute.targets.llvm.entries import Form, entries, table_text
from revolute.targets.llvm.exponential import exp, tanh
from revolute.targets.llvm.lanes import Lanes, Writer
from revolute.targets.llvm.order import CLEARLY, LONG, LONGEST, by_results, carried
from revolute.targets.llvm.trigonometry import fused, large_argument_function, sincos

__all__ = ["CHUNK", "RARELY", "Function", "Printed"]

CHUNK = 500
"""Operations per function: LLVM's time for one grows faster than its length."""

MANY = 20_000
"""Steps from which on entries of results that differ in their operands alone go through loops: see `entries.py`."""

RARELY = '!0 = !{!"branch_weights", i32 1, i32 100000}'
"""Metadata of branches that are hardly ever taken, which a module must have."""

ANGLES = frozenset({"sin", "cos", "tan"})
"""Operations that need the function for large angles."""

Emit = Callable[[Writer, Lanes, Sequence[str]], str]


def _binary(instruction: str) -> Emit:
    return lambda w, lanes, x: w.let(f"{instruction} {lanes.real} {x[0]}, {x[1]}")


def _intrinsic(name: str) -> Emit:
    return lambda w, lanes, x: w.call(lanes.real, f"llvm.{name}.{lanes.suffix}", [(lanes.real, v) for v in x])


def _sign(w: Writer, lanes: Lanes, x: Sequence[str]) -> str:
    """-1 for x < 0, 1 for x > 0, else x: zeros and NaN."""
    t, zero = lanes.real, lanes.const(0.0)
    below = w.let(f"fcmp olt {t} {x[0]}, {zero}")
    above = w.let(f"fcmp ogt {t} {x[0]}, {zero}")
    low = w.let(f"select {lanes.truth} {below}, {t} {lanes.const(-1.0)}, {t} {x[0]}")
    return w.let(f"select {lanes.truth} {above}, {t} {lanes.const(1.0)}, {t} {low}")


def _library(name: str) -> Emit:
    """A function of the C library, row by row, in double."""

    def emit_calls(w: Writer, lanes: Lanes, x: Sequence[str]) -> str:
        t, e, result = lanes.real, lanes.scalar, "poison"
        # for each row: extract the arguments, call, insert the result
        for k in range(lanes.width):
            args = [v if lanes.width == 1 else w.let(f"extractelement {t} {v}, i64 {k}") for v in x]
            if lanes.bits == 32:
                args = [w.let(f"fpext float {v} to double") for v in args]
            value = w.call("double", name, [("double", v) for v in args])
            if lanes.bits == 32:
                value = w.let(f"fptrunc double {value} to float")
            result = value if lanes.width == 1 else w.let(f"insertelement {t} {result}, {e} {value}, i64 {k}")
        return result

    return emit_calls


def _tan(w: Writer, lanes: Lanes, x: Sequence[str]) -> str:
    s, c = sincos(w, lanes, x[0])
    return w.let(f"fdiv {lanes.real} {s}, {c}")


CELLS: dict[str, Emit] = column(
    "llvm",
    {
        "add": _binary("fadd"),
        "sub": _binary("fsub"),
        "mul": _binary("fmul"),
        "div": _binary("fdiv"),
        "neg": lambda w, lanes, x: w.let(f"fneg {lanes.real} {x[0]}"),
        "sqrt": _intrinsic("sqrt"),
        "sin": lambda w, lanes, x: sincos(w, lanes, x[0])[0],
        "cos": lambda w, lanes, x: sincos(w, lanes, x[0])[1],
        "tan": _tan,
        "atan2": _library("atan2"),
        "exp": lambda w, lanes, x: exp(w, lanes, x[0]),
        "log": _library("log"),
        "tanh": lambda w, lanes, x: tanh(w, lanes, x[0]),
        "abs": _intrinsic("fabs"),
        "sign": _sign,
        "min": _intrinsic("minimum"),
        "max": _intrinsic("maximum"),
        "lt": lambda w, lanes, x: w.let(f"fcmp olt {lanes.real} {x[0]}, {x[1]}"),
        "le": lambda w, lanes, x: w.let(f"fcmp ole {lanes.real} {x[0]}, {x[1]}"),
        "select": lambda w, lanes, x: w.let(
            f"select {lanes.truth} {x[0]}, {lanes.real} {x[1]}, {lanes.real} {x[2]}"
        ),
    },
)


@dataclass(frozen=True)
class Printed:
    """Definitions, and the declarations of the functions that they call."""

    definitions: str
    declarations: frozenset[str]


class Function:
    """The functions that evaluate a graph on `lanes.width` rows; they are printed when they are asked for.

    Attributes:
        prepare: name of the function that stores the constants among the outputs.
        calls: names of the functions to call in turn for all else.
        parameters: of `prepare` and all calls: a pointer to every input array, to every output array, and to the
            workspace.
        workspace: bytes that the calls share.
        lengths: steps of every call: operations, and stores of results.
    """

    def __init__(self, graph: Graph, lanes: Lanes, chunk: int = CHUNK, prefix: str = "") -> None:
        """Of a graph.

        Args:
            graph, lanes: the graph, and the format of numbers.
            chunk: the most steps of a call.
            prefix: names begin with it.
        """
        self._graph, self._lanes = graph, lanes
        self._fused = _fused_products(graph)
        steps = _steps(graph.nodes, graph, frozenset(self._fused.values()))
        forms = entries(graph, self._fused) if len(steps) >= MANY else []
        if forms:
            looped = {node for form in forms for entry in form.entries for node in entry.nodes}
            steps = [step for step in steps if (step if isinstance(step, Node) else step.node) not in looped]
        else:
            steps = _reordered(steps, graph, self._fused, chunk)
        chunks = _chunks(steps, chunk) or [[]]
        self._slots, places = _workspace_slots(chunks, self._fused, forms)
        self._steps = {f"{prefix}chunk{k}.{lanes.suffix}": part for k, part in enumerate(chunks)}
        self._forms = {f"{prefix}entries{k}.{lanes.suffix}": form for k, form in enumerate(forms)}
        self.prepare = f"{prefix}constants.{lanes.suffix}"
        self.calls = (*self._steps, *self._forms)
        self.lengths = [*map(len, chunks), *(len(form.entries[0].nodes) for form in forms)]
        self.parameters = _parameters(graph)
        self.workspace = places * lanes.bytes

    def printed(self, names: Sequence[str], *, exported: bool = False) -> Printed:
        """Definitions of `prepare` and calls, with what they need, for a module of which others may see them."""
        texts, declared = [], {"declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"}
        linkage, large = "" if exported else "internal ", False
        for name in names:
            body = self._body(name)
            texts += body.tables
            declared |= body.w.declared
            large |= any(step.op in ANGLES for step in self._steps.get(name, ()) if isinstance(step, Node))
            # "stackrealign": otherwise spilled vectors straddle cache lines
            texts.append(f'define {linkage}void @{name}({self.parameters}) noinline nounwind "stackrealign" {{')
            texts += ["entry:", *body.w.lines, "  ret void", "}"]
        if large:
            *declarations, definition = large_argument_function(self._lanes).partition("define")[::2]
            declared |= {line for line in declarations[0].splitlines() if line}
            texts.append("define" + definition)
        return Printed("\n".join(texts), frozenset(declared))

    def _body(self, name: str) -> _Chunk:
        """The lines of a function."""
        if name == self.prepare:
            return _constants(self._graph, self._lanes)
        if name in self._forms:
            return _loop_over(name, self._forms[name], self._graph, self._lanes, self._fused, self._slots)
        body = _Chunk(self._graph, self._lanes, self._fused, self._slots)
        for step in self._steps[name]:
            body.emit(step)
        return body


class _Store(NamedTuple):
    """A step that puts a value into an output array."""

    node: Node
    output: int
    place: int


Step = Node | _Store


def _reordered(steps: list[Step], graph: Graph, fused: Mapping[Node, Node], chunk: int) -> list[Step]:
    """All steps; those of long graphs in the order that carries fewer values from chunk to chunk: see `order.py`."""
    if not LONG <= len(steps) < LONGEST:
        return steps
    others = _steps(by_results(graph), graph, frozenset(fused.values()))
    before, after = (carried(_chunks(x, chunk), lambda step: _operands(step, fused)) for x in (steps, others))
    return others if after < CLEARLY * before else steps


def _chunks(steps: list[Step], chunk: int) -> list[list[Step]]:
    return [steps[k : k + chunk] for k in range(0, len(steps), chunk)]


def _steps(order: Sequence[Node], graph: Graph, products: Container[Node]) -> list[Step]:
    """Operations but for fused products, each followed by the stores of its value; inputs have stores only.

    Comparisons are no steps: each chunk makes those that it needs, as truth values have no place in the workspace.
    """
    stores: dict[Node, list[Step]] = {}
    for k, output in enumerate(graph.outputs):
        for place, node in enumerate(output.nodes):
            if node.op != "const":
                stores.setdefault(node, []).append(_Store(node, k, place))
    steps: list[Step] = []
    for node in order:
        if node.op == "const":
            continue
        if node.args and node not in products and node.op not in COMPARISONS:
            steps.append(node)
        if node in stores:
            steps += stores[node]
    return steps


def _constants(graph: Graph, lanes: Lanes) -> _Chunk:
    """The body of a function that stores all constants among the outputs."""
    body = _Chunk(graph, lanes, {}, {})
    for k, output in enumerate(graph.outputs):
        if output.zeros:
            body.clear(f"out{k}", output.size)
        for place, node in enumerate(output.nodes):
            if node.op == "const" and place not in output.zeros:
                body.emit(_Store(node, k, place))
    return body


def _loop_over(
    name: str, form: Form, graph: Graph, lanes: Lanes, fused: dict[Node, Node], slots: dict[Node, int]
) -> _Chunk:
    """The body of a function that computes all entries of a form, each from the operands in its row of a table."""
    body = _Chunk(graph, lanes, fused, {})
    first = form.entries[0]
    # two tables: places of values and of results in their arrays; constants
    constant = [node.op == "const" for node in first.values]
    numbers = [[x.value for x in entry.values if x.op == "const"] for entry in form.entries]
    places = [
        [slots[x] if x in slots else x.value[1] for x in entry.values if x.op != "const"]
        + [place for _, place in entry.places]
        for entry in form.entries
    ]
    real = "<f8" if lanes.bits == 64 else "<f4"
    body.tables = [table_text(f"{name}.places", places, "<i4"), table_text(f"{name}.numbers", numbers, real)]
    w = body.w
    w.do("br label %test")
    w.label("test")
    w.do("%entry.k = phi i64 [ 0, %entry ], [ %entry.next, %each ]")
    w.do(f"br i1 {w.let(f'icmp ult i64 %entry.k, {len(form.entries)}')}, label %each, label %done")
    w.label("each")
    rows = {"places": 4 * len(places[0]), "numbers": lanes.element_bytes * len(numbers[0])}
    at = {
        table: w.let(f"getelementptr i8, ptr @{name}.{table}, i64 {w.let(f'mul i64 %entry.k, {size}')}")
        for table, size in rows.items()
    }
    taken = {"places": 0, "numbers": 0}

    def following(table: str, kind: str) -> str:
        taken[table] += 1
        return w.item(kind, at[table], taken[table] - 1)

    def pointer(array: str) -> str:
        place = w.let(f"zext i32 {following('places', 'i32')} to i64")
        return w.let(f"getelementptr i8, ptr %{array}, i64 {w.let(f'mul i64 {place}, {lanes.bytes}')}")

    for node, is_constant in zip(first.values, constant, strict=True):
        if is_constant:
            body.at_hand[node] = lanes.spread(w, following("numbers", lanes.scalar))
        else:
            array = f"in{body.inputs[node.value[0]]}" if node.op == "input" else "work"
            body.at_hand[node] = w.let(f"load {lanes.real}, ptr {pointer(array)}, align {lanes.bytes}")
    products = {fused[node] for node in first.nodes if node in fused}
    for node in reversed(first.nodes):
        if node not in products:
            body.emit(node)
    for output, _ in first.places:
        w.do(f"store {lanes.real} {body.at_hand[first.nodes[0]]}, ptr {pointer(f'out{output}')}, align {lanes.bytes}")
    w.do("%entry.next = add i64 %entry.k, 1")
    w.do("br label %test")
    w.label("done")
    return body


def _parameters(graph: Graph) -> str:
    arrays = (*(f"in{k}" for k in range(len(graph.inputs))), *(f"out{k}" for k in range(len(graph.outputs))), "work")
    return ", ".join(f"ptr noalias nocapture %{a}" for a in arrays)


def _fused_products(graph: Graph) -> dict[Node, Node]:
    """{sum: product}, for products that only this sum uses: they are computed as part of it."""
    fused: dict[Node, Node] = {}
    uses = graph.uses
    for node in graph.nodes:
        if node.op in ("add", "sub"):
            for arg in node.args:
                if arg.op == "mul" and uses[arg] == 1:
                    fused[node] = arg
                    break
    return fused


def _operands(step: Step, fused: Mapping[Node, Node]) -> Sequence[Node]:
    """The nodes whose values a step needs; of a fused product the factors, of a comparison what is compared."""
    if isinstance(step, _Store):
        return (step.node,)
    product = fused.get(step)
    if product is not None:
        left, right = step.args
        return (*product.args, right) if left is product else (left, *product.args)
    if step.op == "select":
        compared, *others = step.args
        return (*(compared.args if compared.op in COMPARISONS else (compared,)), *others)
    return step.args


def _workspace_slots(
    chunks: list[list[Step]], fused: dict[Node, Node], forms: Sequence[Form]
) -> tuple[dict[Node, int], int]:
    """A place in the workspace for every value that a later chunk needs, and the number of places.

    A place is free again for values of chunks after the last one that reads it. Entries are computed after all chunks.
    """
    made: dict[Node, int] = {}  # the chunk of every value so far; arguments are older than what uses them
    last: dict[Node, int] = {}  # the last chunk that reads a value of an earlier one
    for k, part in enumerate(chunks):
        for step in part:
            for arg in _operands(step, fused):
                if made.get(arg, k) != k:
                    last[arg] = k
            if isinstance(step, Node):
                made[step] = k
    for form in forms:
        for entry in form.entries:
            last.update((x, len(chunks)) for x in entry.values if x in made)
    slots: dict[Node, int] = {}
    free: list[int] = []
    size = 0
    ending: list[list[int]] = [[] for _ in (*chunks, forms)]
    for k, part in enumerate(chunks):
        for step in part:
            if isinstance(step, Node) and step in last:
                if not free:
                    free, size = [size], size + 1
                slots[step] = free.pop()
                ending[last[step]].append(slots[step])
        free += ending[k]
    return slots, size


class _Chunk:
    """One function's lines, and the names of the values that it has loaded or computed."""

    def __init__(self, graph: Graph, lanes: Lanes, fused: dict[Node, Node], slots: dict[Node, int]) -> None:
        self.w = Writer()
        self.lanes = lanes
        self.fused = fused
        self.slots = slots
        self.at_hand: dict[Node, str] = {}
        self.inputs = {x.name: k for k, x in enumerate(graph.inputs)}
        self.tables: list[str] = []  # constants of the module that the lines read

    def emit(self, step: Step) -> None:
        """Emit a step."""
        if isinstance(step, Node):
            self._compute(step)
        else:
            self._store(step.node, f"out{step.output}", step.place)

    def clear(self, array: str, size: int) -> None:
        """Fill an array with zeros."""
        self.w.do(f"call void @llvm.memset.p0.i64(ptr %{array}, i8 0, i64 {size * self.lanes.bytes}, i1 false)")

    def _compute(self, node: Node) -> None:
        """Emit an operation, and store its value in the workspace if later chunks need it."""
        if node in self.at_hand:  # computed together with the sine or cosine of the same angle
            pass
        elif node in self.fused:
            self.at_hand[node] = self._fused_sum(node, self.fused[node])
        elif node.op in ("sin", "cos"):
            self._sine_and_cosine(node)
        else:
            self.at_hand[node] = CELLS[node.op](self.w, self.lanes, [self._value(arg) for arg in node.args])
        if node in self.slots:
            self._store(node, "work", self.slots[node])

    def _sine_and_cosine(self, node: Node) -> None:
        """Emit both, whichever the node is."""
        s, c = sincos(self.w, self.lanes, self._value(node.args[0]))
        self.at_hand[node] = s if node.op == "sin" else c
        twin = node.builder.make("cos" if node.op == "sin" else "sin", node.args[0])
        self.at_hand.setdefault(twin, c if node.op == "sin" else s)

    def _fused_sum(self, node: Node, product: Node) -> str:
        """Emit a sum as fma(a, b, c): a b + c, a b - c or c - a b."""
        w, lanes = self.w, self.lanes
        left, right = node.args
        if left is product:
            (a, b), c = (self._value(x) for x in left.args), self._value(right)
            if node.op == "sub":
                c = w.let(f"fneg {lanes.real} {c}")
            return fused(w, lanes, a, b, c)
        (a, b), c = (self._value(x) for x in right.args), self._value(left)
        if node.op == "sub":
            a = w.let(f"fneg {lanes.real} {a}")
        return fused(w, lanes, a, b, c)

    def _value(self, node: Node) -> str:
        """The name of a node's value; it is loaded if it comes from an input or an earlier chunk."""
        if node not in self.at_hand:
            if node.op == "const":
                return self.lanes.const(node.value)
            if node.op == "input":
                self.at_hand[node] = self._load(f"in{self.inputs[node.value[0]]}", node.value[1])
            elif node.op in COMPARISONS:
                self.at_hand[node] = CELLS[node.op](self.w, self.lanes, [self._value(arg) for arg in node.args])
            else:
                self.at_hand[node] = self._load("work", self.slots[node])
        return self.at_hand[node]

    def _pointer(self, array: str, place: int) -> str:
        return self.w.let(f"getelementptr i8, ptr %{array}, i64 {place * self.lanes.bytes}")

    def _load(self, array: str, place: int) -> str:
        return self.w.let(f"load {self.lanes.real}, ptr {self._pointer(array, place)}, align {self.lanes.bytes}")

    def _store(self, node: Node, array: str, place: int) -> None:
        value = self._value(node)
        self.w.do(f"store {self.lanes.real} {value}, ptr {self._pointer(array, place)}, align {self.lanes.bytes}")
