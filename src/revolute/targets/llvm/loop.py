"""`loop`, the inner loop of a NumPy generalised ufunc: it evaluates blocks of rows in lanes, the rest row by row.

Blocks of long functions go through the calls together, in groups: see `group.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from revolute.graph.graph import Input, Output
from revolute.targets.llvm import group
from revolute.targets.llvm.direct import goes_straight
from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.layout import is_contiguous
from revolute.targets.llvm.object_files import pointer_to
from revolute.targets.llvm.stage import BYPASS, has_stage
from revolute.targets.llvm.writer import LINE, IRWriter, whole_lines

# distance from a block to the memory prefetched while it is computed [bytes]: memory latency is about 100 ns
AHEAD = 1536

# block size above which blocks are not prefetched [bytes], because this would evict data in use from the cache
LARGE = 1 << 13
UNROLLED = 16  # number of cache lines above which a loop prefetches them: code takes longer to compile
Array = Input | Output


def mover_name(k: int, array: Array, lanes: Lanes) -> str:
    """Name of an array's mover; arrays of one shape share it, except results with components that are always zero."""
    number = f"{k}." if isinstance(array, Output) and array.zeros else ""
    direction = "unpack" if isinstance(array, Output) else "pack"
    return f"{direction}.{number}{'x'.join(map(str, array.shape)) or 'one'}.{lanes.suffix}"


@dataclass
class LoopFunction:
    """Writes the function `loop`. The calls in `elsewhere` are in other modules.

    functions[n] computes blocks of n rows, `width` rows first. `cache` is the size of a core's L2 cache [bytes].
    """

    arrays: tuple[Array, ...]
    functions: dict[int, tuple[Lanes, GraphFunction]]
    width: int
    cache: int
    elsewhere: frozenset[str]

    def text(self) -> str:
        """The LLVM IR of the function."""
        w, arrays = IRWriter(), self.arrays
        self.w = w
        self.wide = self.functions[self.width][0]
        self.staged = [k for k, x in enumerate(arrays) if isinstance(x, Output) and has_stage(x, self.wide)]
        self.read_tables()
        # size of a block's arrays in lanes and of the workspace [bytes]; `group` is the number of blocks in a group
        workspace = max(function.workspace for _, function in self.functions.values())
        sizes = [whole_lines(size) for size in (*(array.size * self.wide.bytes for array in arrays), workspace)]
        self.member = sum(sizes)
        self.group = group.blocks_in_group(self.functions[self.width][1], self.member, self.cache)
        first, heap = w.memory(self.member * self.group, self.out_of_memory, STACK if self.group == 1 else 0)
        self.scratch = [w.at(first, sum(sizes[:k])) for k in range(len(sizes))]
        self.stages, stage_heap = self.new_stages() if self.staged else ({}, "null")
        # evaluate blocks of many rows first, then the remaining single rows
        self.row = w.variable("i64", "0")
        for size in sorted(self.functions, reverse=True):
            self.blocks(size)
        for block in (heap, stage_heap):
            w.free(block)
        w.do("ret void")
        several = [self.members_function()] if self.group > 1 else []
        return "\n".join([*several, w.define("void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data)")])

    def out_of_memory(self) -> None:
        """Store 1 at `data`; if `data` is null, acquire the GIL, which the caller may lack, and raise MemoryError."""
        w = self.w

        def raise_error() -> None:
            state = w.let("call i32 @PyGILState_Ensure()")
            w.let("call ptr @PyErr_NoMemory()")
            w.do(f"call void @PyGILState_Release(i32 {state})")

        w.choose(w.test("ne", "%data", "null", "ptr"), lambda: w.put("i32", "1", "%data"), raise_error)
        w.do("ret void")

    def read_tables(self) -> None:
        """Read NumPy's tables: number of rows, data pointers, strides of the batch axis, strides of the core axes."""
        w, arrays = self.w, self.arrays
        self.rows = w.let("load i64, ptr %dims")
        self.bases = [w.item("ptr", "%args", k) for k in range(len(arrays))]
        self.steps = [w.item("i64", "%steps", k) for k in range(len(arrays))]
        self.strides: list[list[str]] = []
        position = len(arrays)
        for array in arrays:
            self.strides.append([w.item("i64", "%steps", position + k) for k in range(len(array.shape))])
            position += len(array.shape)

    def row_bytes(self, k: int) -> int:
        """Size of a row of array k, without gaps [bytes]."""
        return self.arrays[k].size * self.wide.element_bytes

    def new_stages(self) -> tuple[dict[int, str], str]:
        """Memory for a block of each staged result, and the heap block that holds it: null if it is not used."""
        w, size = self.w, self.wide.element_bytes
        # results bypass the cache if they are large and contiguous
        total = w.mul(w.get("i64", "%dims"), sum(map(self.row_bytes, self.staged)))
        of_use = w.test("uge", total, BYPASS)
        for k in self.staged:
            adjacent = w.test("eq", self.steps[k], self.row_bytes(k))
            plain = is_contiguous(w, self.arrays[k].shape, self.strides[k], size)
            of_use = w.is_all(of_use, adjacent, plain)
        # in this case, allocate memory from the heap; if this fails, `loop` uses no stages
        heap = w.variable("ptr", "null")
        sizes = [whole_lines(self.row_bytes(k) * self.wide.width) for k in self.staged]
        with w.when(of_use):
            w.put("ptr", w.let(f"call ptr @malloc(i64 {sum(sizes) + LINE})"), heap)
        block = w.get("ptr", heap)
        self.past = w.test("ne", block, "null", "ptr")
        first = w.aligned(block)
        return {k: w.at(first, sum(sizes[:n])) for n, k in enumerate(self.staged)}, block

    def blocks(self, size: int) -> None:
        """Emit the loop over blocks of `size` rows, from the first remaining row on."""
        w = self.w
        lanes, function = self.functions[size]
        stages = self.stages if size == self.width else {}
        scratch = ", ".join(f"ptr {s}" for s in self.scratch)
        grouped = size == self.width and self.group > 1

        def call(name: str, members: str, following: str) -> None:
            several = f"@members(ptr {self.code(name)}, ptr {self.code(following)}, i64 {members}, "
            w.do(f"call void {several if grouped else f'@{name}('}{scratch})")

        # store constant results once; constant results in stages are never overwritten
        call(function.prepare, self.members(self.rows, size) if grouped else "1", function.calls[0])
        if stages:
            with w.when(self.past):
                for k in self.staged:
                    self.move_one(k, lanes, self.stages[k], self.steps[k], self.scratch[k])
        # for each block of `size` rows, or for each group of blocks
        with w.loop_while(lambda: w.test("sle", w.add(w.get("i64", self.row), size), self.rows)):
            row = w.get("i64", self.row)
            members = self.members(w.sub(self.rows, row), size) if grouped else "1"
            # locate each block in every array, prefetch later blocks, and pack the inputs into lanes
            with self.each(members, row, size) as (found, own):
                if size > 1:
                    self.prefetch(found)
                self.move(lanes, size, found, own, Input)
            # evaluate the graph for the group of blocks
            for name, following in zip(function.calls, (*function.calls[1:], function.calls[0]), strict=True):
                call(name, members, following)
            # unpack the outputs of the block
            with self.each(members, row, size) as (found, own):
                unpack = partial(self.move, lanes, size, found, own, Output)
                if stages:
                    w.choose(self.past, partial(self.move_past_the_cache, lanes, found, own), unpack)
                else:
                    unpack()
            w.put("i64", w.add(row, w.mul(members, size)), self.row)
        if stages:  # stores that bypass the cache are visible in order only after a fence
            w.do("fence seq_cst")

    def members_function(self) -> str:
        """The function that calls code for the blocks of a group, and prefetches the next call's code."""
        _, function = self.functions[self.width]
        share = 0
        if group.beyond_second_cache(function, self.member, self.cache):
            # each block of a group prefetches a part of the code of the longest call
            share = whole_lines(group.STEP * max(function.lengths) // self.group)
        return group.members_function(function.parameters, self.member, share)

    def code(self, name: str) -> str:
        """Address of a call's code."""
        return self.w.let(f"load ptr, ptr @{pointer_to(name)}") if name in self.elsewhere else f"@{name}"

    def members(self, rows: str, size: int) -> str:
        """Number of blocks in the next group, if `rows` rows remain."""
        return group.next_group(self.w, self.w.div(rows, size), self.group)

    @contextmanager
    def each(self, members: str, first: str, size: int) -> Iterator[tuple[list[str], list[str]]]:
        """Emit code of a `with` statement for each block of a group; yields its places in the arrays and in memory."""
        w = self.w
        if members == "1":
            yield self.found(first), self.scratch
            return
        with w.counted(members) as m:
            row = w.add(first, w.mul(m, size))
            offset = w.mul(m, self.member)
            yield self.found(row), [w.at(x, offset) for x in self.scratch]

    def found(self, row: str) -> list[str]:
        """Pointers to a row of every array."""
        w = self.w
        return [w.at(base, w.mul(row, step)) for base, step in zip(self.bases, self.steps, strict=True)]

    def move(
        self, lanes: Lanes, size: int, found: list[str], own: list[str], kind: type[Array], skip: tuple[int, ...] = ()
    ) -> None:
        """Move blocks of all inputs, or of all outputs, except the arrays `skip`."""
        for k, array in enumerate(self.arrays):
            if isinstance(array, kind) and k not in skip:
                # a stride of zero reads a single row into all lanes and writes all lanes to this row
                step = self.steps[k] if lanes.width == size else "0"
                move = partial(self.move_one, k, lanes, found[k], step, own[k])
                if kind is Input and size == self.width and self.group == 1:  # a row of all blocks remains in the lanes
                    first = self.w.test("eq", self.w.get("i64", self.row), 0)
                    with self.w.when(self.w.is_any(first, self.w.test("ne", step, 0))):
                        move()
                else:
                    move()

    def move_one(self, k: int, lanes: Lanes, rows: str, step: str, own: str) -> None:
        """Call the mover of array k, for the memory of a block."""
        values = [f"ptr {rows}", f"i64 {step}", *(f"i64 {s}" for s in self.strides[k]), f"ptr {own}"]
        self.w.do(f"call void @{mover_name(k, self.arrays[k], lanes)}({', '.join(values)})")

    def move_past_the_cache(self, lanes: Lanes, found: list[str], own: list[str]) -> None:
        """Move blocks of the staged results to their stages and from there to memory, and all others as usual."""
        for k in self.staged:
            array = self.arrays[k]
            if isinstance(array, Output) and goes_straight(array, lanes):
                self.move_straight(k, lanes, found[k], own[k])
            else:
                self.move_by_stage(k, lanes, found[k], own[k])
        self.move(lanes, self.width, found, own, Output, tuple(self.staged))

    def move_straight(self, k: int, lanes: Lanes, found: str, own: str) -> None:
        """Move a block straight to memory if its place there begins with a line, otherwise via its stage."""
        w = self.w
        within = w.let(f"and i64 {w.let(f'ptrtoint ptr {found} to i64')}, {LINE - 1}")
        straight = f"@direct.{k}(ptr {found}, ptr {own})"
        by_stage = partial(self.move_by_stage, k, lanes, found, own)
        w.choose(w.test("eq", within, 0), lambda: w.do(f"call void {straight}"), by_stage)

    def move_by_stage(self, k: int, lanes: Lanes, found: str, own: str) -> None:
        """Move the components that are not constant to the stage, and the stage to memory."""
        self.w.do(f"call void @refresh.{k}(ptr {self.stages[k]}, ptr {own})")
        self.w.do(f"call void @past(ptr {found}, ptr {self.stages[k]}, i64 {lanes.width * self.row_bytes(k)})")

    def prefetch(self, found: list[str]) -> None:
        """Prefetch the memory of later blocks, except of results that go past the cache."""
        for k, array in enumerate(self.arrays):
            block = found[k]
            if k in self.staged:
                block = self.w.let(f"select i1 {self.past}, ptr {self.stages[k]}, ptr {block}")
            _prefetch(self.w, block, array.size * self.wide.bytes, write=isinstance(array, Output))


def _prefetch(w: IRWriter, block: str, size: int, *, write: bool) -> None:
    """Prefetch the memory of a later block: the hardware's prefetching stops at the end of a page."""
    if size > LARGE:
        return
    first = w.at(block, max(size, AHEAD))

    def line(offset: int | str) -> None:
        w.do(f"call void @llvm.prefetch.p0(ptr {w.at(first, offset)}, i32 {int(write)}, i32 3, i32 1)")

    if size > UNROLLED * LINE:
        with w.counted(str(size), str(LINE)) as offset:
            line(offset)
        return
    for at in range(0, size, LINE):
        line(at)
