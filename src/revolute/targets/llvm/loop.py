"""`loop`: the inner loop of a NumPy generalised ufunc. Blocks of rows in vector lanes, the rest row by row.

Blocks of long functions go through the calls together, in groups: see `group.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from revolute.graph.graph import Input, Output
from revolute.targets.llvm.direct import goes_straight
from revolute.targets.llvm.group import (
    STEP,
    beyond_second_cache,
    blocks_in_group,
    members_function,
    next_group,
    whole_lines,
)
from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.lanes import STACK, Lanes
from revolute.targets.llvm.layout import is_contiguous
from revolute.targets.llvm.object_files import pointer_to
from revolute.targets.llvm.stage import BYPASS, LINE, has_stage
from revolute.targets.llvm.writer import IRWriter

__all__ = ["direct_name", "loop_function", "mover_name", "refresher_name", "zeros"]

AHEAD = 1536
"""Bytes from a block to the memory prefetched while it is computed: memory latency is some 100 ns."""

LARGE = 1 << 13
"""Bytes; larger blocks are not prefetched, as they would evict data in use from the cache."""

Array = Input | Output


def loop_function(
    arrays: tuple[Array, ...], functions: dict[int, tuple[Lanes, GraphFunction]], width: int, cache: int,
    elsewhere: frozenset[str] = frozenset(),
) -> str:
    """The function `loop`: functions[n] is applied to blocks of n rows, for the largest n first.

    Args:
        arrays: inputs and results.
        functions: by number of rows.
        width: the largest of these numbers.
        cache: bytes of a core's second cache.
        elsewhere: calls whose code is in other modules.
    """
    return _Loop(IRWriter(), arrays, functions, width, cache, elsewhere).text()


def mover_name(k: int, array: Array, lanes: Lanes) -> str:
    """Arrays of one shape share a function, except results with components that are always zero."""
    number = f"{k}." if zeros(array) else ""
    direction = "unpack" if isinstance(array, Output) else "pack"
    return f"{direction}.{number}{'x'.join(map(str, array.shape)) or 'one'}.{lanes.suffix}"


def refresher_name(k: int) -> str:
    """Of the function that moves array k to its stage."""
    return f"refresh.{k}"


def direct_name(k: int) -> str:
    """Of the function that moves array k straight to memory."""
    return f"direct.{k}"


def zeros(array: Array) -> frozenset[int]:
    """Components of a result that are zero for all inputs."""
    return array.zeros if isinstance(array, Output) else frozenset()


@dataclass
class _Loop:
    """The lines of `loop` while they are written."""

    w: IRWriter
    arrays: tuple[Array, ...]
    functions: dict[int, tuple[Lanes, GraphFunction]]
    width: int
    cache: int
    elsewhere: frozenset[str]

    def text(self) -> str:
        w, arrays = self.w, self.arrays
        self.wide = self.functions[self.width][0]
        self.staged = [k for k, x in enumerate(arrays) if isinstance(x, Output) and has_stage(x, self.wide)]
        self.read_tables()
        workspace = max(function.workspace for _, function in self.functions.values())
        sizes = [whole_lines(size) for size in (*(array.size * self.wide.bytes for array in arrays), workspace)]
        self.member = sum(sizes)
        self.group = blocks_in_group(self.functions[self.width][1], self.member, self.cache)
        self.scratch, heap = _scratch(w, sizes, self.group)
        self.stages, stage_heap = self.new_stages() if self.staged else ({}, None)
        start = "0"
        for size in sorted(self.functions, reverse=True):
            start = self.blocks(size, start)
        for block in filter(None, (heap, stage_heap)):
            w.do(f"call void @free(ptr {block})")
        w.do("ret void")
        head = "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind {"
        several = [self.members_function()] if self.group > 1 else []
        at_once = f"@rows_at_once = global i64 {self.width * self.group}"
        return "\n".join([at_once, *several, head, "entry:", *w.lines, "}"])

    def read_tables(self) -> None:
        """NumPy's tables: number of rows, data pointers, strides of the batch axis, strides of the core axes."""
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
        """Of a row of array k, without gaps."""
        return self.arrays[k].size * self.wide.element_bytes

    def new_stages(self) -> tuple[dict[int, str], str]:
        """Memory for a block of each staged result, and the heap block that holds it: null unless it is of use."""
        w, size = self.w, self.wide.element_bytes
        # results larger than the cache, of adjacent rows? a thread has some of the call's rows
        whole = w.test("eq", "%data", "null", "ptr")
        rows = w.let(f"select i1 {whole}, ptr %dims, ptr {w.let('getelementptr i64, ptr %data, i64 1')}")
        total = w.let(f"mul i64 {w.let(f'load i64, ptr {rows}')}, {sum(map(self.row_bytes, self.staged))}")
        of_use = w.test("uge", total, BYPASS)
        for k in self.staged:
            adjacent = w.test("eq", self.steps[k], self.row_bytes(k))
            plain = is_contiguous(w, self.arrays[k].shape, self.strides[k], size)
            of_use = w.let(f"and i1 {w.let(f'and i1 {of_use}, {adjacent}')}, {plain}")
        # then memory from the heap; without it, `loop` does without stages
        slot = w.let("alloca ptr, align 8")
        w.do(f"store ptr null, ptr {slot}")
        w.branch(of_use, "stages", "ready")
        w.label("stages")
        sizes = [-(-self.row_bytes(k) * self.wide.width // LINE) * LINE for k in self.staged]
        w.do(f"store ptr {w.let(f'call ptr @malloc(i64 {sum(sizes) + LINE})')}, ptr {slot}")
        w.go("ready")
        w.label("ready")
        block = w.let(f"load ptr, ptr {slot}")
        self.past = w.test("ne", block, "null", "ptr")
        places = _aligned(w, block, sizes)
        return dict(zip(self.staged, places, strict=True)), block

    def blocks(self, size: int, start: str) -> str:
        """Emit the loop over blocks of `size` rows from row `start` on; returns the first row that is left."""
        w = self.w
        lanes, function = self.functions[size]
        stages = self.stages if size == self.width else {}
        label, scratch = f"by{size}", ", ".join(f"ptr {s}" for s in self.scratch)
        grouped = size == self.width and self.group > 1

        def call(name: str, members: str, following: str) -> None:
            several = f"@members(ptr {self.code(name)}, ptr {self.code(following)}, i64 {members}, "
            w.do(f"call void {several if grouped else f'@{name}('}{scratch})")

        # store the constant results once
        end = w.sub(self.rows, size - 1)
        w.go(f"{label}.prepare")
        w.label(f"{label}.prepare")
        call(function.prepare, self.members(self.rows, size) if grouped else "1", function.calls[0])
        if stages:
            self.store_constants(lanes)
        w.go(f"{label}.enter")
        w.label(f"{label}.enter")
        w.go(f"{label}.test")
        # for each block of `size` rows, or group of blocks: %by8 is its first row
        w.label(f"{label}.test")
        w.do(f"%{label} = phi i64 [ {start}, %{label}.enter ], [ %{label}.next, %{label}.last ]")
        fits = w.test("slt", f"%{label}", end)
        w.branch(fits, f"{label}.body", f"{label}.done")
        w.label(f"{label}.body")
        members = self.members(w.sub(self.rows, f"%{label}"), size) if grouped else "1"
        # find each block in every array, prefetch later ones, pack the inputs
        with self.each(members, f"%{label}", size) as (found, own):
            if size > 1:
                self.prefetch(found)
            self.move(lanes, size, found, own, Input)
        # evaluate
        for name, following in zip(function.calls, (*function.calls[1:], function.calls[0]), strict=True):
            call(name, members, following)
        # unpack the outputs
        with self.each(members, f"%{label}", size) as (found, own):
            if stages:
                w.branch(self.past, f"{label}.past", f"{label}.unpack")
                w.label(f"{label}.past")
                self.move_past_the_cache(lanes, found, own)
                w.go(f"{label}.moved")
                w.label(f"{label}.unpack")
            self.move(lanes, size, found, own, Output)
            if stages:
                w.go(f"{label}.moved")
                w.label(f"{label}.moved")
        w.go(f"{label}.last")
        w.label(f"{label}.last")
        w.do(f"%{label}.next = add i64 %{label}, {w.mul(members, size)}")
        w.go(f"{label}.test")
        w.label(f"{label}.done")
        if stages:  # other threads see ordinary stores in order, but not these
            w.do("fence seq_cst")
        return f"%{label}"

    def members_function(self) -> str:
        """The function that calls code for the blocks of a group, and prefetches the next call's code."""
        _, function = self.functions[self.width]
        share = 0
        if beyond_second_cache(function, self.member, self.cache):
            share = whole_lines(STEP * max(function.lengths) // self.group)
        return members_function(function.parameters, self.member, share)

    def code(self, name: str) -> str:
        """Address of a call's code."""
        return self.w.let(f"load ptr, ptr @{pointer_to(name)}") if name in self.elsewhere else f"@{name}"

    def members(self, rows: str, size: int) -> str:
        """Blocks of the next group, of which so many rows are left."""
        return next_group(self.w, self.w.div(rows, size), self.group)

    @contextmanager
    def each(self, members: str, first: str, size: int) -> Iterator[tuple[list[str], list[str]]]:
        """Emit what is done for each block of a group: its places in the arrays, and in its own memory."""
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
        return [
            w.at(base, w.mul(row, step))
            for base, step in zip(self.bases, self.steps, strict=True)
        ]

    def move(
        self, lanes: Lanes, size: int, found: list[str], own: list[str], kind: type[Array], skip: tuple[int, ...] = ()
    ) -> None:
        """Move blocks of all inputs, or of all outputs."""
        for k, array in enumerate(self.arrays):
            if isinstance(array, kind) and k not in skip:
                step = self.steps[k] if lanes.width == size else "0"
                self.move_one(k, lanes, found[k], step, own[k])

    def move_one(self, k: int, lanes: Lanes, rows: str, step: str, own: str) -> None:
        """Call the mover of array k, for the memory of a block."""
        values = [f"ptr {rows}", f"i64 {step}", *(f"i64 {s}" for s in self.strides[k]), f"ptr {own}"]
        self.w.do(f"call void @{mover_name(k, self.arrays[k], lanes)}({', '.join(values)})")

    def store_constants(self, lanes: Lanes) -> None:
        """Fill the stages: the constants among the results stay there."""
        w = self.w
        w.branch(self.past, "constants", "constants.done")
        w.label("constants")
        for k in self.staged:
            self.move_one(k, lanes, self.stages[k], self.steps[k], self.scratch[k])
        w.go("constants.done")
        w.label("constants.done")

    def move_past_the_cache(self, lanes: Lanes, found: list[str], own: list[str]) -> None:
        """Move blocks of the staged results to their stages and from there to memory, of all others as usual."""
        for k in self.staged:
            array = self.arrays[k]
            if isinstance(array, Output) and goes_straight(array, lanes):
                self.move_straight(k, lanes, found[k], own[k])
            else:
                self.move_by_stage(k, lanes, found[k], own[k])
        self.move(lanes, self.width, found, own, Output, tuple(self.staged))

    def move_straight(self, k: int, lanes: Lanes, found: str, own: str) -> None:
        """Move a block straight to memory if it begins with a line there, else by its stage."""
        w = self.w
        straight, staged, moved = (w.name(x) for x in ("straight", "staged", "moved"))
        within = w.let(f"and i64 {w.let(f'ptrtoint ptr {found} to i64')}, {LINE - 1}")
        w.branch(w.test("eq", within, 0), straight, staged)
        w.label(straight)
        w.do(f"call void @{direct_name(k)}(ptr {found}, ptr {own})")
        w.go(moved)
        w.label(staged)
        self.move_by_stage(k, lanes, found, own)
        w.go(moved)
        w.label(moved)

    def move_by_stage(self, k: int, lanes: Lanes, found: str, own: str) -> None:
        """Move what is not constant to the stage, and the stage to memory."""
        self.w.do(f"call void @{refresher_name(k)}(ptr {self.stages[k]}, ptr {own})")
        self.w.do(f"call void @past(ptr {found}, ptr {self.stages[k]}, i64 {lanes.width * self.row_bytes(k)})")

    def prefetch(self, found: list[str]) -> None:
        """Prefetch the memory of later blocks, except of results that go past the cache."""
        for k, array in enumerate(self.arrays):
            block = found[k]
            if k in self.staged:
                block = self.w.let(f"select i1 {self.past}, ptr {self.stages[k]}, ptr {block}")
            _prefetch(self.w, block, array.size * self.wide.bytes, write=isinstance(array, Output))


def _scratch(w: IRWriter, sizes: list[int], members: int) -> tuple[list[str], str | None]:
    """Aligned memory of these sizes, of whole lines, for each block of a group: the first one's.

    And the heap block that holds it, if it is too large for the stack.
    """
    if members == 1 and sum(sizes) <= STACK:
        return [w.let(f"alloca [{max(size, 1)} x i8], align {LINE}") for size in sizes], None
    block = w.let(f"call ptr @malloc(i64 {sum(sizes) * members + LINE})")
    allocated, out_of_memory = w.name("found"), w.name("lost")
    w.branch(w.test("ne", block, "null", "ptr"), allocated, out_of_memory)
    # note it where the caller says; if it does not, raise MemoryError: the caller may not hold Python's lock
    w.label(out_of_memory)
    noted, raised = w.name("noted"), w.name("raised")
    w.branch(w.test("ne", "%data", "null", "ptr"), noted, raised)
    w.label(noted)
    w.do("store i32 1, ptr %data")
    w.do("ret void")
    w.label(raised)
    state = w.let("call i32 @PyGILState_Ensure()")
    w.let("call ptr @PyErr_NoMemory()")
    w.do(f"call void @PyGILState_Release(i32 {state})")
    w.do("ret void")
    w.label(allocated)
    return _aligned(w, block, sizes), block


def _aligned(w: IRWriter, block: str, sizes: list[int]) -> list[str]:
    """Memory of these sizes in a block, from its first whole line on; the sizes are those of whole lines."""
    above = w.at(block, LINE - 1)
    first = w.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 {-LINE})")
    return [w.at(first, sum(sizes[:k])) for k in range(len(sizes))]


def _prefetch(w: IRWriter, block: str, size: int, *, write: bool) -> None:
    """Prefetch the memory of a later block: the hardware's own prefetching ends at a page."""
    if size > LARGE:
        return
    ahead = max(size, AHEAD)
    for offset in range(ahead, ahead + size, 64):
        address = w.at(block, offset)
        w.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 {int(write)}, i32 3, i32 1)")
