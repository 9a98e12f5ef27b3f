"""A graph as an LLVM module with NumPy's two ways in.

`loop` is the inner loop of a generalised ufunc: blocks of rows in vector lanes, the rest
row by row. `fast` is a METH_FASTCALL function for a single row or a small batch of rows: if
every argument is a plain C-ordered array of the right shape it computes at once, else it
calls the Python object that it is bound to.
"""

from __future__ import annotations

import math

from revolute.graph.count import count
from revolute.graph.graph import Graph, Input, Output
from revolute.targets.llvm.kernel import CHUNK, Function, emit
from revolute.targets.llvm.lanes import Lanes, Writer
from revolute.targets.llvm.layout import mover

__all__ = ["CONTEXT", "module_text"]

CONTEXT = ("ndarray type", "descriptor", "PyArray_New", "PyObject_Vectorcall")
"""What the process writes into the module's table `context` after loading it."""

_C_CONTIGUOUS_AND_ALIGNED = 0x1 | 0x100
_TYPE_NUMBER = {64: 12, 32: 11}  # NPY_DOUBLE, NPY_FLOAT
_TYPE, _DATA, _NDIM, _DIMENSIONS, _DESCRIPTOR, _FLAGS = 8, 16, 24, 32, 56, 64  # offsets in PyArrayObject

AHEAD = 1536
"""Bytes from a row to the rows fetched while it is computed: memory answers after some 100 ns."""

WORTH_A_DETOUR = 1 << 20
"""Operations of a batch, about 50 us, from which the call gives up Python's lock and may use threads."""


def module_text(graph: Graph, lanes: Lanes, chunk: int = CHUNK) -> str:
    """The module's LLVM IR.

    Args:
        graph: a function with exactly one output array.
        lanes: rows at once in `loop`.
        chunk: operations a function.
    """
    row = Lanes(1, lanes.bits, lanes.fma)
    arrays: tuple[Input | Output, ...] = (*graph.inputs, *graph.outputs)
    kinds = {row, lanes}
    functions = {kind: emit(graph, kind, chunk) for kind in kinds}
    movers = {
        _mover_name(array.shape, kind, isinstance(array, Output)): (array.shape, kind, isinstance(array, Output))
        for array in arrays
        for kind in kinds
    }
    declared = sorted({line for function in functions.values() for line in function.declarations})
    return "\n".join([
        *declared,
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
        f"@context = global [{len(CONTEXT)} x ptr] zeroinitializer",
        *(functions[kind].text for kind in sorted(kinds, key=lambda kind: kind.width)),
        *(mover(name, shape, kind, unpack=unpack) for name, (shape, kind, unpack) in sorted(movers.items())),
        _loop(arrays, {kind.width: (kind, functions[kind]) for kind in kinds}, lanes.width),
        _fast(graph, row, functions[row]),
        '!0 = !{!"branch_weights", i32 1, i32 100000}',
        "",
    ])


def _mover_name(shape: tuple[int, ...], lanes: Lanes, unpack: bool) -> str:
    return f"{'unpack' if unpack else 'pack'}.{'x'.join(map(str, shape)) or 'one'}.{lanes.suffix}"


def _loop(arrays: tuple[Input | Output, ...], functions: dict[int, tuple[Lanes, Function]], width: int) -> str:
    w = Writer()
    rows = w.let("load i64, ptr %dims")
    bases = [_load(w, "ptr", "%args", k) for k in range(len(arrays))]
    steps = [_load(w, "i64", "%steps", k) for k in range(len(arrays))]
    strides, at = [], len(arrays)
    for array in arrays:
        strides.append([_load(w, "i64", "%steps", at + k) for k in range(len(array.shape))])
        at += len(array.shape)
    wide, _ = functions[width]
    scratch = [w.let(f"alloca [{array.size * wide.bytes} x i8], align 64") for array in arrays]
    space = max(function.workspace for _, function in functions.values())
    scratch.append(w.let(f"alloca [{max(space, 1)} x i8], align 64"))
    start = "0"
    for size in sorted(functions, reverse=True):
        lanes, function = functions[size]
        label = f"by{size}"
        last = w.let(f"sub i64 {rows}, {size - 1}")
        w.do(f"br label %{label}.enter")
        w.label(f"{label}.enter")
        w.do(f"br label %{label}.test")
        w.label(f"{label}.test")
        w.do(f"%{label} = phi i64 [ {start}, %{label}.enter ], [ %{label}.next, %{label}.body ]")
        more = w.let(f"icmp slt i64 %{label}, {last}")
        w.do(f"br i1 {more}, label %{label}.body, label %{label}.done")
        w.label(f"{label}.body")
        moves = []
        for k, array in enumerate(arrays):
            block = w.let(f"getelementptr i8, ptr {bases[k]}, i64 {w.let(f'mul i64 %{label}, {steps[k]}')}")
            unpack = isinstance(array, Output)
            if size > 1:
                _prefetch(w, block, array.size * lanes.bytes, write=unpack)
            values = [f"ptr {block}", f"i64 {steps[k]}", *(f"i64 {s}" for s in strides[k]), f"ptr {scratch[k]}"]
            moves.append((unpack, f"call void @{_mover_name(array.shape, lanes, unpack)}({', '.join(values)})"))
        for unpack, call in moves:
            if not unpack:
                w.do(call)
        for name in function.calls:
            w.do(f"call void @{name}({', '.join(f'ptr {s}' for s in scratch)})")
        for unpack, call in moves:
            if unpack:
                w.do(call)
        w.do(f"%{label}.next = add i64 %{label}, {size}")
        w.do(f"br label %{label}.test")
        w.label(f"{label}.done")
        start = f"%{label}"
    w.do("ret void")
    return "\n".join([
        "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind {", "entry:", *w.lines, "}"
    ])


def _prefetch(w: Writer, block: str, size: int, *, write: bool) -> None:
    """Fetch the memory of a block to come: hardware looks ahead only to the end of a page."""
    ahead = max(size, AHEAD)
    for offset in range(ahead, ahead + size, 64):
        address = w.let(f"getelementptr i8, ptr {block}, i64 {offset}")
        w.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 {int(write)}, i32 3, i32 1)")


def _load(w: Writer, kind: str, array: str, k: int) -> str:
    return w.let(f"load {kind}, ptr {w.let(f'getelementptr {kind}, ptr {array}, i64 {k}')}")


def _fast(graph: Graph, row: Lanes, function: Function) -> str:
    """See the module's docstring: try a row, then a batch, else call `slow`, which takes anything."""
    w = Writer()
    output = graph.outputs[0]
    ndarray, descriptor, new_array, vectorcall = (_load(w, "ptr", "@context", k) for k in range(len(CONTEXT)))
    shape = w.let(f"alloca [{1 + len(output.shape)} x i64], align 8")
    for k, extent in enumerate(output.shape, 1):
        w.do(f"store i64 {extent}, ptr {w.let(f'getelementptr i64, ptr {shape}, i64 {k}')}")
    right_count = w.let(f"icmp eq i64 %nargs, {len(graph.inputs)}")
    positional = w.let("icmp eq ptr %kwnames, null")
    _go_on(w, w.let(f"and i1 {right_count}, {positional}"), "slow")

    def new_result(ndim: int, extents: str) -> tuple[str, str]:
        result = w.let(
            f"call ptr {new_array}(ptr {ndarray}, i32 {ndim}, ptr {extents}, i32 {_TYPE_NUMBER[row.bits]}, "
            "ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        _go_on(w, w.let(f"icmp ne ptr {result}, null"), "failed")
        return result, w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {result}, i64 {_DATA}')}")

    data = [_checked_data(w, k, x, ndarray, descriptor, "batch", None)[0] for k, x in enumerate(graph.inputs)]
    result, target = new_result(len(output.shape), w.let(f"getelementptr i64, ptr {shape}, i64 1"))
    work = w.let(f"alloca [{max(function.workspace, 1)} x i8], align 64")
    for name in function.calls:
        w.do(f"call void @{name}({', '.join(f'ptr {p}' for p in (*data, target, work))})")
    w.do(f"ret ptr {result}")

    w.label("batch")
    rows: str | None = None
    data = []
    for k, x in enumerate(graph.inputs):
        pointer, rows = _checked_data(w, k, x, ndarray, descriptor, "slow", rows or "")
        data.append(pointer)
    _go_on(w, w.let(f"icmp ule i64 {rows}, {max(WORTH_A_DETOUR // max(count(graph).arithmetic, 1), 1)}"), "slow")
    w.do(f"store i64 {rows}, ptr {shape}")
    result, target = new_result(1 + len(output.shape), shape)
    w.do(f"call void @loop({_loop_arguments(w, graph, row, [*data, target], str(rows))}, ptr null)")
    w.do(f"ret ptr {result}")

    w.label("failed")
    w.do("ret ptr null")
    w.label("slow")
    w.do(f"ret ptr {w.let(f'call ptr {vectorcall}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)')}")
    head = "define ptr @fast(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {"
    return "\n".join([head, "entry:", *w.lines, "}"])


def _loop_arguments(w: Writer, graph: Graph, row: Lanes, data: list[str], rows: str) -> str:
    """Tables of pointers, extents and strides of C-ordered arrays, as `loop` takes them."""
    arrays: tuple[Input | Output, ...] = (*graph.inputs, *graph.outputs)
    steps = [array.size * row.element_bytes for array in arrays]
    for array in arrays:
        steps += [math.prod(array.shape[axis + 1 :]) * row.element_bytes for axis in range(len(array.shape))]
    tables = []
    for kind, values in (("ptr", data), ("i64", [rows]), ("i64", [str(s) for s in steps])):
        table = w.let(f"alloca [{len(values)} x {kind}], align 8")
        for k, value in enumerate(values):
            w.do(f"store {kind} {value}, ptr {w.let(f'getelementptr {kind}, ptr {table}, i64 {k}')}")
        tables.append(f"ptr {table}")
    return ", ".join(tables)


def _checked_data(
    w: Writer, k: int, array: Input, ndarray: str, descriptor: str, otherwise: str, rows: str | None
) -> tuple[str, str]:
    """Branch to `otherwise` unless argument k is a plain array of the kernel's type and shape.

    Args:
        rows: None for a single row; for a batch the number of rows that the arguments
            before had, "" for the first.

    Returns:
        its data pointer, and its number of rows.
    """

    def field(kind: str, offset: int) -> str:
        return w.let(f"load {kind}, ptr {w.let(f'getelementptr i8, ptr {argument}, i64 {offset}')}")

    argument = _load(w, "ptr", "%args", k)
    _go_on(w, w.let(f"icmp eq ptr {field('ptr', _TYPE)}, {ndarray}"), otherwise)
    leading = 0 if rows is None else 1
    right_ndim = w.let(f"icmp eq i32 {field('i32', _NDIM)}, {leading + len(array.shape)}")
    right_numbers = w.let(f"icmp eq ptr {field('ptr', _DESCRIPTOR)}, {descriptor}")
    set_flags = w.let(f"and i32 {field('i32', _FLAGS)}, {_C_CONTIGUOUS_AND_ALIGNED}")
    right_flags = w.let(f"icmp eq i32 {set_flags}, {_C_CONTIGUOUS_AND_ALIGNED}")
    both = w.let(f"and i1 {right_numbers}, {right_flags}")
    _go_on(w, w.let(f"and i1 {right_ndim}, {both}"), otherwise)
    dimensions = field("ptr", _DIMENSIONS)
    for axis, extent in enumerate(array.shape, leading):
        _go_on(w, w.let(f"icmp eq i64 {_load(w, 'i64', dimensions, axis)}, {extent}"), otherwise)
    if rows is not None:
        own = _load(w, "i64", dimensions, 0)
        if rows:
            _go_on(w, w.let(f"icmp eq i64 {own}, {rows}"), otherwise)
        rows = own
    return field("ptr", _DATA), rows or ""


def _go_on(w: Writer, condition: str, otherwise: str) -> None:
    label = w.name("go")
    w.do(f"br i1 {condition}, label %{label}, label %{otherwise}")
    w.label(label)
