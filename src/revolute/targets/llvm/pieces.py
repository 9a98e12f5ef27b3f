"""Pieces of a batch in machine code: `some_rows` evaluates one, `piece` says how many rows it has."""

from __future__ import annotations

from revolute.targets.llvm.short_forms import with_values

__all__ = ["pieces_text"]

PIECES = 64
"""Of a job, about: a thread that is put aside with a piece delays the others by that piece only."""

LEAST, LARGEST = 1 << 16, 1 << 20
"""Operations of a piece: 3 to 50 us."""

_TEXT = """
; Evaluate rows begin to end of a job: the kernel's loop, number of arrays, their data, steps, and those of the call.
define internal void @some_rows(ptr %job, i64 %begin, i64 %end) nounwind {
entry:
  %rows = alloca i64, align 8
  %loop.code = field %job 0
  %arrays = number %job 1
  %data = field %job 16
  %steps = field %job 24
  %call.data = field %job 32
  %table = alloca ptr, i64 %arrays, align 8
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %loop]
  %base.place = getelementptr ptr, ptr %data, i64 %k
  %base = load ptr, ptr %base.place
  %step = number %steps %k
  %offset = mul i64 %step, %begin
  %block = getelementptr i8, ptr %base, i64 %offset
  %place = getelementptr ptr, ptr %table, i64 %k
  store ptr %block, ptr %place
  %k.next = add i64 %k, 1
  %left = icmp slt i64 %k.next, %arrays
  br i1 %left, label %loop, label %call
call:
  %count = sub i64 %end, %begin
  store i64 %count, ptr %rows
  call void %loop.code(ptr %table, ptr %rows, ptr %steps, ptr %call.data)
  ret void
}

; How many rows are a piece: a multiple of the kernel's lanes, and of 64 if they are many.
define internal i64 @piece(i64 %operations, i64 %per.row, i64 %lanes) nounwind {
entry:
  %even = udiv i64 %operations, PIECES
  %not.small = call i64 @llvm.umax.i64(i64 %even, i64 LEAST)
  %target = call i64 @llvm.umin.i64(i64 %not.small, i64 LARGEST)
  %rows = udiv i64 %target, %per.row
  %many = icmp uge i64 %rows, 64
  %down = and i64 %rows, -64
  %up.sum = add i64 %rows, %lanes
  %up.less = sub i64 %up.sum, 1
  %up.count = udiv i64 %up.less, %lanes
  %up = mul i64 %up.count, %lanes
  %few = call i64 @llvm.umax.i64(i64 %up, i64 %lanes)
  %size = select i1 %many, i64 %down, i64 %few
  ret i64 %size
}
"""


def pieces_text() -> str:
    """The two functions, in short forms."""
    return with_values(_TEXT, {"PIECES": PIECES, "LEAST": LEAST, "LARGEST": LARGEST})
