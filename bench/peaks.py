"""What one core of the machine can do at most: multiply-adds a second, and bytes a second to and from memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from bench.native import again, compiled
from bench.timing import Contestant, Effort, race
from revolute.targets.llvm import host

__all__ = ["Bandwidth", "bandwidth", "multiply_adds"]

CHAINS = 12
"""Independent sums: two units of four or five cycles need ten, and 16 registers hold 14 besides x and y."""
TURNS = 1000
STEP = 512
"""Bytes that a turn of a loop over memory moves."""
_EFFORT = Effort(slice=2e-3, seconds=0.12, least=5, most=60)

Words = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True)
class Bandwidth:
    """Bytes a second of one core, over an amount of memory that is used again and again.

    Attributes:
        size: bytes of that memory.
        read, write, copy: by vector loads and stores; a copy counts what it reads and what it writes.
        stream: stores that bypass the caches.
    """

    size: int
    read: float
    write: float
    copy: float
    stream: float


@cache
def multiply_adds() -> float:
    """Vector instructions of fused multiplications and additions that one core begins per second."""
    return CHAINS * TURNS / _seconds(_chains_text(), "chains", (0, None, None, None))


@cache
def bandwidth(size: int) -> Bandwidth:
    """Measured over `size` bytes, rounded up to 1 KiB."""
    size = -(-size // (2 * STEP)) * 2 * STEP
    memory = np.ones(size + 64, dtype=np.uint8)  # pages of zeros that nobody wrote to are one page
    start = memory.ctypes.data + -memory.ctypes.data % 64
    places: dict[str, Words] = {
        "read": (start, start, size, None),
        "write": (start, start, size, None),
        "copy": (start, start + size // 2, size // 2, None),
        "stream": (start, start, size, None),
    }
    return Bandwidth(size, **{name: size / _seconds(_moves_text(name), name, x) for name, x in places.items()})


def _seconds(text: str, name: str, words: Words) -> float:
    """Of one call from machine code: of the fastest repeat, as a peak is what the machine can do."""
    names = {"again": again(), "code": compiled(text).function(name)}
    times = 1
    while True:
        contestant = Contestant(name, f"again(code, {times}, {', '.join(map(str, words))})", names, times)
        (timing,) = race([contestant], _EFFORT)
        if min(timing.seconds) > 2e-4:  # a call by ctypes takes 1 us
            return timing.least_per_row * 1e-9
        times *= 20


def _chains_text() -> str:
    """LLVM IR: chains of s = s x + y that do not depend on each other."""
    lanes = host().lanes()
    real, sums = lanes.real, range(CHAINS)
    starts = [f"  %s{k} = phi {real} [{lanes.const(k)}, %entry], [%t{k}, %turn]" for k in sums]
    x, y = lanes.const(0.5), lanes.const(1.0)
    multiply_add = f"{real} @llvm.fmuladd.{lanes.suffix}"
    steps = [f"  %t{k} = call {multiply_add}({real} %s{k}, {real} {x}, {real} {y})" for k in sums]
    # all sums are used, so that none is left out
    use = [f"  %u0 = fadd {real} %t0, %t1"]
    use += [f"  %u{k - 1} = fadd {real} %u{k - 2}, %t{k}" for k in sums if k > 1]
    return "\n".join([
        f"declare {multiply_add}({real}, {real}, {real})",
        f"@result = global {real} zeroinitializer, align 64",
        "define void @chains(ptr %a, ptr %b, ptr %c, ptr %d) {",
        "entry:",
        "  br label %turn",
        "turn:",
        "  %k = phi i64 [0, %entry], [%next, %turn]",
        *starts,
        *steps,
        "  %next = add i64 %k, 1",
        f"  %more = icmp ult i64 %next, {TURNS}",
        "  br i1 %more, label %turn, label %done",
        "done:",
        *use,
        f"  store {real} %u{CHAINS - 2}, ptr @result",
        "  ret void",
        "}",
    ])


def _moves_text(name: str) -> str:
    """LLVM IR: pass over %size bytes of memory with vector loads or stores, STEP bytes a turn."""
    lanes = host().lanes()
    words, width = lanes.integer, lanes.bytes
    body, results = [], ["zeroinitializer"]
    for k in range(STEP // width):
        for place in ("from", "to"):
            body.append(f"  %{place}{k} = getelementptr i8, ptr %{place}, i64 {k * width}")
        if name in ("read", "copy"):
            body.append(f"  %x{k} = load {words}, ptr %from{k}, align {width}")
        if name == "read":
            body.append(f"  %r{k} = or {words} {results[-1]}, %x{k}")
            results.append(f"%r{k}")
        else:
            hint = ", !nontemporal !0" if name == "stream" else ""
            value = f"%x{k}" if name == "copy" else "zeroinitializer"
            body.append(f"  store {words} {value}, ptr %to{k}, align {width}{hint}")
    return "\n".join([
        f"@result = global {words} zeroinitializer, align 64",
        f"define void @{name}(ptr %a, ptr %b, i64 %size, ptr %d) {{",
        "entry:",
        "  br label %turn",
        "turn:",
        "  %at = phi i64 [0, %entry], [%next, %turn]",
        f"  %sum = phi {words} [zeroinitializer, %entry], [%all, %turn]",
        "  %from = getelementptr i8, ptr %a, i64 %at",
        "  %to = getelementptr i8, ptr %b, i64 %at",
        *body,
        f"  %all = or {words} %sum, {results[-1]}",
        f"  %next = add i64 %at, {STEP}",
        "  %more = icmp ult i64 %next, %size",
        "  br i1 %more, label %turn, label %done",
        "done:",
        f"  store {words} %all, ptr @result",
        "  ret void",
        "}",
        "!0 = !{i32 1}",
    ])
