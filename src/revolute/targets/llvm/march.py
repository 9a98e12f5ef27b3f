"""A loop over time in machine code.

Rows are independent. A block of them stays in lanes from one instant to the next, while its states and results are
written to memory. `march` takes a table: the words `WORDS`, then for each array its address and its strides: of
instants, of rows and of its core axes. States are read at the first instant, and written at all later ones.
"""

from collections.abc import Iterator, Sequence

from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.group import members_function
from revolute.targets.llvm.instant import GROUP, WORDS, Instant
from revolute.targets.llvm.kernel import CHUNK, RARELY, PrintedCode
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.layout import mover
from revolute.targets.llvm.parts import modules
from revolute.targets.llvm.recurrence import Recurrence
from revolute.targets.llvm.stage import copier
from revolute.targets.llvm.writer import USUAL, IRWriter


def recurrence_parts(
    loop: Recurrence, lanes: Lanes, chunk: int = CHUNK, most: int | None = None
) -> Iterator[CompiledPart]:
    """The LLVM IR of a module with `void march(ptr words, i64 begin, i64 end)`; an item has GROUP blocks of rows.

    The code computes `lanes.width` rows at once. For a single row, LLVM vectorizes the loops of the body.
    """
    module = _Module(loop, lanes, chunk)
    rows_of_matrices = lanes.width == 1 and any(node.op == "loop" for node in loop.body.nodes)
    return modules([module.function], module.text, most, int(rows_of_matrices))


class _Module(Instant):
    """The code of all functions of a loop over time."""

    def text(self, texts: Sequence[PrintedCode]) -> str:
        """The LLVM IR of the module; `texts` are the body's functions."""
        movers = {}
        for name in self.form.arrays:
            kinds = (False, name in self.form.recorded) if name in self.form.states else (name in self.form.stores,)
            for unpack in {*kinds}:
                function = self.mover(name, unpack)
                movers[function] = mover(function, self.loop.shapes[name], self.lanes, unpack=unpack)
        return "\n".join([
            *sorted(USUAL.union(*(text.declarations for text in texts))),
            *(text.definitions for text in texts),
            *movers.values(),
            *([copier(), self.flush()] if self.stages else []),
            *([members_function(self.function.parameters, self.size, 0)] if self.by_calls else []),
            *self.instant(),
            self.march(),
            RARELY,
            "!1 = !{i32 1}",
            "",
        ])

    def march(self) -> str:
        """`void march(words, begin, end)`: computes groups of blocks in turn, each over all instants of the call."""
        w, width = IRWriter(), self.lanes.width
        rows, start, first, end = (self.word(w, name) for name in ("rows", "start", "first", "end"))
        reached = w.place("%words", WORDS.index("reached"))

        def lost() -> None:
            w.do(f"atomicrmw min ptr {reached}, i64 -1 monotonic")
            w.do("ret void")

        memory, heap = w.memory(self.total, lost, STACK)
        # constant results are stored once, in both buffers of a state
        for member in range(self.group):
            first_buffer = w.at(memory, member * self.size)
            for odd in ("0", "1"):
                self.call(w, self.function.prepare, self.buffers(w, first_buffer, odd))
        # blocks from `begin` to `stop`; the last block may overlap the preceding block
        # pieces are groups of blocks; the number of blocks per group depends on the loop's memory
        begin, stop = (w.add(start, w.mul(x, GROUP)) for x in ("%begin", "%end"))
        stop, last_row = w.least(stop, w.div_up(rows, width)), w.sub(rows, width)
        next_block, next_instant = w.variable("i64", begin), w.variable("i64")
        with w.loop_while(lambda: w.test("ult", w.get("i64", next_block), stop)):
            b = w.get("i64", next_block)
            members = w.least(w.sub(stop, b), self.group)
            group_row = w.least(w.mul(b, width), last_row)
            group_rows = w.sub(w.least(w.mul(w.add(b, members), width), rows), group_row)
            w.put("i64", first, next_instant)

            def goes_on() -> str:
                """Whether instants remain, and no thread has found a state that is not finite."""
                k, known = w.get("i64", next_instant), w.let(f"load atomic i64, ptr {reached} monotonic, align 8")
                return w.is_all(w.test("slt", k, known), w.test("slt", k, end))

            with w.loop_while(goes_on):
                k = w.get("i64", next_instant)
                following_k = w.add(k, 1)

                def place(g: str, b: str = b, k: str = k, group_row: str = group_row) -> str:
                    """Arguments of `instant` for a block of the group."""
                    row = w.least(w.mul(w.add(b, g), width), last_row)
                    block, in_group = w.at(memory, w.mul(g, self.size)), w.sub(row, group_row)
                    return f"ptr %words, i64 {row}, i64 {k}, ptr {block}, ptr {memory}, i64 {in_group}"

                if self.by_calls:
                    with w.counted(members) as g:
                        w.do(f"call void @load({place(g)})")
                    self.all_calls(w, members, memory, k)
                # where a state is not finite, note the instant
                with w.counted(members) as g, w.when(w.is_not(w.let(f"call i1 @instant({place(g)})"))):
                    w.do(f"atomicrmw min ptr {reached}, i64 {following_k} monotonic")
                if self.stages:
                    with w.when(self.past(w)):
                        w.do(f"call void @flush(ptr %words, i64 {group_row}, i64 {group_rows}, i64 {k}, ptr {memory})")
                w.put("i64", following_k, next_instant)
            w.put("i64", w.add(b, self.group), next_block)
        if self.stages:  # stores that bypass the cache are visible in order only after a fence
            w.do("fence seq_cst")
        w.free(heap)
        w.do("ret void")
        return w.define("void @march(ptr %words, i64 %begin, i64 %end)")
