"""A loop over time in machine code.

Rows are independent. A block of them stays in lanes from one instant to the next, while its states and results are
written to memory. `march` takes a table of words, `WORDS`, and after them for each array its address and its strides:
of instants, of rows and of its core axes. States are read at the first instant, and written at all later ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.instant import GROUP, WORDS, Instant
from revolute.targets.llvm.kernel import CHUNK, PrintedCode
from revolute.targets.llvm.lanes import STACK, Lanes, LaneWriter
from revolute.targets.llvm.layout import mover
from revolute.targets.llvm.parts import modules
from revolute.targets.llvm.recurrence import Recurrence
from revolute.targets.llvm.stage import copier

__all__ = ["recurrence_parts"]


def recurrence_parts(
    loop: Recurrence, lanes: Lanes, chunk: int = CHUNK, most: int | None = None
) -> Iterator[CompiledPart]:
    """The LLVM IR of a module with `void march(ptr words, i64 begin, i64 end)`, of so many times GROUP blocks of rows.

    It computes `lanes.width` rows at once. In a single row, the loops of a body have numbers side by side.
    """
    module = _Module(loop, lanes, chunk)
    rows_of_matrices = lanes.width == 1 and any(node.op == "loop" for node in loop.body.nodes)
    return modules([module.function], module.text, most, rows_of_matrices)


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
        declared = {line for text in texts for line in text.declarations} | {
            "declare ptr @malloc(i64)",
            "declare void @free(ptr)",
            "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        }
        return "\n".join([
            *sorted(declared),
            *(text.definitions for text in texts),
            *movers.values(),
            *([copier(), self.flush()] if self.stages else []),
            self.instant(),
            self.march(),
            '!0 = !{!"branch_weights", i32 1, i32 100000}',
            "!1 = !{i32 1}",
            "",
        ])

    def march(self) -> str:
        """`void march(words, begin, end)`: groups of blocks, one after the other, each from its first instant on."""
        w, width = LaneWriter(), self.lanes.width
        rows, start, first, end = (self.word(w, name) for name in ("rows", "start", "first", "end"))
        reached = w.let(f"getelementptr i64, ptr %words, i64 {WORDS.index('reached')}")
        memory, heap = self.memory(w, reached)
        # constant results are stored once, in both buffers of a state
        for member in range(self.group):
            first_buffer = w.let(f"getelementptr i8, ptr {memory}, i64 {member * self.size}")
            for odd in ("0", "1"):
                buffers = self.buffers(w, first_buffer, odd)
                self.call(w, self.function.prepare, buffers)
        # blocks from begin to stop; the last block may overlap the one before it
        blocks = w.let(f"udiv i64 {w.let(f'add i64 {rows}, {width - 1}')}, {width}")
        last_row = w.let(f"sub i64 {rows}, {width}")
        begin, stop = (w.let(f"add i64 {start}, {w.let(f'mul i64 {x}, {GROUP}')}") for x in ("%begin", "%end"))
        stop = _least(w, stop, blocks)
        w.do("br label %blocks.enter")
        w.label("blocks.enter")
        w.do("br label %blocks")
        w.label("blocks")
        w.do(f"%b = phi i64 [ {begin}, %blocks.enter ], [ %b.next, %instants.done ]")
        w.do(f"br i1 {w.let(f'icmp ult i64 %b, {stop}')}, label %group, label %done")
        w.label("group")
        members = _least(w, w.let(f"sub i64 {stop}, %b"), str(self.group))
        group_row = _least(w, w.let(f"mul i64 %b, {width}"), last_row)
        group_end = _least(w, w.let(f"mul i64 {w.let(f'add i64 %b, {members}')}, {width}"), rows)
        group_rows = w.let(f"sub i64 {group_end}, {group_row}")
        w.do("br label %instants")
        # as long as all states so far are finite, of all rows: other threads may have found one that is not
        w.label("instants")
        w.do(f"%k = phi i64 [ {first}, %group ], [ %k.next, %instants.next ]")
        known = w.let(f"load atomic i64, ptr {reached} monotonic, align 8")
        limit = w.let(f"select i1 {w.let(f'icmp slt i64 {known}, {end}')}, i64 {known}, i64 {end}")
        w.do("%k.next = add i64 %k, 1")
        w.do(f"br i1 {w.let(f'icmp slt i64 %k, {limit}')}, label %members, label %instants.done")
        w.label("members")
        with w.counted(members) as g:
            row = _least(w, w.let(f"mul i64 {w.let(f'add i64 %b, {g}')}, {width}"), last_row)
            block = w.let(f"getelementptr i8, ptr {memory}, i64 {w.let(f'mul i64 {g}, {self.size}')}")
            in_group = w.let(f"sub i64 {row}, {group_row}")
            place = f"i64 {row}, i64 %k, ptr {block}, ptr {memory}, i64 {in_group}"
            with w.when(f"icmp eq i1 {w.let(f'call i1 @instant(ptr %words, {place})')}, false"):  # not finite
                w.do(f"atomicrmw min ptr {reached}, i64 %k.next monotonic")
        if self.stages:
            with w.when(f"icmp ne i64 {self.word(w, 'past')}, 0"):
                w.do(f"call void @flush(ptr %words, i64 {group_row}, i64 {group_rows}, i64 %k, ptr {memory})")
        w.do("br label %instants.next")
        w.label("instants.next")
        w.do("br label %instants")
        w.label("instants.done")
        w.do(f"%b.next = add i64 %b, {self.group}")
        w.do("br label %blocks")
        w.label("done")
        if self.stages:  # other threads see ordinary stores in order, but not these
            w.do("fence seq_cst")
        if heap:
            w.do(f"call void @free(ptr {heap})")
        w.do("ret void")
        return "\n".join(["define void @march(ptr %words, i64 %begin, i64 %end) nounwind {", "entry:", *w.lines, "}"])

    def memory(self, w: LaneWriter, reached: str) -> tuple[str, str | None]:
        """Memory of a group of blocks, and the heap block that holds it if it is too large for the stack."""
        if self.total <= STACK:
            return w.let(f"alloca [{self.total} x i8], align 64"), None
        heap = w.let(f"call ptr @malloc(i64 {self.total + 64})")
        w.do(f"br i1 {w.let(f'icmp eq ptr {heap}, null')}, label %lost, label %found")
        w.label("lost")
        w.do(f"atomicrmw min ptr {reached}, i64 -1 monotonic")
        w.do("ret void")
        w.label("found")
        above = w.let(f"getelementptr i8, ptr {heap}, i64 63")
        return w.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 -64)"), heap


def _least(w: LaneWriter, a: str, b: str) -> str:
    """The smaller of two numbers."""
    return w.let(f"select i1 {w.let(f'icmp ult i64 {a}, {b}')}, i64 {a}, i64 {b}")
