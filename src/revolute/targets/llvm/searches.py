"""Many searches in machine code: a lane goes on with its next start, or the next row, as soon as a search has ended.

A row is a problem with one or more attempts, each from another start. A graph takes a step of an attempt; its state
`search` begins with a squared error, the number of steps, and a status: 0 going, 1 found, 2 given up. Attempts of a
row end in order: the first that has found counts, else the one with the least error. So no row depends on others.

Starts are those of the row itself, if there are any, and then those of a pool, the nearest first: a second graph says
how far a row is from a start. Late attempts, from number LATE on, are `loose` but for each `turns`-th: those have
starts and a first state of their own kind.

`seek(words, begin, end)` works on some pieces of the rows. BLOCKS blocks of lanes take turns, so that the processor
computes the end of a step of one and the start of that of another. Each lane has a row of its own, as long as there are
rows enough. Then `ring` lanes share a row, with attempts that follow each other: lane `head` has the earliest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from revolute.graph.graph import Graph
from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.kernel import CHUNK, RARELY, GraphFunction, PrintedCode
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.parts import modules
from revolute.targets.llvm.search_code import SEARCH_CODE
from revolute.targets.llvm.short_forms import expanded, with_values

__all__ = ["BLOCKS", "ENDS", "PLACE_AHEAD", "WORDS", "SearchGraphs", "search_parts"]

WORDS = (
    "rows", "first", "starts", "anywhere", "places", "count", "total", "begins", "lower", "upper", "tolerance", "q",
    "ends", "turns", "most", "start", "stop", "unit", "lost",
)  # fmt: skip
"""Addresses of rows' data, of their own starts (0 without), of the pool's, of those of loose attempts by number, and of
the pool for the second graph, in blocks of lanes. How many the pool has, and attempts of a row in all. Addresses of the
first states of attempts, from a row's own start, from one of the pool, the same from LATE on, and of loose ones. Of
limits, of the tolerance, of results. Of how many late attempts one is not loose. The most lanes that share a row. The
rows of this call, `start` to before `stop`, and how many make a piece. 1 if memory ran out."""

ENDS = ("squared", "iterations", "found", "restarts")
"""Results of a row besides q: they begin with infinity and zeros."""

BLOCKS = 4
"""Blocks of lanes that take turns."""

LATE = 16
"""The number of the first late attempt."""

LINE = 64
"""Bytes of a cache line."""

PLACE_AHEAD = 1
"""Numbers of a place in the pool besides those of a row."""

_SLOT = ("row", "head", "issued", "ready", "distances")
_BLOCK = ("q", "next.q", "search", "next.search", "live")
_TURN = ("next", "end", "ring", "live", "list")
"""Words of a slot (the lanes of a row), of a block and of the whole search; each of these records has a cache line."""


@dataclass(frozen=True, eq=False)
class SearchGraphs:
    """The graphs of searches.

    Attributes:
        step: (q, search, row, lower, upper, tolerance) to the next q and search.
        distance: (place, row) to a number; a place has PLACE_AHEAD more numbers than a row.
    """

    step: Graph
    distance: Graph


def search_parts(
    graphs: SearchGraphs, lanes: Lanes, chunk: int = CHUNK, most: int | None = None
) -> Iterator[CompiledPart]:
    """The LLVM IR of modules with `void seek(ptr words, i64 begin, i64 end)`, for pieces begin to end."""
    step = GraphFunction(graphs.step, lanes, chunk, "step.")
    distance = GraphFunction(graphs.distance, lanes, chunk, "distance.")

    def text(texts: Sequence[PrintedCode]) -> str:
        definitions = [f"define{x}" for text in texts for x in text.definitions.split("define")[1:]]
        own = expanded(with_values(SEARCH_CODE, _values(graphs, lanes, step, distance)), ())
        declared = {line for text in texts for line in text.declarations} - set(own.splitlines())
        return "\n".join([*sorted(declared), *dict.fromkeys(x.rstrip() for x in definitions), own, RARELY, ""])

    return modules([step, distance], text, most)


def _values(graphs: SearchGraphs, lanes: Lanes, step: GraphFunction, distance: GraphFunction) -> dict[str, int | str]:
    """What stands for the names in capital letters."""
    q, search, row, *_ = (x.size for x in graphs.step.inputs)
    width, vector = lanes.width, lanes.bytes
    shared = {"one.row": row * vector, "lower": q * vector, "upper": q * vector, "tolerance": vector}
    shared |= {"work": max(step.workspace, distance.workspace), "list": 8 * (width * BLOCKS + 1)}
    buffers = {"q": q, "next.q": q, "search": search, "next.search": search, "rows": row}
    own = {name: size * vector for name, size in buffers.items()} | {"slots": width * LINE}
    of_shared, blocks = _places(shared, LINE)
    of_block, block = _places(own, LINE)
    fixed = blocks + BLOCKS * block
    inputs = "ptr %q, ptr %search, ptr %data, ptr %lower, ptr %upper, ptr %tolerance"
    ahead, back = f"{inputs}, ptr %next.q, ptr %next.search, ptr %work", f"{inputs}, ptr %q, ptr %search, ptr %work"
    numbers = {
        "LANES": width, "LANES_LESS_ONE": width - 1, "ALL_LANES": width * BLOCKS, "VECTOR_BYTES": vector,
        "BLOCKS": BLOCKS, "BLOCK_BYTES": block, "AT_BLOCKS": blocks, "FIXED_BYTES": fixed,
        "SIZE_AND_LINE": fixed + LINE, "LINE_LESS_ONE": LINE - 1, "MINUS_LINE": -LINE, "LATE": LATE,
        "Q_SIZE": q, "SEARCH_SIZE": search, "ROW_SIZE": row,
        "PLACE_SIZE": row + PLACE_AHEAD, "E_COUNT": len(ENDS),
    }  # fmt: skip
    texts = {
        "STEP": _calls(step.calls, ahead),
        "PREPARE": _calls([step.prepare], ahead) + _calls([step.prepare], back),
        "MEASURE": _calls(distance.calls, "ptr %place, ptr %one.row, ptr %block, ptr %work"),
    }
    tables = (("W", WORDS), ("S", _SLOT), ("T", _TURN), ("E", ENDS), ("B", _BLOCK))
    entries = {f"{prefix}_{_capitals(name)}": k for prefix, names in tables for k, name in enumerate(names)}
    return {**entries, **of_shared, **of_block, **numbers, **texts}


def _capitals(name: str) -> str:
    return name.upper().replace(".", "_")


def _places(sizes: dict[str, int], start: int) -> tuple[dict[str, int], int]:
    """Where parts of these sizes begin, in whole cache lines, and where they end."""
    places, at = {}, start
    for name, size in sizes.items():
        places[f"AT_{_capitals(name)}"] = at
        at += max(-(-size // LINE), 1) * LINE
    return places, at


def _calls(names: Sequence[str], arguments: str) -> str:
    return "\n  ".join(["", *(f"call void @{name}({arguments})" for name in names)])
