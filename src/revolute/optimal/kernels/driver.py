"""Machine code of the iterations. It calls the passes over the nodes and, between them, decisions of `optimal.fddp`.

The same code serves all problems: a table contains the addresses of their passes and arrays, see `WORDS`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache

from revolute.compiler.recurrence import REACHED
from revolute.compiler.signature import Signature
from revolute.compiler.stored import load_shared
from revolute.graph import Input
from revolute.optimal.fddp import FIELDS, Fields, begin, directed, finish, take
from revolute.spatial.scalar import Scalar, Scalars
from revolute.targets.llvm import Lanes, Loaded, host

CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)  # such calls release the GIL

KEPT = 4  # number of arrays that a row copies when it takes a step

WORDS = (
    "rows", "records", "expected", "scored", "changed", "linearize", "arrays", "nodes", "strides",
    "backward", "backward table", "forward", "forward table", "instants", "pieces", "parts",
    *(f"{what} {k}" for k in range(KEPT) for what in ("kept", "made", "size")),
)  # fmt: skip
"""Number of rows; their `FIELDS`; `expected` of the first node and `scored` of the last; whether derivatives must be
computed; the address and arguments of a kernel's loop; of each pass, the address of `march` and its table; instants and
pieces of the passes; and the arrays of a plan: in how many parts a row is copied, and for each array addresses and
the bytes of a part."""

CHANGED = WORDS.index("changed")

LOST = 1  # result of `iterate` if a pass ended early, with numbers that are not finite, or without memory; otherwise 0


@cache
def driver() -> Loaded:
    """The function `i64 iterate(ptr table, i64 most)`, a `CALL`: at most `most` iterations, until a row ends."""
    return load_shared("iterations", _text)


def _decision(function: Callable[..., Fields], *sizes: int) -> Signature:
    """A decision as a function of the array of a row's fields, and of arrays of these sizes."""

    def body(row: Scalars, *others: Scalars) -> Sequence[Scalar]:
        fields = dict(zip(FIELDS, row, strict=True))
        fields |= function(fields, *others)
        return [fields[name] for name in FIELDS]

    inputs = [Input("row", (len(FIELDS),)), *(Input(f"array{k}", (n,)) for k, n in enumerate(sizes))]
    return Signature(function.__name__, tuple(inputs), (("next", (len(FIELDS),)),), body)


def _text() -> str:
    """The LLVM IR of a module with `iterate`."""
    from revolute.targets.llvm.kernel import RARELY, GraphFunction  # only for compilation
    from revolute.targets.llvm.writer import USUAL, IRWriter

    wide = host().lanes()
    signatures = [_decision(begin), _decision(directed, 4), _decision(take, 4, 4), _decision(finish)]
    lanes = Lanes(1, wide.bits, wide.fma)
    decisions = {x.name: GraphFunction(x.graph(), lanes, prefix=f"{x.name}.") for x in signatures}
    printed = [x.printed([x.prepare, *x.calls]) for x in decisions.values()]
    w, size = IRWriter(), 8 * len(FIELDS)
    word = {name: w.number("%table", k) for k, name in enumerate(WORDS)}
    at = {name: w.let(f"inttoptr i64 {x} to ptr") for name, x in word.items()}
    sizes = size, 1 + max(x.workspace for x in decisions.values())
    found, work = (w.variable("i8", count=x) for x in sizes)
    changed = w.place("%table", CHANGED)

    def positive(name: str, k: str) -> str:
        """Whether a field of a row is positive. The bits of a positive number are a positive integer."""
        return w.test("sgt", w.number(w.place(at["records"], k, size), FIELDS.index(name)), 0)

    def decide(name: str, *arrays: str) -> None:
        """Emit the call of a decision for every row."""
        with w.counted(word["rows"]) as k:
            record, function = w.place(at["records"], k, size), decisions[name]
            places = [record, *(w.place(at[x], k, 32) for x in arrays), found, work]
            for called in (function.prepare, *function.calls):
                w.do(f"call void @{called}({', '.join(f'ptr {x}' for x in places)})")
            w.copy(record, found, size)

    def any_row(name: str) -> str:
        """Whether a field of any row is positive."""
        with w.counted(word["rows"]) as k:
            before = w.carried("i1", "false")
            w.carry(before, w.is_any(before, positive(name, k)))
        return w.last(before)

    def march(name: str) -> str:
        """Emit a pass over all nodes; return the number of nodes with finite states."""
        reached = w.place(at[f"{name} table"], REACHED)
        w.put("i64", word["instants"], reached)
        w.run(at[name], "void", f"ptr {at[f'{name} table']}", "i64 0", f"i64 {word['pieces']}")
        return w.get("i64", reached)

    def accept() -> None:
        """Copy the plan of rows that take the step."""
        with w.counted(word["rows"]) as k, w.when(positive("taken", k)):
            w.put("i64", "1", changed)
            with w.counted(word["parts"]) as part:
                for array in range(KEPT):
                    length = word[f"size {array}"]
                    offset = w.mul(w.add(w.mul(part, word["rows"]), k), length)
                    w.copy(w.at(at[f"kept {array}"], offset), w.at(at[f"made {array}"], offset), length)

    left, repeat = w.variable("i64", "%most"), w.variable("i1")
    with w.loop_while(lambda: w.test("ne", w.get("i64", left), 0)):
        decide("begin")
        w.require(any_row("waiting"), "done")
        with w.when(w.test("ne", w.get("i64", changed), 0)):
            w.run(at["linearize"], "void", *(f"ptr {at[x]}" for x in ("arrays", "nodes", "strides")), "ptr null")
            w.put("i64", "0", changed)
        w.put("i1", "true", repeat)
        with w.loop_while(lambda: w.get("i1", repeat)):
            w.require(w.test("eq", march("backward"), word["instants"]), "lost")
            decide("directed", "expected")
            w.put("i1", any_row("again"), repeat)
        with w.loop_while(lambda: any_row("waiting")):
            w.require(w.test("sge", march("forward"), 0), "lost")
            decide("take", "expected", "scored")
            accept()
        decide("finish")
        w.put("i64", w.either(any_row("state"), "i64", "0", w.sub(w.get("i64", left), 1)), left)
    w.go("done")
    w.label("done")
    w.do("ret i64 0")
    w.label("lost")
    w.do(f"ret i64 {LOST}")
    code = w.define("i64 @iterate(ptr %table, i64 %most)")
    declared = sorted(USUAL.union(*(x.declarations for x in printed)))
    return "\n".join([*declared, *(x.definitions for x in printed), code, RARELY, ""])
