"""A loop over time in machine code.

Rows are independent. A block of them stays in lanes from one instant to the next, while its states and results are
written to memory. `march` takes a table of words, `WORDS`, and after them for each array its address and its strides:
of instants, of rows and of its core axes. States are read at the first instant, and written at all later ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.instant import GROUP, WORDS, Instant
from revolute.targets.llvm.kernel import CHUNK, RARELY, PrintedCode
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.layout import mover
from revolute.targets.llvm.parts import modules
from revolute.targets.llvm.recurrence import Recurrence
from revolute.targets.llvm.stage import copier
from revolute.targets.llvm.writer import USUAL, IRWriter

__all__ = ["recurrence_parts"]


def recurrence_parts(
    loop: Recurrence, lanes: Lanes, chunk: int = CHUNK, most: int | None = None
) -> Iterator[CompiledPart]:
    """The LLVM IR of a module with `void march(ptr words, i64 begin, i64 end)`, of so many times GROUP blocks of rows.

    It computes `lanes.width` rows at once.
    """
    module = _Module(loop, lanes, chunk)
    return modules([module.function], module.text, most)


class _Module(Instant):
    """All functions of a loop."""

    def text(self, texts: Sequence[PrintedCode]) -> str:
        """LLVM IR, with these texts of the body's functions."""
        movers = {}
        for name in self.form.arrays:
            kinds = (False, True) if name in self.form.states else (name in self.form.stores,)
            for unpack in kinds:
                function = self.mover(name, unpack)
                movers[function] = mover(function, self.loop.shapes[name], self.lanes, unpack=unpack)
        return "\n".join([
            *sorted(USUAL.union(*(text.declarations for text in texts))),
            *(text.definitions for text in texts),
            *movers.values(),
            *([copier(), self.flush()] if self.stages else []),
            self.instant(),
            self.march(),
            RARELY,
            "!1 = !{i32 1}",
            "",
        ])

    def march(self) -> str:
        """`void march(words, begin, end)`: groups of blocks, one after the other, each from its first instant on."""
        w, width = IRWriter(), self.lanes.width
        rows, start, first, end = (self.word(w, name) for name in ("rows", "start", "first", "end"))
        reached = w.let(f"getelementptr i64, ptr %words, i64 {WORDS.index('reached')}")
        memory, heap = self.memory(w, reached)
        # constant results are stored once, in both buffers of a state
        for member in range(self.group):
            first_buffer = w.at(memory, member * self.size)
            for odd in ("0", "1"):
                buffers = self.buffers(w, first_buffer, odd)
                self.call(w, self.function.prepare, buffers)
        # blocks from begin to stop; the last block may overlap the one before it
        blocks = w.div(w.add(rows, width - 1), width)
        last_row = w.sub(rows, width)
        begin, stop = (w.add(start, w.mul(x, GROUP)) for x in ("%begin", "%end"))
        stop = w.least(stop, blocks)
        w.go("blocks.enter")
        w.label("blocks.enter")
        w.go("blocks")
        w.label("blocks")
        w.do(f"%b = phi i64 [ {begin}, %blocks.enter ], [ %b.next, %instants.done ]")
        w.branch(w.test("ult", "%b", stop), "group", "done")
        w.label("group")
        members = w.least(w.sub(stop, "%b"), str(self.group))
        group_row = w.least(w.mul("%b", width), last_row)
        group_end = w.least(w.mul(w.add('%b', members), width), rows)
        group_rows = w.sub(group_end, group_row)
        w.go("instants")
        # as long as all states so far are finite, of all rows: other threads may have found one that is not
        w.label("instants")
        w.do(f"%k = phi i64 [ {first}, %group ], [ %k.next, %instants.next ]")
        known = w.let(f"load atomic i64, ptr {reached} monotonic, align 8")
        limit = w.let(f"select i1 {w.test('slt', known, end)}, i64 {known}, i64 {end}")
        w.do("%k.next = add i64 %k, 1")
        w.branch(w.test("slt", "%k", limit), "members", "instants.done")
        w.label("members")
        with w.counted(members) as g:
            row = w.least(w.mul(w.add('%b', g), width), last_row)
            block = w.at(memory, w.mul(g, self.size))
            in_group = w.sub(row, group_row)
            place = f"i64 {row}, i64 %k, ptr {block}, ptr {memory}, i64 {in_group}"
            with w.when(w.is_not(w.let(f"call i1 @instant(ptr %words, {place})"))):  # not finite
                w.do(f"atomicrmw min ptr {reached}, i64 %k.next monotonic")
        if self.stages:
            with w.when(w.test("ne", self.word(w, "past"), 0)):
                w.do(f"call void @flush(ptr %words, i64 {group_row}, i64 {group_rows}, i64 %k, ptr {memory})")
        w.go("instants.next")
        w.label("instants.next")
        w.go("instants")
        w.label("instants.done")
        w.do(f"%b.next = add i64 %b, {self.group}")
        w.go("blocks")
        w.label("done")
        if self.stages:  # other threads see ordinary stores in order, but not these
            w.do("fence seq_cst")
        if heap:
            w.do(f"call void @free(ptr {heap})")
        w.do("ret void")
        return "\n".join(["define void @march(ptr %words, i64 %begin, i64 %end) nounwind {", "entry:", *w.lines, "}"])

    def memory(self, w: IRWriter, reached: str) -> tuple[str, str | None]:
        """Memory of a group of blocks, and the heap block that holds it if it is too large for the stack."""
        if self.total <= STACK:
            return w.let(f"alloca [{self.total} x i8], align 64"), None
        heap = w.let(f"call ptr @malloc(i64 {self.total + 64})")
        w.branch(w.test("eq", heap, "null", "ptr"), "lost", "found")
        w.label("lost")
        w.do(f"atomicrmw min ptr {reached}, i64 -1 monotonic")
        w.do("ret void")
        w.label("found")
        above = w.at(heap, 63)
        return w.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 -64)"), heap
