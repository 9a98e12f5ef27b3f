"""Writes functions in LLVM IR that are not straight-line code: variables, conditions, loops, fields of objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from revolute.targets.llvm.lanes import LaneWriter
from revolute.targets.llvm.objects import BYTES_ITEMS, SIZE, TUPLE_ITEMS, TYPE

__all__ = ["Blocks"]


class Blocks(LaneWriter):
    """A writer of one function. Values are names; `pointer`s are addresses, `offset`s bytes or values."""

    def __init__(self) -> None:
        super().__init__()
        self._variables: list[str] = []

    def define(self, head: str) -> str:
        """The text of the function, which begins with all its variables."""
        return "\n".join([f"{head} {{", "entry:", *self._variables, *self.lines, "}", ""])

    def comment(self, text: str) -> None:
        """Say what the next lines do."""
        self.lines.append(f"  ; {text}")

    # --- memory ------------------------------------------------------------------------

    def variable(self, kind: str, value: str = "", count: int = 1) -> str:
        """Memory of the function for some values of a kind, the first of which may get a value; returns its address."""
        place = f"%{self.name('here')}"
        self._variables.append(f"  {place} = alloca [{count} x {kind}], align 16")
        if value:
            self.put(kind, value, place)
        return place

    def get(self, kind: str, pointer: str) -> str:
        """Load a value of a kind from an address."""
        return self.let(f"load {kind}, ptr {pointer}, align 4")

    def put(self, kind: str, value: str, pointer: str) -> None:
        """Store a value at an address."""
        self.do(f"store {kind} {value}, ptr {pointer}, align 4")

    def place(self, pointer: str, offset: int | str, size: int = 1) -> str:
        """The address of an item of a table, of a size in bytes."""
        return self.let(f"getelementptr [{size} x i8], ptr {pointer}, i64 {offset}")

    def field(self, kind: str, item: str, offset: int) -> str:
        """A part of an object, so many bytes from its beginning."""
        return self.get(kind, self.place(item, offset))

    def number(self, table: str, k: int | str) -> str:
        """Item k of a table of 64-bit integers."""
        return self.get("i64", self.place(table, k, 8))

    def pointer(self, table: str, k: int | str) -> str:
        """Item k of a table of pointers."""
        return self.get("ptr", self.place(table, k, 8))

    def copy(self, target: str, source: str, count: str) -> None:
        """Copy so many items of 8 bytes."""
        size = self.let(f"shl i64 {count}, 3")
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")

    # --- values ------------------------------------------------------------------------

    def is_equal(self, kind: str, a: str, b: str) -> str:
        """Whether two values are the same."""
        return self.let(f"icmp eq {kind} {a}, {b}")

    def is_not(self, condition: str) -> str:
        """Whether a condition does not hold."""
        return self.let(f"xor i1 {condition}, true")

    def is_all(self, *conditions: str) -> str:
        """Whether all of some truth values hold."""
        verdict, *others = conditions
        for condition in others:
            verdict = self.let(f"and i1 {verdict}, {condition}")
        return verdict

    def either(self, condition: str, kind: str, a: str, b: str) -> str:
        """One value if a condition holds, else another."""
        return self.let(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    # --- the way of the code -----------------------------------------------------------

    def require(self, condition: str, otherwise: str) -> None:
        """Go on if a condition holds, else at a label."""
        then = self.name("then")
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")
        self.label(then)

    def go(self, label: str) -> None:
        """Go on at a label."""
        self.do(f"br label %{label}")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Write the lines of this block so that they run only if a condition holds."""
        then, after = self.name("when"), self.name("after")
        self.do(f"br i1 {condition}, label %{then}, label %{after}")
        self.label(then)
        yield
        self.go(after)
        self.label(after)

    @contextmanager
    def each(self, count: str, first: str = "0") -> Iterator[str]:
        """Write the lines of this block as a loop over the numbers from `first` to below a count."""
        k = self.variable("i64", first)
        test, body, after = self.name("test"), self.name("each"), self.name("after")
        self.go(test)
        self.label(test)
        value = self.get("i64", k)
        self.do(f"br i1 {self.let(f'icmp slt i64 {value}, {count}')}, label %{body}, label %{after}")
        self.label(body)
        yield value
        self.put("i64", self.let(f"add i64 {value}, 1"), k)
        self.go(test)
        self.label(after)

    # --- Python's objects --------------------------------------------------------------

    def is_a(self, item: str, kind: str) -> str:
        """Whether an object's type is the one at an address."""
        return self.is_equal("ptr", self.field("ptr", item, TYPE), kind)

    def size(self, item: str) -> str:
        """The number of items of a tuple or of bytes, or of keys of a dict."""
        return self.field("i64", item, SIZE)

    def items(self, group: str) -> str:
        """The address of the first item of a tuple."""
        return self.place(group, TUPLE_ITEMS)

    def tuple_item(self, group: str, k: int | str) -> str:
        """An item of a tuple."""
        return self.pointer(self.items(group), k)

    def content(self, text: str) -> str:
        """The address of the content of bytes."""
        return self.place(text, BYTES_ITEMS)

    def run(self, function: str, kind: str, *arguments: str) -> str:
        """Call a function at an address; each argument is a type and a value."""
        call = f"call {kind} {function}({', '.join(arguments)})"
        if kind == "void":
            self.do(call)
            return ""
        return self.let(call)
