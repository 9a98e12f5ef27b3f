"""The LLVM IR of straight-line code: a chunk of a graph's operations, and copies of results."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.graph import Graph, Node, Place
from revolute.graph.ops import COMPARISONS
from revolute.targets.llvm.assembly import Step, Store
from revolute.targets.llvm.entries import table_text
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.loop_node import copy
from revolute.targets.llvm.operations import CELLS, EMITTED
from revolute.targets.llvm.steps import NO_PLAN, CallPlan
from revolute.targets.llvm.trigonometry import sincos
from revolute.targets.llvm.writer import IRWriter

MANY_COPIES = 8  # minimum number of copies of results of loops that a table describes: LLVM takes 1 ms for each in code


class ChunkCode:
    """The lines of one function, and the names of the values that it has loaded or computed."""

    def __init__(self, graph: Graph, lanes: Lanes, plan: CallPlan = NO_PLAN, gather: str = "") -> None:
        self.w = IRWriter()
        self.gather = gather  # the function that copies numbers at equal distances
        self.lanes = lanes
        self.slots = plan.slots
        self.at_hand: dict[Node, str] = {}
        self.inputs = {x.name: k for k, x in enumerate(graph.inputs)}
        self.tables: list[str] = []  # constants of the module that the emitted lines read

    def emit(self, step: Step) -> None:
        """Emit a step."""
        if isinstance(step, Node):
            self._compute(step)
        else:
            self._store(step.node, f"out{step.output}", step.place, step.numbers, step.stride)

    def copy_results(self, table: str, steps: Sequence[Store]) -> None:
        """Copy results of loops to one output: equally many per step, at equal distances. Many steps read a table."""
        if len(steps) < MANY_COPIES:
            for step in steps:
                self.emit(step)
            return
        w, first = self.w, steps[0]
        self.tables.append(table_text(table, [[self.slots[x.node], x.place] for x in steps], "<i4"))
        # for each row of the table: output[row[1]] ... = work[row[0]] ...
        with w.counted(str(len(steps))) as k:
            row = w.at(f"@{table}", w.mul(k, 8))
            source, target = (
                w.at(f"%{array}", w.mul(w.let(f"zext i32 {w.item('i32', row, column)} to i64"), self.lanes.bytes))
                for column, array in enumerate(("work", f"out{first.output}"))
            )
            self._move(target, source, first.numbers, first.stride)

    def place(self, node: Node) -> Place | None:
        """Location of an input, or of a value that another call computes; None for a constant."""
        if node.op == "input":
            return f"in{self.inputs[node.value[0]]}", node.value[1]
        return None if node.op == "const" else ("work", self.slots[node])

    def _compute(self, node: Node) -> None:
        """Emit an operation, and store its value in the workspace if later chunks need it."""
        if node in self.at_hand:  # the sine and the cosine of an angle are computed together
            pass
        elif node.op in ("sin", "cos"):
            self._sine_and_cosine(node)
        else:
            self.at_hand[node] = EMITTED[node.op](self.w, self.lanes, [self._value(arg) for arg in node.args])
        if node in self.slots:
            self._store(node, "work", self.slots[node])

    def _sine_and_cosine(self, node: Node) -> None:
        """Emit both the sine and the cosine, whichever the node is."""
        # sine and cosine use the same reduced angle, and usually both are needed
        s, c = sincos(self.w, self.lanes, self._value(node.args[0]))
        self.at_hand[node] = s if node.op == "sin" else c
        twin = node.builder.make("cos" if node.op == "sin" else "sin", node.args[0])
        self.at_hand.setdefault(twin, c if node.op == "sin" else s)

    def _value(self, node: Node) -> str:
        """The name of a node's value; it is loaded if it comes from an input or an earlier chunk."""
        # a value is loaded once per chunk, at the first use: LLVM then keeps the value in a register or spills it
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
        return self.w.let(f"getelementptr {self.lanes.real}, ptr %{array}, i64 {place}")

    def _load(self, array: str, place: int) -> str:
        return self.w.let(f"load {self.lanes.real}, ptr {self._pointer(array, place)}, align {self.lanes.bytes}")

    def _move(self, target: str, source: str, count: int, stride: int) -> None:
        """Copy `count` numbers, each in all lanes, that are `stride` numbers apart."""
        if stride > 1:
            numbers = f"i64 {count}, i64 {stride * self.lanes.bytes}"
            self.w.do(f"call void @{self.gather}(ptr {target}, ptr {source}, {numbers})")
        else:
            copy(self.w, self.lanes, target, source, count)

    def _store(self, node: Node, array: str, place: int, count: int = 1, stride: int = 1) -> None:
        if count > 1:
            self._move(self._pointer(array, place), self._pointer("work", self.slots[node]), count, stride)
            return
        value = self._value(node)
        self.w.do(f"store {self.lanes.real} {value}, ptr {self._pointer(array, place)}, align {self.lanes.bytes}")
