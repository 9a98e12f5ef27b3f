"""Results larger than the cache, straight from the lanes to memory: a line of each row at a time, past the cache.

A square tile of the lanes is transposed in registers, and each of its rows is a whole line, or some halves or quarters
of lines that the processor puts together. Lines that are zero for all inputs are written without reading the lanes.
This takes rows of which the first begins with a line, and all others at a fraction of a line that a store can begin at.
"""

from __future__ import annotations

from collections.abc import Sequence

from revolute.graph.graph import Input, Output
from revolute.targets.llvm.lanes import Lanes, Writer
from revolute.targets.llvm.layout import transposed
from revolute.targets.llvm.stage import LINE, has_stage

__all__ = ["direct_mover", "goes_straight"]

HALF = LINE // 2
"""Bytes at whose multiples rows begin: with quarters of lines, stores take as long as the copy that they replace."""


def goes_straight(output: Input | Output, lanes: Lanes) -> bool:
    """Whether a block's rows begin at halves of lines, if the first begins with a line, and the next block does."""
    row = output.size * lanes.element_bytes
    return has_stage(output, lanes) and row % HALF == 0 and row * lanes.width % LINE == 0 and lanes.bytes >= HALF


def direct_mover(name: str, output: Output, lanes: Lanes) -> str:
    """A function `name(ptr rows, ptr lanes)`: moves a block to adjacent rows, the first of which begins with a line."""
    w, line = Writer(), LINE // lanes.element_bytes
    runs = _runs(output, line)
    size = output.size
    for row in range(lanes.width):
        w.do(f"%row{row} = getelementptr i8, ptr %rows, i64 {row * size * lanes.element_bytes}")
    w.do("br label %run")
    # for each run: lines from the first on are zero, those from the second to the third are not
    w.label("run")
    w.do("%k = phi i64 [ 0, %entry ], [ %k.next, %run.end ]")
    table = f"@{name}.runs"
    first, second, third = (
        w.let(f"load i64, ptr {w.let(f'getelementptr [3 x i64], ptr {table}, i64 %k, i64 {at}')}") for at in range(3)
    )
    before = "run"
    for row in range(lanes.width):
        w.do(f"br label %zeros{row}")
        w.label(f"zeros{row}")
        w.do(f"%z{row} = phi i64 [ {first}, %{before} ], [ %z{row}.next, %zero{row} ]")
        w.do(f"br i1 {w.let(f'icmp ult i64 %z{row}, {second}')}, label %zero{row}, label %clear{row}")
        w.label(f"zero{row}")
        place = w.let(f"getelementptr i8, ptr %row{row}, i64 {w.let(f'mul i64 %z{row}, {LINE}')}")
        _past(w, f"<{line} x {lanes.scalar}>", "zeroinitializer", place, _alignment(row, 0, size, lanes))
        w.do(f"%z{row}.next = add i64 %z{row}, 1")
        w.do(f"br label %zeros{row}")
        w.label(f"clear{row}")
        before = f"clear{row}"
    w.do("br label %lines")
    w.label("lines")
    w.do(f"%d = phi i64 [ {second}, %{before} ], [ %d.next, %line ]")
    w.do(f"br i1 {w.let(f'icmp ult i64 %d, {third}')}, label %line, label %run.end")
    w.label("line")
    _move_line(w, lanes, w.let(f"mul i64 %d, {line}"), [_alignment(row, 0, size, lanes) for row in range(lanes.width)])
    w.do("%d.next = add i64 %d, 1")
    w.do("br label %lines")
    w.label("run.end")
    w.do("%k.next = add i64 %k, 1")
    w.do(f"br i1 {w.let(f'icmp ult i64 %k.next, {len(runs)}')}, label %run, label %end")
    w.label("end")
    if size % line:  # the last line overlaps the one before
        last = size - line
        _move_line(w, lanes, str(last), [_alignment(row, last, size, lanes) for row in range(lanes.width)])
    w.do("ret void")
    entries = ", ".join(f"[3 x i64] [i64 {a}, i64 {b}, i64 {c}]" for a, b, c in runs)
    head = f"define internal void @{name}(ptr noalias %rows, ptr noalias %lanes) nounwind {{"
    return "\n".join(
        [f"{table} = private constant [{len(runs)} x [3 x i64]] [{entries}]", head, "entry:", *w.lines, "}"]
    )


def _runs(output: Output, line: int) -> list[tuple[int, int, int]]:
    """(first line that is zero, first that is not, first that is zero again) of each run of whole lines."""
    zero = [all(at + k in output.zeros for k in range(line)) for at in range(0, output.size - line + 1, line)]
    runs, at = [], 0
    while at < len(zero):
        begin = at
        while at < len(zero) and zero[at]:
            at += 1
        data = at
        while at < len(zero) and not zero[at]:
            at += 1
        runs.append((begin, data, at))
    return runs


def _alignment(row: int, component: int, size: int, lanes: Lanes) -> int:
    """The power of two that divides the place of a component in a row, a line at most."""
    place = (row * size + component) * lanes.element_bytes
    return min(LINE, place & -place) or LINE


def _move_line(w: Writer, lanes: Lanes, at: str, alignments: Sequence[int]) -> None:
    """Move components from `at` on, a line of each row."""
    base = w.let(f"getelementptr i8, ptr %lanes, i64 {w.let(f'mul i64 {at}, {lanes.bytes}')}")
    offset = w.let(f"mul i64 {at}, {lanes.element_bytes}")
    tiles = []
    for tile in range(LINE // lanes.bytes):
        places = [(tile * lanes.width + k) * lanes.bytes for k in range(lanes.width)]
        pointers = [w.let(f"getelementptr i8, ptr {base}, i64 {place}") for place in places]
        vectors = [w.let(f"load {lanes.real}, ptr {p}, align {lanes.bytes}") for p in pointers]
        tiles.append(transposed(w, lanes, vectors))
    for row, alignment in enumerate(alignments):
        target = w.let(f"getelementptr i8, ptr %row{row}, i64 {offset}")
        for tile, vectors in enumerate(tiles):
            place = w.let(f"getelementptr i8, ptr {target}, i64 {tile * lanes.bytes}")
            _past(w, lanes.real, vectors[row], place, min(alignment, lanes.bytes))


def _past(w: Writer, kind: str, value: str, place: str, alignment: int) -> None:
    w.do(f"store {kind} {value}, ptr {place}, align {alignment}, !nontemporal !1")
