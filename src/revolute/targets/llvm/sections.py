"""Machine code of second-order sections, a digital filter, for a vector of signals. Oppenheim & Schafer 2010, 6.3.

Each section is in its second transposed direct form,

    y = b0 x + z1,    z1 = b1 x - a1 y + z2,    z2 = b2 x - a2 y

and passes y to the next. Signals lie side by side, one in each lane: a lane's result depends on no other.
"""

from __future__ import annotations

from revolute.targets.llvm.lanes import Lanes, LaneWriter

__all__ = ["NUMBERS", "sections_text"]

NUMBERS = 7
"""Numbers of a section: b0, b1, b2, -a1, -a2, and z1 and z2 of the constant signal 1."""


def sections_text(count: int, lanes: Lanes) -> str:
    """The module of `void sections(x, rows, step, numbers)`: filters `rows` vectors from x on, `step` bytes apart.

    It starts as if the first vector had been there for ever.

    Args:
        count: of sections.
        lanes: signals at once.
    """
    w, real = LaneWriter(), lanes.real
    w.label("entry")
    first = w.let(f"load {real}, ptr %x, align 8")
    own = [
        [lanes.spread(w, w.item(lanes.scalar, "%numbers", NUMBERS * k + j)) for j in range(NUMBERS)]
        for k in range(count)
    ]
    begun = [[w.let(f"fmul {real} {z}, {first}") for z in numbers[5:]] for numbers in own]
    with w.counted("%rows"):
        at = w.carried("ptr", "%x")
        states = [(w.carried(real, z1), w.carried(real, z2)) for z1, z2 in begun]
        x = w.let(f"load {real}, ptr {at}, align 8")
        for (z1, z2), (b0, b1, b2, a1, a2, *_) in zip(states, own, strict=True):
            y = _sum(w, lanes, b0, x, z1)
            w.carry(z1, _sum(w, lanes, a1, y, _sum(w, lanes, b1, x, z2)))
            w.carry(z2, _sum(w, lanes, a2, y, w.let(f"fmul {real} {b2}, {x}")))
            x = y
        w.do(f"store {real} {x}, ptr {at}, align 8")
        w.carry(at, w.let(f"getelementptr i8, ptr {at}, i64 %step"))
    w.do("ret void")
    head = "define void @sections(ptr %x, i64 %rows, i64 %step, ptr %numbers) nounwind {"
    return "\n".join([*sorted(w.declared), head, *w.lines, "}", ""])


def _sum(w: LaneWriter, lanes: Lanes, factor: str, x: str, more: str) -> str:
    """factor x + more, with one rounding where the processor has that."""
    real = lanes.real
    if lanes.fma:
        return w.call(real, lanes.multiply_add, [(real, factor), (real, x), (real, more)])
    return w.let(f"fadd {real} {w.let(f'fmul {real} {factor}, {x}')}, {more}")
