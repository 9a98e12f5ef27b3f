"""The number of rows that a kernel computes at once, the format of numbers, and the LLVM types of both."""

from __future__ import annotations

import re
import struct
from functools import cached_property

from revolute.records import dataclass
from revolute.targets.llvm.writer import IRWriter

STACK = 1 << 16  # maximum stack usage of a function [bytes]: the stack of a thread may have only 128 KiB


@dataclass(frozen=True)
class Lanes:
    """The rows in a vector register, of double or float; width 1 is plain scalar code.

    `fma`: the host has a fused multiply-add; otherwise products are rounded.
    """

    width: int
    bits: int = 64
    fma: bool = True

    @cached_property
    def scalar(self) -> str:
        """Type of one number."""
        return "double" if self.bits == 64 else "float"

    def of(self, element: str) -> str:
        """The type of `width` elements."""
        return element if self.width == 1 else f"<{self.width} x {element}>"

    @cached_property
    def real(self) -> str:
        """LLVM type with one number per row."""
        return self.of(self.scalar)

    @cached_property
    def integer(self) -> str:
        """Type of an integer as wide as a number, in every row."""
        return self.of(f"i{self.bits}")

    @cached_property
    def truth(self) -> str:
        """Type of a truth value in every row."""
        return self.of("i1")

    @cached_property
    def suffix(self) -> str:
        """The type `real` in names of intrinsics."""
        return f"f{self.bits}" if self.width == 1 else f"v{self.width}f{self.bits}"

    @cached_property
    def element_bytes(self) -> int:
        """Size of one number."""
        return self.bits // 8

    @cached_property
    def bytes(self) -> int:
        """Size of a number in every row."""
        return self.width * self.element_bytes

    @cached_property
    def multiply_add(self) -> str:
        """The declaration of the intrinsic for fused multiply-add."""
        return f"declare {self.real} @llvm.fma.{self.suffix}({self.real}, {self.real}, {self.real})"

    def const(self, x: float) -> str:
        """A real constant in every row, exact to the last bit."""
        # LLVM writes a float as the bits of the equal double and rejects other doubles: round to float first
        if self.bits == 32:
            (x,) = struct.unpack("<f", struct.pack("<f", x))
        literal = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return literal if self.width == 1 else f"splat ({self.scalar} {literal})"

    def spread(self, w: IRWriter, number: str, kind: str = "") -> str:
        """A number in every row; `kind` is its type, by default `scalar`."""
        if self.width == 1:
            return number
        kind = kind or self.scalar
        # LLVM recognizes this pattern as a broadcast: lane 0 is shuffled to all lanes
        t = self.of(kind)
        first = w.let(f"insertelement {t} poison, {kind} {number}, i64 0")
        return w.let(f"shufflevector {t} {first}, {t} poison, <{self.width} x i32> zeroinitializer")

    def int_const(self, k: int) -> str:
        """An integer constant in every row."""
        return str(k) if self.width == 1 else f"splat (i{self.bits} {k})"

    def as_row(self, text: str) -> str:
        """Code for a single row, from code for blocks in which only types depend on the number of rows."""
        bytes_ = f"align {self.bytes}", f"align {self.element_bytes}"
        for block, row in ((self.real, self.scalar), (self.truth, "i1"), (f".{self.suffix}", f".f{self.bits}"), bytes_):
            text = text.replace(block, row)
        return re.sub(rf"splat \({self.scalar} (\w+)\)", r"\1", text)

    def doubles(self) -> Lanes:
        """Lanes for the same number of rows, with numbers of type double."""
        return Lanes(self.width, 64, self.fma)
