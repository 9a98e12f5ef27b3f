"""Writer of functions in LLVM IR: values, memory, conditions and loops."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import reduce

LINE = 64  # size of a cache line [bytes]

USUAL = frozenset({
    "declare ptr @malloc(i64)",
    "declare void @free(ptr)",
    "declare i64 @llvm.umin.i64(i64, i64)",
    "declare i64 @llvm.umax.i64(i64, i64)",
    "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
})
"""Function declarations that every module contains, because a function may be declared only once."""


def whole_lines(size: int) -> int:
    """A number of bytes, rounded up to whole cache lines."""
    return -(-size // LINE) * LINE


class IRWriter:
    """Collects the lines of one function, and names its values.

    Values, addresses and labels are strings. Numbers without a type are integers of 64 bits.

    Attributes:
        lines: the instructions so far.
        declared: declarations of the functions that the lines call, except those in `USUAL`.
        block: label of the last block.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.block = "entry"
        self._variables: list[str] = []
        self._names = 0
        self._carried: list[dict[str, tuple[str, str]]] = []
        self._last: dict[str, str] = {}

    # --- lines -------------------------------------------------------------------------

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

    def define(self, head: str, attributes: str = "nounwind") -> str:
        """The text of the function, starting with all its variables."""
        return "\n".join([f"define {head} {attributes} {{", "entry:", *self._variables, *self.lines, "}", ""])

    # --- values ------------------------------------------------------------------------

    def add(self, a: str, b: int | str) -> str:
        """a + b."""
        return self.let(f"add i64 {a}, {b}")

    def sub(self, a: int | str, b: int | str) -> str:
        """a - b."""
        return self.let(f"sub i64 {a}, {b}")

    def mul(self, a: str, b: int | str) -> str:
        """a b."""
        return self.let(f"mul i64 {a}, {b}")

    def div(self, a: int | str, b: int | str) -> str:
        """The quotient of a and b, rounded down; neither is negative."""
        return self.let(f"udiv i64 {a}, {b}")

    def div_up(self, a: str, b: int | str) -> str:
        """The quotient of a and b, rounded up."""
        return self.div(self.add(a, self.sub(b, 1)), b)

    def least(self, a: str, b: int | str) -> str:
        """The smaller of two numbers that are not negative."""
        return self.let(f"call i64 @llvm.umin.i64(i64 {a}, i64 {b})")

    def most(self, a: str, b: int | str) -> str:
        """The larger of two numbers that are not negative."""
        return self.let(f"call i64 @llvm.umax.i64(i64 {a}, i64 {b})")

    def test(self, how: str, a: str, b: int | str, kind: str = "i64") -> str:
        """The truth value of LLVM's comparison `icmp`; `how` is "eq", "ne", "ult", "slt" or another predicate."""
        return self.let(f"icmp {how} {kind} {a}, {b}")

    def is_not(self, condition: str) -> str:
        """Negation of a condition."""
        return self.let(f"xor i1 {condition}, true")

    def is_all(self, *conditions: str) -> str:
        """Whether all truth values are true."""
        return reduce(lambda a, b: self.let(f"and i1 {a}, {b}"), conditions)

    def is_any(self, *conditions: str) -> str:
        """Whether any truth value is true."""
        return reduce(lambda a, b: self.let(f"or i1 {a}, {b}"), conditions)

    def either(self, condition: str, kind: str, a: str, b: str) -> str:
        """The value a if a condition is true, otherwise b."""
        return self.let(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    # --- memory ------------------------------------------------------------------------

    def variable(self, kind: str, value: str = "", count: int = 1) -> str:
        """Stack memory for `count` values of a kind, the first of which may be initialised; returns its address."""
        place = f"%{self.name('here')}"
        self._variables.append(f"  {place} = alloca [{count} x {kind}], align 16")
        if value:
            self.put(kind, value, place)
        return place

    def at(self, pointer: str, offset: int | str) -> str:
        """The address at an offset in bytes from a pointer."""
        return self.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def place(self, pointer: str, k: int | str, size: int = 8) -> str:
        """The address of item k of a table whose items have `size` bytes."""
        return self.let(f"getelementptr [{size} x i8], ptr {pointer}, i64 {k}")

    def get(self, kind: str, pointer: str) -> str:
        """Load a value of a kind from an address."""
        return self.let(f"load {kind}, ptr {pointer}, align 4")

    def put(self, kind: str, value: str, pointer: str) -> None:
        """Store a value at an address."""
        self.do(f"store {kind} {value}, ptr {pointer}, align 4")

    def item(self, kind: str, array: str, k: int | str) -> str:
        """Load item k of an array in memory."""
        return self.let(f"load {kind}, ptr {self.let(f'getelementptr {kind}, ptr {array}, i64 {k}')}")

    def number(self, table: str, k: int | str) -> str:
        """Item k of a table of 64-bit integers."""
        return self.item("i64", table, k)

    def pointer(self, table: str, k: int | str) -> str:
        """Item k of a table of pointers."""
        return self.item("ptr", table, k)

    def memory(self, size: int | str, lost: Callable[[], None], stack: int = 0) -> tuple[str, str]:
        """Memory that begins with a cache line, and the heap block that contains it: "null" if it is on the stack.

        Memory of at most `stack` bytes is on the stack. `lost` writes code for a failed allocation, which must return.
        """
        if isinstance(size, int) and size <= stack:
            place = f"%{self.name('here')}"
            self._variables.append(f"  {place} = alloca [{max(size, 1)} x i8], align {LINE}")
            return place, "null"
        heap = self.let(f"call ptr @malloc(i64 {self.add(str(size), LINE)})")
        none, some = self.name("lost"), self.name("found")
        self.branch(self.test("eq", heap, "null", "ptr"), none, some)
        self.label(none)
        lost()
        self.label(some)
        return self.aligned(heap), heap

    def free(self, heap: str) -> None:
        """Free a heap block from `memory`."""
        if heap != "null":
            self.do(f"call void @free(ptr {heap})")

    def aligned(self, pointer: str) -> str:
        """The first address aligned to a cache line at or after a pointer."""
        return self.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {self.at(pointer, LINE - 1)}, i64 {-LINE})")

    def copy(self, target: str, source: str, size: int | str) -> None:
        """Copy a number of bytes."""
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")

    def clear(self, target: str, size: int | str, value: int = 0) -> None:
        """Set a number of bytes to a value."""
        self.do(f"call void @llvm.memset.p0.i64(ptr {target}, i8 {value}, i64 {size}, i1 false)")

    # --- functions ---------------------------------------------------------------------

    def call(self, result: str, function: str, args: Iterable[tuple[str, str]]) -> str:
        """Call a function of (type, value) arguments, declaring it; returns its value, "" for a void function."""
        pairs = list(args)
        self.declared.add(f"declare {result} @{function}({', '.join(t for t, _ in pairs)})")
        return self.run(f"@{function}", result, *[f"{t} {v}" for t, v in pairs])

    def run(self, function: str, kind: str, *arguments: str) -> str:
        """Call a function at an address; each argument is a type and a value."""
        call = f"call {kind} {function}({', '.join(arguments)})"
        if kind == "void":
            self.do(call)
            return ""
        return self.let(call)

    # --- control flow ------------------------------------------------------------------

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{name}:")
        self.block = name

    def go(self, label: str) -> None:
        """Jump to a label."""
        self.do(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """Jump to one of two labels."""
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def require(self, condition: str, otherwise: str) -> None:
        """Continue if a condition is true, otherwise jump to a label."""
        then = self.name("then")
        self.branch(condition, then, otherwise)
        self.label(then)

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Write the lines of this block so that they run only if a condition is true."""
        then, after = self.name("when"), self.name("after")
        self.branch(condition, then, after)
        self.label(then)
        yield
        self.go(after)
        self.label(after)

    def choose(self, condition: str, then: Callable[[], object], otherwise: Callable[[], object]) -> None:
        """Write both branches of a condition."""
        yes, no, after = self.name("yes"), self.name("no"), self.name("after")
        self.branch(condition, yes, no)
        for label, write in ((yes, then), (no, otherwise)):
            self.label(label)
            write()
            self.go(after)
        self.label(after)

    @contextmanager
    def loop_while(self, condition: Callable[[], str]) -> Iterator[None]:
        """Write the lines of this block as a loop that runs while a condition is true; its variables are in memory."""
        test, body, after = self.name("test"), self.name("body"), self.name("after")
        self.go(test)
        self.label(test)
        self.branch(condition(), body, after)
        self.label(body)
        yield
        self.go(test)
        self.label(after)

    @contextmanager
    def each(self, end: str, first: str = "0") -> Iterator[str]:
        """Write a loop over the integers from `first` to `end` - 1, possibly none."""
        head, body, after, before = self.name("each"), self.name("body"), self.name("after"), self.block
        self.go(head)
        self.label(head)
        at, k = len(self.lines), f"%{head}.k"
        self._carried.append({})
        self.branch(self.test("ult", k, end), body, after)
        self.label(body)
        yield k
        following = self.add(k, 1)
        self.go(head)
        for name in self._phis(at, before, k, first, following):
            self._last[name] = name
        self.label(after)

    @contextmanager
    def counted(self, count: str, step: str = "1") -> Iterator[str]:
        """Write a loop whose body runs for k = 0, step, 2 step, ... below `count`, which is more than 0."""
        body, before = self.name("each"), self.block
        self.go(body)
        self.label(body)
        at, k = len(self.lines), f"%{body}.k"
        self._carried.append({})
        yield k
        following = self.add(k, step)
        self.branch(self.test("ult", following, count), body, f"{body}.done")
        self._phis(at, before, k, "0", following)
        self.label(f"{body}.done")

    def _phis(self, at: int, before: str, k: str, first: str, following: str) -> Iterable[str]:
        """Write the phi nodes at the head of a loop, once their blocks and values are known."""
        self._last[k] = following
        phis = {k: ("i64", first), **self._carried.pop()}
        self.lines[at:at] = [
            f"  {name} = phi {kind} [ {value}, %{before} ], [ {self._last[name]}, %{self.block} ]"
            for name, (kind, value) in phis.items()
        ]
        return phis.keys()

    def carried(self, kind: str, first: str) -> str:
        """A loop-carried value of the current loop; see `carry`."""
        name = f"%{self.name('carried')}"
        self._carried[-1][name] = kind, first
        return name

    def carry(self, carried: str, value: str) -> None:
        """Set the value of a loop-carried variable in the next iteration."""
        self._last[carried] = value

    def last(self, carried: str) -> str:
        """The final value of a loop-carried variable."""
        return self._last[carried]
