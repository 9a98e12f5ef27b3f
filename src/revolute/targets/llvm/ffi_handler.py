"""The function `handler`: a kernel's loop behind XLA's foreign function interface.

XLA calls it with a frame: the stage of the execution, and buffers of arguments and results with their shapes. It reads
the number of rows from the first buffer's dimensions and calls `loop`. No Python is involved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["VERSION", "handler"]

VERSION = (0, 3)
"""Of the interface in XLA that the frame's layout is of (`XLA_FFI_API_MAJOR`, `XLA_FFI_API_MINOR`)."""

_TEXT = """
%Arguments = type {{ i64, ptr, i64, ptr, ptr }}                              ; size, extension, count, types, buffers
%Frame = type {{ i64, ptr, ptr, ptr, i32, %Arguments, %Arguments }}          ; ..., stage, arguments, results
%Buffer = type {{ i64, ptr, i32, ptr, i64, ptr }}                            ; size, extension, type, data, rank, dims
%Version = type {{ i64, ptr, i32, i32 }}
%Metadata = type {{ i64, %Version, i32, i64 }}
%Extension = type {{ {{ i64, i32, ptr }}, ptr }}

@steps = internal constant [{steps_count} x i64] [{steps}]

define ptr @handler(ptr %frame) nounwind {{
entry:
  %data = alloca [{arrays} x ptr]
  %dims = alloca i64
  %extension_at = getelementptr %Frame, ptr %frame, i32 0, i32 1
  %extension = load ptr, ptr %extension_at
  %is_call = icmp eq ptr %extension, null
  br i1 %is_call, label %call, label %registration
registration:                                                                ; XLA asks for the version
  %metadata_at = getelementptr %Extension, ptr %extension, i32 0, i32 1
  %metadata = load ptr, ptr %metadata_at
  %major = getelementptr %Metadata, ptr %metadata, i32 0, i32 1, i32 2
  store i32 {major}, ptr %major
  %minor = getelementptr %Metadata, ptr %metadata, i32 0, i32 1, i32 3
  store i32 {minor}, ptr %minor
  %traits = getelementptr %Metadata, ptr %metadata, i32 0, i32 2
  store i32 0, ptr %traits
  ret ptr null
call:
  %arguments_at = getelementptr %Frame, ptr %frame, i32 0, i32 5, i32 4
  %arguments = load ptr, ptr %arguments_at
  %results_at = getelementptr %Frame, ptr %frame, i32 0, i32 6, i32 4
  %results = load ptr, ptr %results_at
{loads}
  %rank_at = getelementptr %Buffer, ptr %buffer0, i32 0, i32 4
  %rank = load i64, ptr %rank_at
  %axes = sub i64 %rank, {core_axes}
  %dims_at = getelementptr %Buffer, ptr %buffer0, i32 0, i32 5
  %sizes = load ptr, ptr %dims_at
  br label %axis
axis:                                                                        ; rows = product of the leading dimensions
  %k = phi i64 [ 0, %call ], [ %next, %product ]
  %rows = phi i64 [ 1, %call ], [ %more, %product ]
  %left = icmp slt i64 %k, %axes
  br i1 %left, label %product, label %run
product:
  %size_at = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size_at
  %more = mul i64 %rows, %size
  %next = add i64 %k, 1
  br label %axis
run:
  store i64 %rows, ptr %dims
  call void inttoptr (i64 {loop} to ptr)(ptr %data, ptr %dims, ptr @steps, ptr null)
  ret ptr null
}}
"""


def handler(inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]], item: int, loop: int) -> str:
    """The LLVM IR of a module.

    Args:
        inputs, outputs: core shapes; there is at least one input.
        item: bytes of a number.
        loop: address of the kernel's loop.
    """
    shapes = [*inputs, *outputs]
    steps = [math.prod(shape) * item for shape in shapes]
    for shape in shapes:
        steps += [math.prod(shape[k + 1 :]) * item for k in range(len(shape))]
    loads = []
    for k in range(len(shapes)):
        source, place = ("arguments", k) if k < len(inputs) else ("results", k - len(inputs))
        loads.append(
            f"  %buffer{k}_at = getelementptr ptr, ptr %{source}, i64 {place}\n"
            f"  %buffer{k} = load ptr, ptr %buffer{k}_at\n"
            f"  %data{k}_at = getelementptr %Buffer, ptr %buffer{k}, i32 0, i32 3\n"
            f"  %data{k} = load ptr, ptr %data{k}_at\n"
            f"  %slot{k} = getelementptr ptr, ptr %data, i64 {k}\n"
            f"  store ptr %data{k}, ptr %slot{k}"
        )
    return _TEXT.format(
        steps_count=len(steps),
        steps=", ".join(f"i64 {x}" for x in steps),
        arrays=len(shapes),
        major=VERSION[0],
        minor=VERSION[1],
        loads="\n".join(loads),
        core_axes=len(inputs[0]),
        loop=loop,
    )
