"""One instant of a loop over time in machine code: see `march.py`.

Records larger than the cache bypass it: the rows of a group of blocks are assembled in a stage, array by array, and
copied from there after the instant. See `stage.py`.
"""

import math

from revolute.targets.llvm.group import blocks_in_group
from revolute.targets.llvm.host import host
from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.recurrence import Recurrence, following
from revolute.targets.llvm.steps import planned
from revolute.targets.llvm.writer import LINE, IRWriter, whole_lines

WORDS = ("rows", "start", "first", "end", "instants", "reached", "past")
"""Number of rows; first block of rows in this call; instants `first` to `end` - 1 of this call; number of instants;
number of instants known to have finite states, or -1 if memory is exhausted; 1 if records bypass the cache, for
contiguous rows only."""

# maximum number of blocks that advance together: the processor overlaps the end of one block with the start of the next
GROUP = 4


class Instant:
    """The functions of a loop over time, and offsets of its buffers and stages in the memory of a group of blocks."""

    def __init__(self, loop: Recurrence, lanes: Lanes, chunk: int) -> None:
        self.loop, self.form, self.lanes = loop, loop.form, lanes
        self.function = GraphFunction(loop.body, lanes, prefix="instant.", plan=planned(loop.body, chunk, fuse=False))
        # layout of a group's memory: the buffers of each block, then the stages of all rows of the group
        self.offsets: dict[str, int] = {}
        self.size = 0
        names = [name for name in loop.shapes if name not in map(following, self.form.states)]
        for name in (*names, "workspace"):
            self.offsets[name] = self.size
            self.size += self.bytes(name) * (2 if name in self.form.states else 1)
        recorded = (*self.form.recorded, *self.form.stores) if lanes.width > 1 else ()
        self.rows = {name: math.prod(loop.shapes[name]) * lanes.element_bytes for name in recorded}
        block = self.size + lanes.width * sum(self.rows.values())
        # blocks of long code go through each call together
        together = blocks_in_group(self.function, self.size, host().second_cache) if lanes.width > 1 else 1
        self.by_calls = together > 1
        self.group = max(together, min(GROUP, STACK // 2 // block)) if lanes.width > 1 else 1
        self.stages: dict[str, int] = {}
        self.total = self.group * self.size
        for name, size in self.rows.items():
            self.stages[name] = self.total
            self.total += whole_lines(size * lanes.width * self.group)
        # each array is described by its address, followed by its strides
        self.words, word = dict[str, int](), len(WORDS)
        for name in loop.form.arrays:
            self.words[name] = word
            word += 3 + len(loop.shapes[name])

    def bytes(self, name: str) -> int:
        """Size of a buffer, in whole cache lines."""
        own = name == "workspace"
        size = self.function.workspace if own else math.prod(self.loop.shapes[name]) * self.lanes.bytes
        return max(whole_lines(size), LINE)

    def mover(self, name: str, unpack: bool) -> str:
        """Name of the function that moves blocks of an array; arrays of one shape share a function."""
        shape = "x".join(map(str, self.loop.shapes[name])) or "one"
        return f"{'unpack' if unpack else 'pack'}.{shape}"

    def instant(self) -> list[str]:
        """Functions that evaluate instant k of a block: `instant`; or, for long code, `load` before the calls of the
        body, and `instant` after them.

        The block begins at row `row`, which is row `member` of its group; the memory of the group begins at `group`.
        `instant` returns whether the next states are finite.
        """
        w, form = IRWriter(), self.form
        parameters = "ptr %words, i64 %row, i64 %k, ptr %memory, ptr %group, i64 %member"
        functions = []
        buffers = self.buffers(w, "%memory", w.let("and i64 %k, 1"))

        def pack_all() -> None:
            for name in (*form.states, *form.loads):
                self.move(w, name, buffers[name], "%k", unpack=False)

        def pack_changing() -> None:
            for name in form.loads:
                with w.when(w.test("ne", self.stride(w, name, 0), 0)):
                    self.move(w, name, buffers[name], "%k", unpack=False)

        # load states and all inputs at the first instant of the call; later, load only inputs that change
        w.choose(w.test("eq", "%k", self.word(w, "first")), pack_all, pack_changing)
        # evaluate the graph and record the results
        if self.by_calls:
            w.do("ret void")
            functions.append(w.define(f"internal void @load({parameters})", "noinline nounwind"))
            w = IRWriter()
            buffers = self.buffers(w, "%memory", w.let("and i64 %k, 1"))
        else:
            for name in self.function.calls:
                self.call(w, name, buffers)
        for name in form.stores:
            self.move(w, name, buffers[name], "%k", unpack=True)
        # record the next states, unless this is the last instant
        following_k = w.add("%k", 1)
        w.require(w.test("ne", following_k, self.word(w, "instants")), "last")
        for name in form.recorded:
            self.move(w, name, buffers[following(name)], following_k, unpack=True)
        self.return_finite(w, [(buffers[following(name)], math.prod(self.loop.shapes[name])) for name in form.states])
        w.label("last")
        w.do("ret i1 true")
        return [*functions, w.define(f"internal i1 @instant({parameters})", "noinline nounwind")]

    def all_calls(self, w: IRWriter, members: str, memory: str, k: str) -> None:
        """Emit each call of the body for all blocks of a group."""
        buffers = self.buffers(w, memory, w.let(f"and i64 {k}, 1"))
        pointers = ", ".join(f"ptr {p}" for p in self.arguments(buffers))
        calls = self.function.calls
        for name, after in zip(calls, (*calls[1:], calls[0]), strict=True):
            w.do(f"call void @members(ptr @{name}, ptr @{after}, i64 {members}, {pointers})")

    def return_finite(self, w: IRWriter, buffers: list[tuple[str, int]]) -> None:
        """Emit a return of whether all numbers are finite: only then all bits of x - x are zero."""
        t, whole = self.lanes.real, self.lanes.integer
        bits = "zeroinitializer" if self.lanes.width > 1 else "0"
        for buffer, size in [x for x in buffers if x[1]]:
            # infinity - infinity and NaN - NaN are NaN: a single test detects such values in a whole block
            # for c in 0 .. size: bits |= x[c] - x[c]
            with w.counted(str(size)) as c:
                before = w.carried(whole, bits)
                at = w.let(f"getelementptr {t}, ptr {buffer}, i64 {c}")
                x = w.let(f"load {t}, ptr {at}, align {self.lanes.bytes}")
                zero = w.let(f"bitcast {t} {w.let(f'fsub {t} {x}, {x}')} to {whole}")
                w.carry(before, w.let(f"or {whole} {before}, {zero}"))
            bits = w.last(before)
        whole_block = f"i{self.lanes.bits * self.lanes.width}"
        together = w.let(f"bitcast {whole} {bits} to {whole_block}")
        w.do(f"ret i1 {w.let(f'icmp eq {whole_block} {together}, 0')}")

    def buffers(self, w: IRWriter, memory: str, odd: str) -> dict[str, str]:
        """Pointers to all buffers; the two buffers of a state are exchanged at every instant."""
        pointers = {}
        for name in self.offsets:
            start = pointers[name] = w.at(memory, self.offsets[name])
            if name in self.form.states:
                there = w.mul(odd, self.bytes(name))
                pointers[name] = w.at(start, there)
                pointers[following(name)] = w.at(start, w.sub(self.bytes(name), there))
        return pointers

    def call(self, w: IRWriter, name: str, buffers: dict[str, str]) -> None:
        """Call a function of the body."""
        w.do(f"call void @{name}({', '.join(f'ptr {p}' for p in self.arguments(buffers))})")

    def arguments(self, buffers: dict[str, str]) -> list[str]:
        """Arguments of a function of the body: pointers to buffers."""
        body = self.loop.body
        names = [*(x.name for x in body.inputs), *(y.name for y in body.outputs), "workspace"]
        return [buffers[name] for name in names]

    def move(self, w: IRWriter, name: str, buffer: str, k: str, *, unpack: bool) -> None:
        """Move a block of an array at instant k to or from its buffer; to its stage if it bypasses the cache."""
        axes, step = len(self.loop.shapes[name]), self.stride(w, name, 1)
        at = self.place(w, name, k, "%row")
        if unpack and name in self.stages:
            staged = w.at("%group", w.add(w.mul("%member", self.rows[name]), self.stages[name]))
            at = w.either(self.past(w), "ptr", staged, at)
        core = [f"i64 {self.stride(w, name, 2 + axis)}" for axis in range(axes)]
        arguments = ", ".join([f"ptr {at}", f"i64 {step}", *core, f"ptr {buffer}"])
        w.do(f"call void @{self.mover(name, unpack)}({arguments})")

    def place(self, w: IRWriter, name: str, k: str, row: str) -> str:
        """Pointer to a row of an array at instant k."""
        at = w.item("ptr", "%words", self.words[name])
        for axis, index in enumerate((k, row)):
            at = w.at(at, w.mul(index, self.stride(w, name, axis)))
        return at

    def past(self, w: IRWriter) -> str:
        """Whether records bypass the cache, as an LLVM truth value."""
        return w.test("ne", self.word(w, "past"), 0)

    def flush(self) -> str:
        """`void flush(words, row, rows, k, group)`: copy instant k of the rows of a group from their stages."""
        w = IRWriter()
        for name in self.form.stores:
            self.copy(w, name, "%k")
        # store the next states, unless this is the last instant
        following_k = w.add("%k", 1)
        with w.when(w.test("ne", following_k, self.word(w, "instants"))):
            for name in self.form.recorded:
                self.copy(w, name, following_k)
        w.do("ret void")
        return w.define("internal void @flush(ptr %words, i64 %row, i64 %rows, i64 %k, ptr %group)")

    def copy(self, w: IRWriter, name: str, k: str) -> None:
        """Copy the stage of an array to the array at instant k."""
        target, size = self.place(w, name, k, "%row"), w.mul("%rows", self.rows[name])
        source = w.at("%group", self.stages[name])
        w.do(f"call void @past(ptr {target}, ptr {source}, i64 {size})")

    def stride(self, w: IRWriter, name: str, axis: int) -> str:
        """A stride of an array: of instants, of rows, or of a core axis."""
        return w.item("i64", "%words", self.words[name] + 1 + axis)

    def word(self, w: IRWriter, name: str) -> str:
        """A word of the table."""
        return w.item("i64", "%words", WORDS.index(name))

