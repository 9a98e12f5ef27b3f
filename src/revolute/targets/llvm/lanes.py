"""The number of rows that a kernel computes at once, their number format, and the LLVM types of both."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from revolute.records import dataclass

__all__ = ["STACK", "LaneWriter", "Lanes"]

STACK = 1 << 16
"""Bytes that a function may take from the stack: threads have as little as 128 KiB."""


@dataclass(frozen=True)
class Lanes:
    """A vector register's worth of rows; width 1 is plain scalar code.

    Attributes:
        width: rows at once.
        bits: 64 for double, 32 for float.
        fma: the host has a fused multiply-add; without one, products are rounded.
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
        """Type of a number in every row."""
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
        """The name of the intrinsic with one rounding."""
        return f"llvm.fma.{self.suffix}"

    @cached_property
    def multiply_add_declared(self) -> str:
        """Its declaration."""
        return f"declare {self.real} @{self.multiply_add}({self.real}, {self.real}, {self.real})"

    def const(self, x: float) -> str:
        """A real constant in every row, exact to its bits."""
        if self.bits == 32:
            (x,) = struct.unpack("<f", struct.pack("<f", x))
        literal = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return literal if self.width == 1 else f"splat ({self.scalar} {literal})"

    def spread(self, w: LaneWriter, number: str) -> str:
        """A number in every row."""
        if self.width == 1:
            return number
        first = w.let(f"insertelement {self.real} poison, {self.scalar} {number}, i64 0")
        return w.let(f"shufflevector {self.real} {first}, {self.real} poison, <{self.width} x i32> zeroinitializer")

    def int_const(self, k: int) -> str:
        """An integer constant in every row."""
        return str(k) if self.width == 1 else f"splat (i{self.bits} {k})"

    def doubles(self) -> Lanes:
        """The same number of rows, of double."""
        return Lanes(self.width, 64, self.fma)


class LaneWriter:
    """Collects the lines of an LLVM function and names its values.

    `declared` holds the declarations of the functions that the lines call, `block` is the label of the last block.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.block = "entry"
        self._names = 0
        self._carried: list[dict[str, tuple[str, str]]] = []
        self._last: dict[str, str] = {}

    def name(self, prefix: str = "v") -> str:
        """A new name, without its %."""
        self._names += 1
        return f"{prefix}{self._names}"

    def let(self, expression: str) -> str:
        """Write `%v = expression`; returns `%v`."""
        self._names += 1
        name = f"%v{self._names}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def do(self, statement: str) -> None:
        """Write a statement without value."""
        self.lines.append(f"  {statement}")

    def item(self, kind: str, array: str, k: int | str) -> str:
        """Load item k of an array in memory."""
        return self.let(f"load {kind}, ptr {self.let(f'getelementptr {kind}, ptr {array}, i64 {k}')}")

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{name}:")
        self.block = name

    @contextmanager
    def counted(self, count: str, step: str = "1") -> Iterator[str]:
        """Write a loop whose body is done for k = 0, step, 2 step, ... below `count`, which is more than 0."""
        body, before = self.name("each"), self.block
        self.do(f"br label %{body}")
        self.label(body)
        at, k = len(self.lines), f"%{body}.k"
        self._carried.append({})
        yield k
        following = self.let(f"add i64 {k}, {step}")
        phis = {k: ("i64", "0"), **self._carried.pop()}
        self._last[k] = following
        self.do(f"br i1 {self.let(f'icmp ult i64 {following}, {count}')}, label %{body}, label %{body}.done")
        self.lines[at:at] = [
            f"  {name} = phi {kind} [ {first}, %{before} ], [ {self._last[name]}, %{self.block} ]"
            for name, (kind, first) in phis.items()
        ]
        self.label(f"{body}.done")

    def carried(self, kind: str, first: str) -> str:
        """A value that goes from turn to turn of the loop that is being written; `carry` says what it becomes."""
        name = f"%{self.name('carried')}"
        self._carried[-1][name] = kind, first
        return name

    def carry(self, carried: str, value: str) -> None:
        """The value that a carried one has in the next turn."""
        self._last[carried] = value

    def last(self, carried: str) -> str:
        """What a carried value is behind its loop."""
        return self._last[carried]

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Write what is done if a condition holds."""
        then, after = self.name("then"), self.name("after")
        self.do(f"br i1 {self.let(condition)}, label %{then}, label %{after}")
        self.label(then)
        yield
        self.do(f"br label %{after}")
        self.label(after)

    def call(self, result: str, function: str, args: Iterable[tuple[str, str]]) -> str:
        """Call a function of (type, value) arguments, declaring it; returns its value."""
        pairs = list(args)
        self.declared.add(f"declare {result} @{function}({', '.join(t for t, _ in pairs)})")
        return self.let(f"call {result} @{function}({', '.join(f'{t} {v}' for t, v in pairs)})")
