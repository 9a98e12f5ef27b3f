"""A graph as LLVM functions on rows in lanes: straight-line code, cut into chunks.

Arrays are stored component by component, `width` numbers each. A product that only one sum
uses is fused with it here, on the graph, and LLVM may not fuse or reorder anything: so
every width, chunk size and optimisation level gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from revolute.graph import Graph, Node
from revolute.targets.llvm.angles import AngleLoop, emit_loop
from revolute.targets.llvm.assembly import Step, Store, StraightLine, TooManyArraysError, assembles, straight_steps
from revolute.targets.llvm.chunk import ChunkCode
from revolute.targets.llvm.entries import EntryForm, table_text
from revolute.targets.llvm.host import host
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.loop_node import BodyCode, LoopWriter, copy
from revolute.targets.llvm.operations import EMITTED
from revolute.targets.llvm.steps import CallPlan, planned
from revolute.targets.llvm.trigonometry import large_argument_function
from revolute.targets.llvm.writer import IRWriter

CHUNK = 500  # maximum number of operations per function: compile time grows faster than linearly with length
RARELY = '!0 = !{!"branch_weights", i32 1, i32 100000}'  # metadata of rarely taken branches; each module defines it
ANGLES = frozenset({"sin", "cos", "tan"})  # operations that require the function for large angles
ALIKE = frozenset(EMITTED) - ANGLES - {"exp", "log", "tanh", "atan2"}  # operations whose code differs only in its types


@dataclass(frozen=True)
class PrintedCode:
    """Definitions, declarations of the functions that they call, and names of calls whose code is in other modules."""

    definitions: str
    declarations: frozenset[str]
    elsewhere: tuple[str, ...] = ()


class GraphFunction:
    """The functions that evaluate a graph on `lanes.width` rows, printed on demand.

    Attributes:
        prepare: name of the function that stores the constants among the outputs.
        calls: names of the functions to call in turn for all other results.
        parameters: parameters of `prepare` and all calls: pointers to every input and output array, and the workspace.
        workspace: size of the memory that the calls share [bytes].
        lengths: number of steps of every call: operations, and stores of results.
    """

    def __init__(
        self, graph: Graph, lanes: Lanes, chunk: int = CHUNK, prefix: str = "", plan: CallPlan | None = None,
        known: dict[str, GraphFunction] | None = None,
    ) -> None:
        """Distribute the steps over calls of at most `chunk` steps, by `plan`, or by a new plan if it is None.

        Loop bodies with the same text share one function: `known` contains the existing ones, by text.
        """
        known = {} if known is None else known
        plan = planned(graph, chunk) if plan is None else plan
        self._graph, self._lanes, self._plan = plan.graph, lanes, plan
        self._made = plan.graph is not graph
        self._steps: dict[str, Sequence[Step]] = {}
        self._bodies: dict[str, GraphFunction] = {}
        for k, part in enumerate(plan.parts):
            nested = next((plan.loops[x] for x in part if isinstance(x, Node) and x in plan.loops), None)
            kind = "angles" if isinstance(part, AngleLoop) else "chunk" if nested is None else "loop"
            name = f"{prefix}{kind}{k}.{lanes.suffix}"
            self._steps[name] = part
            if nested is not None:
                text = nested.loop.body_text
                if text not in known:
                    new = GraphFunction(nested.loop.body, lanes, chunk, f"{prefix}loop{k}.", nested.body, known)
                    known[text] = new
                self._bodies[name] = known[text]
        self._forms = {f"{prefix}entries{k}.{lanes.suffix}": form for k, form in enumerate(plan.forms)}
        self.prepare = f"{prefix}constants.{lanes.suffix}"
        self._gather = f"{prefix}gather.{lanes.suffix}"
        self.calls = (*self._steps, *self._forms)
        self.lengths: list[int] = []
        # a loop counts as one copy of the body: the code is compiled once
        for name, part in self._steps.items():
            self.lengths.append(sum(self._bodies[name].lengths) if name in self._bodies else len(part))
        self.lengths += [len(form[0].nodes) for form in plan.forms]
        kinds = ("in", len(graph.inputs)), ("out", len(graph.outputs))
        self._arrays = (*(f"{kind}{k}" for kind, count in kinds for k in range(count)), "work")
        self.parameters = ", ".join(f"ptr noalias nocapture %{array}" for array in self._arrays)
        self.workspace = plan.places * lanes.bytes

    def forget(self) -> None:
        """Discard the graphs created for this code: see `Builder.forget`."""
        for node in self._graph.nodes[:1] if self._made else ():
            node.builder.forget()
        for nested in self._bodies.values():
            nested.forget()

    def printed(self, names: Sequence[str], *, exported: bool = False, passes: bool = False) -> PrintedCode:
        """Definitions of the functions `names`, with all that they need; `exported`: visible to other modules.

        With `passes`, all code is LLVM IR, for LLVM's passes. Otherwise straight-line code may be assembly.
        """
        assembly = assembles(host(), self._lanes) and not passes
        declared: set[str] = set()
        texts = self._definitions(names, "" if exported else "internal ", declared, set(), assembly)
        if any(map(self._has_angles, names)):
            # each module has its own copy of the rare function for large angles
            *declarations, definition = large_argument_function(self._lanes).partition("define")[::2]
            declared |= {line for line in declarations[0].splitlines() if line}
            texts.append("define" + definition)
        return PrintedCode("\n".join(texts), frozenset(declared))

    def _definitions(
        self, names: Sequence[str], linkage: str, declared: set[str], done: set[str], assembly: bool
    ) -> list[str]:
        """LLVM definitions of the functions `names`, each after its loop's body; adds declarations to `declared`."""
        # Names that are defined are added to `done`.
        texts: list[str] = []
        gathering: list[str] = []
        for name in names:
            if (nested := self._bodies.get(name)) is not None and nested.prepare not in done:
                done.add(nested.prepare)
                texts += nested._definitions([nested.prepare, *nested.calls], "internal ", declared, done, assembly)
            steps = self._steps.get(name, ())
            straight = straight_steps(steps) if assembly and nested is None else []
            whole = name if len(straight) == len(steps) else f"{name}.straight"
            if code := self._assembled(whole, straight, declared) if straight else "":
                texts.append(code)
                if whole == name:
                    continue
                steps = [x for x in steps if isinstance(x, Store) and x.numbers > 1]
            few: list[Step] | None = [] if assembly and nested is not None else None
            body = self._body(name, steps, few)
            if few and not code:  # copies of single operands of a loop
                if code := self._assembled(whole, few, declared):
                    texts.append(code)
                else:
                    body = self._body(name, steps, None)
            if code:
                body.w.lines.insert(0, f"  call void @{whole}({', '.join(f'ptr %{x}' for x in self._arrays)})")
            lines = "\n".join(body.w.lines)
            if f"@{self._gather}(" in lines and not gathering:
                gathering.append(_gather_function(self._gather, self._lanes))
            texts += body.tables
            declared |= body.w.declared
            # without "stackrealign", spilled vectors would straddle cache lines
            texts.append(f'define {linkage}void @{name}({self.parameters}) noinline nounwind "stackrealign" {{')
            texts += ["entry:", lines, "  ret void", "}"]
        return gathering + texts

    def _assembled(self, name: str, steps: Sequence[Step], declared: set[str]) -> str:
        """A function of straight steps as assembly, written once for blocks and rows; "" if it has too many arrays."""
        key, known, slots = name.replace(self._lanes.suffix, ""), self._plan.assembled, self._plan.slots
        if key not in known:
            place, masks = ChunkCode(self._graph, self._lanes, self._plan).place, host().vector_bits == 512
            with suppress(TooManyArraysError):
                known[key] = StraightLine(steps, self._arrays, place, slots, self._lanes.bits, masks)
        if key not in known:
            return ""
        declared.add(f"declare void @{name}({', '.join(['ptr'] * len(self._arrays))})")
        return known[key].text(name, self._lanes)

    def _has_angles(self, name: str) -> bool:
        """Whether a call needs the function for large angles."""
        if (nested := self._bodies.get(name)) is not None:
            return any(map(nested._has_angles, nested.calls))
        return any(step.op in ANGLES for step in self._steps.get(name, ()) if isinstance(step, Node))

    def _body(self, name: str, steps: Sequence[Step], few: list[Step] | None) -> ChunkCode:
        """The lines of a call for these of its steps; a loop adds copies of single operands to `few`."""
        if name == self.prepare:
            return _constants(self._graph, self._lanes)
        if name in self._forms:
            return _loop_over(name, self._forms[name], self._graph, self._lanes, self._plan)
        body = ChunkCode(self._graph, self._lanes, self._plan, self._gather)
        if isinstance(steps, AngleLoop):
            source = f"in{body.inputs[steps.angles[0].value[0]]}" if steps.of_inputs else "work"
            body.tables.append(emit_loop(body.w, self._lanes, steps, f"{name}.places", source, body.slots))
        elif name in self._bodies:
            (node,) = steps
            assert isinstance(node, Node)
            nested, outputs = self._bodies[name], node.value.body.outputs
            constant = any(x.op == "const" for y in outputs for x in y.nodes)
            code = BodyCode(nested.prepare if constant else None, nested.calls)
            LoopWriter(body.w, self._lanes, self._plan.loops[node], code, body.place, self._gather, few).emit()
        else:
            self._emit_straight(body, name, steps)
        return body

    def _emit_straight(self, body: ChunkCode, name: str, steps: Sequence[Step]) -> None:
        """Emit steps; for a single row, the text for blocks is converted if only types differ."""
        key = name.removesuffix(self._lanes.suffix)
        if self._lanes.width == 1 and key in self._plan.printed:
            lanes, lines, declared = self._plan.printed[key]
            body.w.lines.append(lanes.as_row(lines))
            body.w.declared |= set(map(lanes.as_row, declared))
            return
        copies: dict[tuple[int | None, int, int], list[Store]] = {}
        for step in steps:
            if isinstance(step, Store) and step.numbers > 1:
                copies.setdefault((step.output, step.numbers, step.stride), []).append(step)
            else:
                body.emit(step)
        for k, alike_copies in enumerate(copies.values()):
            body.copy_results(f"{name}.copies{k}", alike_copies)
        alike = [step.op in ALIKE if isinstance(step, Node) else step.numbers == 1 for step in steps]
        if self._lanes.width > 1 and all(alike):
            self._plan.printed[key] = self._lanes, "\n".join(body.w.lines), body.w.declared


def _constants(graph: Graph, lanes: Lanes) -> ChunkCode:
    """The body of a function that stores all constants among the outputs."""
    body = ChunkCode(graph, lanes)
    for k, output in enumerate(graph.outputs):
        # results such as Jacobians contain mostly zeros: clear the array, then store the nonzero constants
        if output.zeros:
            body.w.clear(f"%out{k}", output.size * lanes.bytes)
        constants = {node for node in {*output.nodes} if node.op == "const" and str(node.value) != "0.0"}
        for place, node in enumerate(output.nodes) if constants else ():
            if node in constants:
                body.emit(Store(node, k, place))
    return body


def _loop_over(name: str, form: EntryForm, graph: Graph, lanes: Lanes, plan: CallPlan) -> ChunkCode:
    """The body of a function that computes all entries of a form, each from operands in the entry's row of a table."""
    body = ChunkCode(graph, lanes, replace(plan, slots={}))
    first = form[0]
    # there are two tables: indices of values and results in arrays, and constants
    constant = [node.op == "const" for node in first.values]
    numbers = [[x.value for x in entry.values if x.op == "const"] for entry in form]
    places = [
        [plan.slots[x] if x in plan.slots else x.value[1] for x in entry.values if x.op != "const"]
        + [place for _, place in entry.places]
        for entry in form
    ]
    real = "<f8" if lanes.bits == 64 else "<f4"
    body.tables = [table_text(f"{name}.places", places, "<i4"), table_text(f"{name}.numbers", numbers, real)]
    w = body.w
    with w.counted(str(len(form))) as entry:
        rows = {"places": 4 * len(places[0]), "numbers": lanes.element_bytes * len(numbers[0])}
        at = {table: w.at(f"@{name}.{table}", w.mul(entry, size)) for table, size in rows.items()}
        # the columns of a table row are read in the order in which the code above writes the columns
        taken = {"places": 0, "numbers": 0}

        def following(table: str, kind: str) -> str:
            taken[table] += 1
            return w.item(kind, at[table], taken[table] - 1)

        def pointer(array: str) -> str:
            place = w.let(f"zext i32 {following('places', 'i32')} to i64")
            return w.at(f"%{array}", w.mul(place, lanes.bytes))

        for node, is_constant in zip(first.values, constant, strict=True):
            if is_constant:
                body.at_hand[node] = lanes.spread(w, following("numbers", lanes.scalar))
            else:
                array = f"in{body.inputs[node.value[0]]}" if node.op == "input" else "work"
                body.at_hand[node] = w.let(f"load {lanes.real}, ptr {pointer(array)}, align {lanes.bytes}")
        # nodes are listed starting at the result; reversing the list puts arguments first
        for node in reversed(first.nodes):
            body.emit(node)
        value = body.at_hand[first.nodes[0]]
        for output, _ in first.places:
            w.do(f"store {lanes.real} {value}, ptr {pointer(f'out{output}')}, align {lanes.bytes}")
    return body


def _gather_function(name: str, lanes: Lanes) -> str:
    """A function that copies numbers of all lanes, which are `stride` bytes apart, to adjacent places."""
    w = IRWriter()
    with w.counted("%count") as k:
        copy(w, lanes, w.at("%target", w.mul(k, lanes.bytes)), w.at("%source", w.mul(k, "%stride")), 1)
    w.do("ret void")
    arguments = "ptr noalias nocapture %target, ptr noalias nocapture %source, i64 %count, i64 %stride"
    return w.define(f"internal void @{name}({arguments}) noinline")
