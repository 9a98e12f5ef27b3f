"""A loop of a graph as LLVM code: see `graph.loop`.

A loop is a separate function, with the parameters of all code of its graph, and calls the code of its body. It uses a
part of the workspace, its region:

    state, next state | given | inputs of all steps | records of all steps | again | workspace of the body

Operands that are already adjacent, such as a whole input array, are read in place. Without a condition, the two states
are swapped at each step. With a condition, a lane's state is constant once its row has ended; the loop ends with the
last lane; a row whose condition is NaN ends, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from revolute.graph.loop import Loop, Place, progressions, runs
from revolute.graph.node import Node
from revolute.targets.llvm.assembly import Step, Store
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.writer import IRWriter

if TYPE_CHECKING:
    from revolute.targets.llvm.steps import CallPlan

COPIED = 8  # minimum number of entries that are copied by memcpy
SEVERAL = 4  # minimum number of operands at equal distances that a loop copies


@dataclass(frozen=True, eq=False)
class LoopPlan:
    """The region of a loop in the workspace of its graph, from the place `first` on, and the plan of its body."""

    node: Node
    body: CallPlan
    first: int

    @property
    def loop(self) -> Loop:
        """The loop."""
        loop: Loop = self.node.value
        return loop

    def place(self, part: str) -> int:
        """The workspace index at which a part begins: see `Loop.places`; at "end", the workspace of the body begins."""
        return self.first + self.loop.places[part]

    @property
    def end(self) -> int:
        """The first index after the region."""
        return self.place("end") + self.body.places

    def operands(self) -> Iterator[tuple[int, Node]]:
        """The workspace index of each operand, and its node."""
        names = ["state", "given", *(f"each{k}" for k in range(len(self.loop.each)))]
        for name, part in zip(names, self.loop.operands, strict=True):
            yield from enumerate(self.node.args[part], self.place(name))

    def entry(self, k: int) -> int:
        """The workspace index of result k."""
        return self.first + self.loop.place(k)


def copy(w: IRWriter, lanes: Lanes, target: str, source: str, count: int) -> None:
    """Copy `count` numbers, each in all lanes, from one address to another."""
    if count > COPIED:
        w.copy(target, source, count * lanes.bytes)
        return
    for k in range(count):
        from_here, to_here = (w.at(x, k * lanes.bytes) for x in (source, target))
        number = w.let(f"load {lanes.real}, ptr {from_here}, align {lanes.bytes}")
        w.do(f"store {lanes.real} {number}, ptr {to_here}, align {lanes.bytes}")


@dataclass(frozen=True)
class BodyCode:
    """Names of the functions of a body: `prepare` stores constant results, if any; `calls` store all others."""

    prepare: str | None
    calls: Sequence[str]


@dataclass(frozen=True)
class LoopWriter:
    """Writes the lines of a loop; arrays are parameters of its function.

    `place_of` returns the location of a node's value in these arrays, or None for a constant. `strided` is the function
    that copies numbers at equal distances. Copies of few operands are added to `few`, unless that is None.
    """

    w: IRWriter
    lanes: Lanes
    plan: LoopPlan
    body: BodyCode
    place_of: Callable[[Node], Place | None]
    strided: str
    few: list[Step] | None

    def emit(self) -> None:
        """Emit the loop."""
        w, loop, plan = self.w, self.plan.loop, self.plan
        # the initial state is copied, because the state changes; other operands may be read in place
        state, given, *each = (plan.node.args[part] for part in loop.operands)
        first = self.gather(state, "state")
        going = "true" if self.lanes.width == 1 else "splat (i1 true)"
        if loop.waits:
            going = self.positive(w.at(first, (loop.state - 1) * self.lanes.bytes))
            w.branch(self.some(going), "some", "done")
            w.label("some")
        same = self.operand(given, "given")
        inputs = [self.operand(x, f"each{k}") for k, x in enumerate(each)]
        second, again, work = (self.pointer("work", plan.place(x)) for x in ("next", "again", "end"))
        records = [self.pointer("work", plan.place(f"record{k}")) for k in range(len(loop.records))]
        w.go("enter")
        w.label("enter")
        w.go("step")
        # for each step %k, %at is the index of inputs and records
        w.label("step")
        w.do("%k = phi i64 [ 0, %enter ], [ %k.next, %last ]")
        old, new = first, second
        # a loop of fixed length swaps the states; in a loop with a condition, lanes have different numbers of steps
        if loop.solution is None:
            old, new = "%old", "%new"
            w.do(f"%old = phi ptr [ {first}, %enter ], [ %new, %last ]")
            w.do(f"%new = phi ptr [ {second}, %enter ], [ %old, %last ]")
        else:
            w.do(f"%going = phi {self.lanes.truth} [ {going}, %enter ], [ %going.next, %last ]")
        at = w.sub(loop.steps - 1, "%k") if loop.backward else "%k"
        # the body's parameters are the inputs, the outputs and the workspace
        pointers = [old, same, *self.rows(inputs, loop.each, at), new, *self.rows(records, loop.records, at)]
        pointers += [again] * (loop.solution is not None) + [work]
        arguments = ", ".join(f"ptr {x}" for x in pointers)
        for name in filter(None, (self.body.prepare, *self.body.calls)):
            w.do(f"call void @{name}({arguments})")
        more = self.more_lanes(old, new, again) if loop.solution is not None else None
        w.go("last")
        # check whether another step follows
        w.label("last")
        w.do("%k.next = add i64 %k, 1")
        more_steps = w.test("ult", "%k.next", loop.steps)
        if more is not None:
            more_steps = w.let(f"and i1 {more_steps}, {more}")
        w.branch(more_steps, "step", "done")
        w.label("done")

    def more_lanes(self, old: str, new: str, again: str) -> str:
        """Move the next state to lanes whose rows have not ended, and return whether some rows still continue."""
        w, lanes, size = self.w, self.lanes, self.plan.loop.state
        # for c in 0 .. size: old[c] = going ? new[c] : old[c]
        with w.counted(str(size)) as c:
            offset = w.mul(c, lanes.bytes)
            pointers = [w.at(x, offset) for x in (old, new)]
            before, after = (w.let(f"load {lanes.real}, ptr {x}, align {lanes.bytes}") for x in pointers)
            kept = w.let(f"select {lanes.truth} %going, {lanes.real} {after}, {lanes.real} {before}")
            w.do(f"store {lanes.real} {kept}, ptr {pointers[0]}, align {lanes.bytes}")
        w.do(f"%going.next = and {lanes.truth} %going, {self.positive(again)}")
        return self.some("%going.next")

    def positive(self, place: str) -> str:
        """Whether the number in each lane is positive, by an ordered comparison: NaN is not positive."""
        w, lanes = self.w, self.lanes
        number = w.let(f"load {lanes.real}, ptr {place}, align {lanes.bytes}")
        return w.let(f"fcmp ogt {lanes.real} {number}, {lanes.const(0.0)}")

    def some(self, truths: str) -> str:
        """Whether any lane's truth value is true."""
        w, lanes = self.w, self.lanes
        if lanes.width == 1:
            return truths
        bits = w.let(f"bitcast {lanes.truth} {truths} to i{lanes.width}")
        return w.let(f"icmp ne i{lanes.width} {bits}, 0")

    def rows(self, arrays: Sequence[str], sizes: Sequence[int], at: str) -> list[str]:
        """Pointers to row `at` of arrays with rows of these sizes."""
        w, number = self.w, self.lanes.bytes
        return [w.at(x, w.mul(at, size * number)) for x, size in zip(arrays, sizes, strict=True)]

    def operand(self, nodes: Sequence[Node], part: str) -> str:
        """A pointer to operands: to their place if they are adjacent in memory, otherwise to a copy in the region."""
        # an operand that is a whole input array or the results of another loop is not copied
        found = list(runs(nodes, self.place_of))
        if len(found) == 1 and found[0][1] is not None:
            return self.pointer(*found[0][1])
        return self.gather(nodes, part)

    def gather(self, nodes: Sequence[Node], part: str) -> str:
        """Copy the values of nodes to a part of the region, except those already there; returns its address."""
        w, lanes, first = self.w, self.lanes, self.plan.place(part)
        places = [*map(self.place_of, nodes)]
        zeros = [place is None and str(node.value) == "0.0" for node, place in zip(nodes, places, strict=True)]
        # values that are adjacent, or at equal distances, are copied together
        cleared = 0
        for at, count, stride in progressions(places, SEVERAL):
            place, to = places[at], self.pointer("work", first + at)
            if zeros[at] and at >= cleared:
                cleared = next((k for k in range(at, len(nodes)) if not zeros[k]), len(nodes))
                w.clear(to, (cleared - at) * lanes.bytes)
            elif self.few is not None and stride == 1 and count <= COPIED and not zeros[at]:
                if place != ("work", first + at):
                    self.few.extend(Store(nodes[k], None, first + k) for k in range(at, at + count))
            elif place is None and not zeros[at]:
                w.do(f"store {lanes.real} {lanes.const(nodes[at].value)}, ptr {to}, align {lanes.bytes}")
            elif place is not None and stride > 1:
                numbers = f"i64 {count}, i64 {stride * lanes.bytes}"
                w.do(f"call void @{self.strided}(ptr {to}, ptr {self.pointer(*place)}, {numbers})")
            elif place is not None and place != ("work", first + at):
                copy(w, lanes, to, self.pointer(*place), count)
        return self.pointer("work", first)

    def pointer(self, array: str, place: int) -> str:
        """A pointer to a place in an array of the function."""
        return self.w.at(f"%{array}", place * self.lanes.bytes)

