"""Searches as machine code: compiled for blocks of rows, kept on disk, run in short pieces."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.batch import workers_for
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.pieces import run_pieces
from revolute.compiler.stored import compile_told, key_of, load_stored
from revolute.graph import count, graph_text
from revolute.targets.llvm import CompiledPart, Lanes, Loaded, host
from revolute.targets.llvm.searches import WORDS, SearchGraphs, search_parts

__all__ = ["Pool", "Searches"]

Array = NDArray[Any]

CALL = 8192
"""Rows of a call of the machine code per thread: signals wait for its end, some 10 ms, or 1 s if no row is solved."""

PIECE, SHARES = 512, 8
"""The most rows of a piece of work, and pieces for each thread. At the end of a piece lanes are empty; at the end of a
call threads wait for a piece of another, and must not wait for more than an eighth of it: see `targets.llvm.jobs`."""

STEPS = 10
"""Steps of a row, about."""


class Pool:
    """Starts that all rows have in common.

    Args:
        starts: (P, nq) states.
        places: (P, n) where they lead to, as the second graph reads it.
        anywhere: (P, nq) starts of loose attempts.
        lanes: of the machine code; by default the widest of this processor.
    """

    def __init__(self, starts: Array, places: Array, anywhere: Array, lanes: Lanes | None = None) -> None:
        width, (self.count, size) = (lanes or host().lanes()).width, places.shape
        blocks = np.full((-(-self.count // width), width, size), np.inf)
        blocks.reshape(-1, size)[: self.count] = places
        self.places = _in_lines(blocks.swapaxes(1, 2))
        self.starts, self.anywhere = np.ascontiguousarray(starts), np.ascontiguousarray(anywhere)


class Searches:
    """Searches of one machine: see `targets.llvm.searches`.

    Args:
        name, owner: of the searches and of the machine, for messages.
        identity: the exact text of all that determines them, besides the source of this library; None if code from
            outside takes part: then the graphs are the identity.
        trace: makes the graphs.
        lanes: of the machine code; by default the widest of this processor.
    """

    def __init__(
        self, name: str, owner: str, identity: str | None, trace: Callable[[], SearchGraphs],
        lanes: Lanes | None = None,
    ) -> None:
        self.name, self.owner, self._lanes = name, owner, lanes or host().lanes()
        self._trace, self._identity = trace, identity

    @cached_property
    def graphs(self) -> SearchGraphs:
        """Those of a step, and of the distance from a place."""
        with no_garbage_collection():
            return self._trace()

    def words(
        self, rows: Array, first: Array | None, pool: Pool | None, total: int, begins: Array,
        limits: tuple[Array, Array], tolerance: Array, q: Array, ends: Array, turns: int,
    ) -> Array:
        """The table of a call. The arrays must live as long as it does.

        Args:
            rows: (N, n) data of all rows.
            first: (N, nq) own starts, or None.
            pool: common starts, or None.
            total: the most attempts of a row, from 1 to as many as there are starts.
            begins: (4, search) first states of the search: from own starts, from common ones, from the same after many
                attempts, and of loose attempts.
            limits: (nq,) lower and upper, for the graph.
            tolerance: () for the graph.
            q: (N, nq) for the results.
            ends: (N, 4) for squared error, steps, whether it was found, and attempts before: infinity and zeros.
            turns: of so many late attempts one is not loose.
        """
        most = 1
        while most < min(total, self._lanes.width):
            most *= 2
        commons = (pool.starts, pool.anywhere, pool.places, pool.count) if pool else (None, None, None, 0)
        entries = rows, first, *commons, total, begins, *limits, tolerance, q, ends, turns, most, 0, 1, 1, 0
        return np.array([x if isinstance(x, int) else _address(x) for x in entries], np.int64)

    def run(self, words: Array, rows: int, threads: int | None) -> None:
        """Search for all rows of a table.

        Raises:
            MemoryError: there is no memory for blocks.
        """
        _, seek, operations = self._loaded
        table = words.ctypes.data
        workers = workers_for(threads, float(rows) * operations * STEPS)
        for start in range(0, rows, CALL * workers):
            stop = min(start + CALL * workers, rows)
            unit = max(min(PIECE, -(-(stop - start) // (SHARES * workers))), 1)
            words[_CALL] = start, stop, unit
            run_pieces(seek, table, -(-(stop - start) // unit), unit * operations * STEPS, workers)
            self.check(words)

    def check(self, words: Array) -> None:
        """Raise `MemoryError` if a call found no memory."""
        if words[_LOST]:
            raise MemoryError(f"no memory for {self.name}")

    @cached_property
    def one(self) -> Callable[[int, int, int], None]:
        """The machine code for single rows: it takes the address of a table, 0 and 1."""
        loaded, seek, _ = self._loaded
        code = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(seek)
        code.loaded = loaded  # type: ignore[attr-defined]
        return code

    @cached_property
    def _loaded(self) -> tuple[Loaded, int, int]:
        """Machine code, the address of `seek`, and the operations of a step."""
        identity = self._identity or "\n".join(map(graph_text, (self.graphs.step, self.graphs.distance)))
        key = key_of("searches", self.name, self.owner, identity, repr(self._lanes))
        loaded, notes = load_stored(key) or compile_told(f"{self.name} of {self.owner!r}", key, self._source)
        return loaded, loaded.function("seek"), int(notes["operations"])

    def _source(self) -> tuple[int, Callable[[], Iterable[CompiledPart]]]:
        operations = sum(count(x).arithmetic for x in (self.graphs.step, self.graphs.distance))
        return operations, partial(search_parts, self.graphs, self._lanes)


_LOST = WORDS.index("lost")
_CALL = slice(WORDS.index("start"), WORDS.index("unit") + 1)


def _address(x: Array | None) -> int:
    return 0 if x is None else int(x.__array_interface__["data"][0])


def _in_lines(x: Array) -> Array:
    """A copy whose memory begins with a cache line."""
    memory = np.empty(x.size + 8)
    skip = -_address(memory) % 64 // 8
    aligned = memory[skip : skip + x.size].reshape(x.shape)
    aligned[...] = x
    return aligned
