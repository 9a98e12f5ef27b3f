"""A graph as an LLVM module with two entry points.

`loop` is the inner loop of a NumPy generalised ufunc: blocks of rows in vector lanes, the
rest row by row. `fast` is a Python function in machine code for small calls: see `fast.py`.
"""

from __future__ import annotations

from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.fast import CONTEXT, fast_function, straight_function
from revolute.targets.llvm.kernel import CHUNK, Function, emit
from revolute.targets.llvm.lanes import STACK, Lanes, Writer
from revolute.targets.llvm.layout import mover

__all__ = ["module_text"]

AHEAD = 1536
"""Bytes from a block to the memory prefetched while it is computed: memory latency is some 100 ns."""

LONG = 20_000
"""Graphs with more nodes have no code for single rows, which takes as long to compile as that for blocks.
A single row is then a block with the same row in all lanes."""

LARGE = 1 << 13
"""Bytes; larger blocks are not prefetched, as they would evict data in use from the cache."""


def module_text(graph: Graph, lanes: Lanes, chunk: int = CHUNK) -> str:
    """The module's LLVM IR.

    Args:
        graph: a function with at least one output array.
        lanes: rows at once in `loop`.
        chunk: operations a function.
    """
    row = Lanes(1, lanes.bits, lanes.fma)
    arrays: tuple[Input | Output, ...] = (*graph.inputs, *graph.outputs)
    kinds = {lanes} if len(graph.nodes) > LONG else {row, lanes}
    functions = {kind: emit(graph, kind, chunk) for kind in kinds}
    by_row = (row, functions[row]) if row in kinds else (lanes, functions[lanes])
    movers: dict[str, str] = {}
    for k, array in enumerate(arrays):
        for kind in kinds:
            name = _mover_name(k, array, kind)
            if name not in movers:
                unpack = isinstance(array, Output)
                movers[name] = mover(name, array.shape, kind, unpack=unpack, zeros=_zeros(array))
    declared = sorted({line for function in functions.values() for line in function.declarations})
    return "\n".join([
        *declared,
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        "declare i32 @PyGILState_Ensure()",
        "declare void @PyGILState_Release(i32)",
        "declare ptr @PyErr_NoMemory()",
        f"@context = global [{len(CONTEXT)} x ptr] zeroinitializer",
        *(functions[kind].text for kind in sorted(kinds, key=lambda kind: kind.width)),
        *(text for _, text in sorted(movers.items())),
        _loop(arrays, {lanes.width: (lanes, functions[lanes]), 1: by_row}, lanes.width),
        fast_function(graph, row, functions.get(row)),
        straight_function(),
        '!0 = !{!"branch_weights", i32 1, i32 100000}',
        "",
    ])


def _mover_name(k: int, array: Input | Output, lanes: Lanes) -> str:
    """Arrays of one shape share a function, except results with components that are always zero."""
    number = f"{k}." if _zeros(array) else ""
    direction = "unpack" if isinstance(array, Output) else "pack"
    return f"{direction}.{number}{'x'.join(map(str, array.shape)) or 'one'}.{lanes.suffix}"


def _zeros(array: Input | Output) -> frozenset[int]:
    """Components of a result that are zero for all inputs."""
    return array.zeros if isinstance(array, Output) else frozenset()


def _loop(arrays: tuple[Input | Output, ...], functions: dict[int, tuple[Lanes, Function]], width: int) -> str:
    """The function `loop`: functions[n] is applied to blocks of n rows, for the largest n first."""
    w = Writer()
    # NumPy's tables: number of rows, data pointers, strides of the batch axis, strides of the core axes
    rows = w.let("load i64, ptr %dims")
    bases = [w.item("ptr", "%args", k) for k in range(len(arrays))]
    steps = [w.item("i64", "%steps", k) for k in range(len(arrays))]
    strides, position = [], len(arrays)
    for array in arrays:
        strides.append([w.item("i64", "%steps", position + k) for k in range(len(array.shape))])
        position += len(array.shape)
    wide, _ = functions[width]
    workspace = max(function.workspace for _, function in functions.values())
    scratch, heap = _scratch(w, [*(array.size * wide.bytes for array in arrays), workspace])
    scratch_arguments = ", ".join(f"ptr {s}" for s in scratch)
    start = "0"
    for size in sorted(functions, reverse=True):
        lanes, function = functions[size]
        label = f"by{size}"
        # store the constant results once
        end = w.let(f"sub i64 {rows}, {size - 1}")
        w.do(f"br label %{label}.enter")
        w.label(f"{label}.enter")
        w.do(f"call void @{function.prepare}({scratch_arguments})")
        w.do(f"br label %{label}.test")
        # for each block of `size` rows: %by8 is its first row
        w.label(f"{label}.test")
        w.do(f"%{label} = phi i64 [ {start}, %{label}.enter ], [ %{label}.next, %{label}.body ]")
        fits = w.let(f"icmp slt i64 %{label}, {end}")
        w.do(f"br i1 {fits}, label %{label}.body, label %{label}.done")
        # find the block in every array, and prefetch a later one
        w.label(f"{label}.body")
        moves = []
        for k, array in enumerate(arrays):
            block = w.let(f"getelementptr i8, ptr {bases[k]}, i64 {w.let(f'mul i64 %{label}, {steps[k]}')}")
            unpack = isinstance(array, Output)
            if size > 1:
                _prefetch(w, block, array.size * lanes.bytes, write=unpack)
            step = steps[k] if lanes.width == size else "0"
            values = [f"ptr {block}", f"i64 {step}", *(f"i64 {s}" for s in strides[k]), f"ptr {scratch[k]}"]
            moves.append((unpack, f"call void @{_mover_name(k, array, lanes)}({', '.join(values)})"))
        # pack the inputs, evaluate, unpack the outputs
        for unpack, call in moves:
            if not unpack:
                w.do(call)
        for name in function.calls:
            w.do(f"call void @{name}({scratch_arguments})")
        for unpack, call in moves:
            if unpack:
                w.do(call)
        w.do(f"%{label}.next = add i64 %{label}, {size}")
        w.do(f"br label %{label}.test")
        w.label(f"{label}.done")
        start = f"%{label}"
    if heap:
        w.do(f"call void @free(ptr {heap})")
    w.do("ret void")
    return "\n".join([
        "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind {", "entry:", *w.lines, "}"
    ])


def _scratch(w: Writer, sizes: list[int]) -> tuple[list[str], str | None]:
    """Aligned memory of these sizes; and the heap block that holds it, if it is too large for the stack."""
    padded = [-(-size // 64) * 64 for size in sizes]
    if sum(padded) <= STACK:
        return [w.let(f"alloca [{max(size, 1)} x i8], align 64") for size in padded], None
    block = w.let(f"call ptr @malloc(i64 {sum(padded) + 64})")
    allocated, out_of_memory = w.name("found"), w.name("lost")
    w.do(f"br i1 {w.let(f'icmp ne ptr {block}, null')}, label %{allocated}, label %{out_of_memory}")
    # raise MemoryError; the caller may not hold Python's lock
    w.label(out_of_memory)
    state = w.let("call i32 @PyGILState_Ensure()")
    w.let("call ptr @PyErr_NoMemory()")
    w.do(f"call void @PyGILState_Release(i32 {state})")
    w.do("ret void")
    # round the address up to a multiple of 64
    w.label(allocated)
    above = w.let(f"getelementptr i8, ptr {block}, i64 63")
    aligned = w.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 -64)")
    offsets = [sum(padded[:k]) for k in range(len(padded))]
    return [w.let(f"getelementptr i8, ptr {aligned}, i64 {offset}") for offset in offsets], block


def _prefetch(w: Writer, block: str, size: int, *, write: bool) -> None:
    """Prefetch the memory of a later block: the hardware's own prefetching ends at a page."""
    if size > LARGE:
        return
    ahead = max(size, AHEAD)
    for offset in range(ahead, ahead + size, 64):
        address = w.let(f"getelementptr i8, ptr {block}, i64 {offset}")
        w.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 {int(write)}, i32 3, i32 1)")
