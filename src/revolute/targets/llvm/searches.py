"""Many searches in machine code: a lane continues with its next start, or the next row, as soon as a search ends.

A row is a problem with one or more attempts, each from another start. A graph takes a step of an attempt; its state
`search` begins with a squared error, the number of steps, and a status: 0 going, 1 found, 2 given up. Attempts of a row
end in order: the first successful one counts, otherwise the one with the smallest error. So rows are independent.

Starts are given, or those of a pool, the nearest first: a second graph computes the distance of a row from a start.

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
from revolute.targets.llvm.search_code import ENDS, WORDS, SearchCode
from revolute.targets.llvm.writer import USUAL

__all__ = ["ENDS", "WORDS", "SearchGraphs", "search_parts"]


@dataclass(frozen=True, eq=False)
class SearchGraphs:
    """The graphs of searches: a step, and the distance of a row from a place.

    They go from (q, search, row, lower, upper, tolerance) to the next q and search, and from (place, row) to a number.
    A place may have more numbers than a row.
    """

    step: Graph
    distance: Graph


def search_parts(
    graphs: SearchGraphs, lanes: Lanes, chunk: int = CHUNK, most: int | None = None
) -> Iterator[CompiledPart]:
    """The LLVM IR of modules with `void seek(ptr words, i64 begin, i64 end)`, for pieces begin to end."""
    step = GraphFunction(graphs.step, lanes, chunk, "step.")
    distance = GraphFunction(graphs.distance, lanes, chunk, "distance.")
    names = "q", "search", "row", "lower", "upper", "tolerance", "place"
    arrays = *graphs.step.inputs, graphs.distance.inputs[0]
    own = SearchCode({name: x.size for name, x in zip(names, arrays, strict=True)}, lanes, step, distance)

    def text(texts: Sequence[PrintedCode]) -> str:
        definitions = [f"define{x}" for text in texts for x in text.definitions.split("define")[1:]]
        declared = USUAL.union(*(text.declarations for text in texts))
        shared = dict.fromkeys(x.rstrip() for x in definitions)  # both graphs may call the function for large angles
        return "\n".join([*sorted(declared), *shared, *own.texts(), RARELY, ""])

    return modules([step, distance], text, most)
