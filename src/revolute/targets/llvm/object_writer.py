"""Writes LLVM IR that looks at Python's objects: types, tuples, arguments of a call."""

from __future__ import annotations

from dataclasses import dataclass, field

from revolute.targets.llvm.lanes import Writer
from revolute.targets.llvm.objects import SIZE, TUPLE_ITEMS, TYPE

__all__ = ["ObjectWriter"]


@dataclass
class ObjectWriter:
    """The lines of a function of Python while they are written.

    Attributes:
        w: the lines.
        context: values of the entries of the module's table `context`.
    """

    w: Writer
    context: dict[str, str] = field(default_factory=dict, init=False)

    def argument(self, place: int | str) -> str:
        """An argument of the call."""
        return self.w.let(f"load ptr, ptr {self.w.let(f'getelementptr ptr, ptr %args, i64 {place}')}")

    def is_a(self, item: str, kind: str) -> str:
        """Whether an object's type is the one of that name in the context."""
        field = self.w.let(f"getelementptr i8, ptr {item}, i64 {TYPE}")
        return self.w.let(f"icmp eq ptr {self.w.let(f'load ptr, ptr {field}')}, {self.context[kind]}")

    def require_same(self, a: str, b: str, count: str, otherwise: str) -> None:
        """Branch to `otherwise` unless two tables hold the same pointers."""
        w = self.w
        before, loop, body, following, after = (w.name(x) for x in ("before", "loop", "body", "next", "same"))
        k, one_more = f"%{w.name('k')}", f"%{w.name('k')}"
        # for k in 0 .. count: compare a[k] with b[k]
        w.do(f"br label %{before}")
        w.label(before)
        w.do(f"br label %{loop}")
        w.label(loop)
        w.do(f"{k} = phi i64 [0, %{before}], [{one_more}, %{following}]")
        w.do(f"br i1 {w.let(f'icmp ult i64 {k}, {count}')}, label %{body}, label %{after}")
        w.label(body)
        x, y = (w.let(f"load ptr, ptr {w.let(f'getelementptr ptr, ptr {p}, i64 {k}')}") for p in (a, b))
        w.do(f"br i1 {w.let(f'icmp eq ptr {x}, {y}')}, label %{following}, label %{otherwise}")
        w.label(following)
        w.do(f"{one_more} = add i64 {k}, 1")
        w.do(f"br label %{loop}")
        w.label(after)

    def disjoint(self, a: str, size_a: int, b: str, size_b: int) -> str:
        """Whether two pieces of memory do not overlap."""
        end_a, end_b = (self.w.let(f"getelementptr i8, ptr {p}, i64 {size}") for p, size in ((a, size_a), (b, size_b)))
        before, after = (self.w.let(f"icmp ule ptr {end}, {start}") for end, start in ((end_a, b), (end_b, a)))
        return self.w.let(f"or i1 {before}, {after}")

    def tuple_size(self, group: str) -> str:
        """Number of a tuple's items."""
        return self.w.let(f"load i64, ptr {self.w.let(f'getelementptr i8, ptr {group}, i64 {SIZE}')}")

    def tuple_items(self, group: str, start: int = 0) -> str:
        """The table of a tuple's items, from item `start` on."""
        return self.w.let(f"getelementptr i8, ptr {group}, i64 {TUPLE_ITEMS + 8 * start}")

    def tuple_item(self, group: str, k: int) -> str:
        """An item of a tuple."""
        return self.w.let(f"load ptr, ptr {self.tuple_items(group, k)}")

    def require(self, condition: str, otherwise: str) -> None:
        """Branch to `otherwise` unless a condition holds."""
        label = self.w.name("go")
        self.w.do(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.w.label(label)
