"""Searches as machine code: compiled for blocks of rows, cached on disk, run in short pieces."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.batch import workers_for
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.pool import CODE, in_pieces
from revolute.compiler.stored import compile_told, key_of, load_stored
from revolute.graph import count, graph_text
from revolute.targets.llvm import CompiledPart, Lanes, Loaded, host
from revolute.targets.llvm.searches import ENDS, WORDS, SearchGraphs, search_parts

Array = NDArray[Any]

CALL = 8192  # rows per thread in a machine-code call: signals wait for its end, about 10 ms, or 1 s if no row is solved

# minimum and maximum number of rows per piece, and number of pieces per thread. Lanes are idle at the end of a piece;
# threads wait for other threads at the end of a call, for at most an eighth of the call: see `targets.llvm.jobs`
LEAST, PIECE, SHARES = 32, 512, 8

STEPS = 10  # approximate number of steps per row
LATE = 16  # index of the first attempt that counts as late
_FRESH = np.array([np.inf, *[0.0] * (len(ENDS) - 1)])  # entry of `ends` for a row before its first attempt


class Pool:
    """Starts shared by all rows.

    Args:
        starts, anywhere: (P, nq) each: states at which attempts start, and at which loose attempts start.
        places: (P, n) targets that `starts` reach, in the form for the second graph.
        lanes: number of lanes of the machine code; by default the most that this processor supports.
    """

    def __init__(self, starts: Array, places: Array, anywhere: Array, lanes: Lanes | None = None) -> None:
        width, (self.count, size) = (lanes or host().lanes()).width, places.shape
        blocks = np.full((-(-self.count // width), width, size), np.inf)
        blocks.reshape(-1, size)[: self.count] = places
        self.places = _in_lines(blocks.swapaxes(1, 2))
        self.starts, self.anywhere = np.ascontiguousarray(starts), np.ascontiguousarray(anywhere)
        self._attempts: dict[tuple[int, ...], Array] = {}

    def attempts(self, total: int, begins: Array, turns: int, stride: int) -> Array:
        """The table of a number of attempts: see `targets.llvm.search_code`, and `Searches.prepared`."""
        key = total, _address(begins), turns, stride
        if key not in self._attempts:
            numbers, table = np.arange(total), np.zeros((total, 3), np.int64)
            late = numbers >= LATE
            loose = late & (numbers % turns > 0)
            # an attempt whose address is zero begins at the nearest unused start of the pool
            table[loose, 0] = _address(self.anywhere) + numbers[loose] * stride
            table[:, 2] = _address(begins) + np.where(loose, 3, 1 + late) * begins.strides[0]
            self._attempts[key] = table
        return self._attempts[key]


class RowSearch:
    """A search for the rows of some arrays: see `Searches.prepared`.

    Attributes:
        ends: (N, 5) for each row, its squared error, steps, whether it was found, earlier attempts, and a 1.
    """

    def __init__(self, searches: Searches, entries: Sequence[Any], others: Sequence[Any], most: int) -> None:
        self._searches, self.ends = searches, entries[-1]
        self._used = entries, others  # these references keep memory alive that the machine code reads
        self._widest = 1 << (most - 1).bit_length()  # maximum number of lanes that search for the same row
        numbers = [x if isinstance(x, int) else _address(x) for x in entries]
        self._words = _Words(*numbers, self._widest, 0, 0, 1, 1, 0)  # initially, the words describe a single row

    def run(self, threads: int | None) -> None:
        """RowSearch for all rows.

        Raises:
            MemoryError: there is not enough memory for blocks.
        """
        self.ends[:] = _FRESH
        rows, words = np.arange(len(self.ends)), _Words.from_buffer_copy(self._words)
        words[_LIST], left = _address(rows), len(rows)
        _, seek, operations = self._searches.loaded
        work = operations * STEPS
        workers = workers_for(threads, float(len(rows)) * work)
        # difficult rows remain after each pass; the next pass assigns more lanes to each of these rows
        while left:
            ring, least = self._shared_by(left)
            for start in range(0, left, CALL * workers):
                stop = min(start + CALL * workers, left)
                unit = min(max(-(-(stop - start) // (SHARES * workers)), LEAST), PIECE)
                words[_CALL] = [ring, least, start, stop, unit]
                in_pieces(seek, ctypes.addressof(words), -(-(stop - start) // unit), unit * work, workers)
                self._check(words)
            # finished attempts are recorded in `ends`; the next pass continues after the recorded attempts
            (going,) = (self.ends[:, -1] == 0).nonzero()
            left = len(going)
            rows[:left] = going

    @cached_property
    def one(self) -> Callable[[], list[float]]:
        """Searches for a single row, with as many lanes as attempts; returns its result."""
        loaded, seek, _ = self._searches.loaded
        words, code = self._words, CODE(seek)
        table, end = ctypes.addressof(words), self.ends[0]

        def one() -> list[float]:
            end[...] = _FRESH
            code(table, 0, 1)
            self._check(words)
            found: list[float] = end.tolist()
            return found

        one.uses = loaded, self._used  # type: ignore[attr-defined]
        return one

    def _shared_by(self, rows: int) -> tuple[int, int]:
        """Number of lanes per row: as many as one block has for all of these. And number of active slots at the end.

        That is when each remaining row can have four times as many lanes.
        """
        width, ring = self._searches.width, 1
        # ring sizes are powers of two, so that whole rings fill a block
        while 2 * ring <= self._widest and 2 * ring * rows <= width:
            ring *= 2
        return ring, width // (4 * ring) if 2 * ring <= self._widest else 0

    def _check(self, words: ctypes.Array[ctypes.c_int64]) -> None:
        if words[_LOST]:
            raise MemoryError(f"out of memory for {self._searches.name}")


class Searches:
    """Searches of one machine: see `targets.llvm.searches`.

    The identity is that of `compiler.kernel.compiled`; `trace` returns the graphs. Lanes are by default the widest of
    this processor.
    """

    def __init__(
        self, name: str, owner: str, identity: str | None, trace: Callable[[], SearchGraphs],
        lanes: Lanes | None = None,
    ) -> None:
        self.name, self.owner, self._lanes = name, owner, lanes or host().lanes()
        self.width = self._lanes.width
        self._trace, self._identity = trace, identity

    @cached_property
    def graphs(self) -> SearchGraphs:
        """The graphs of a step, and of the distance of a start from a target."""
        with no_garbage_collection():
            return self._trace()

    def prepared(
        self, rows: Array, first: Array | None, pool: Pool | None, total: int, begins: Array,
        limits: tuple[Array, Array], tolerance: Array, turns: int, q: Array,
    ) -> RowSearch:
        """A search for all rows of these arrays, whose memory it uses.

        Args:
            rows: (N, n) data of all rows.
            first: (N, nq) the own start of each row, or None.
            pool: starts common to all rows, or None.
            total: maximum number of attempts of a row, from 1 to the number of starts.
            begins: (4, search) first states of the search: from own starts, from common ones, from the same from
                attempt LATE on, and of loose attempts.
            limits: (nq,) lower and (nq,) upper joint limits, inputs of the graph.
            tolerance: () tolerance, an input of the graph.
            turns: from attempt LATE on, one of this many attempts is not loose.
            q: (N, nq) for the results.
        """
        ends, stride = np.empty((len(rows), len(ENDS))), q.strides[0]
        attempts = pool.attempts(total, begins, turns, stride) if pool else np.zeros((1, 3), np.int64)
        if first is not None:
            attempts = attempts.copy()
            attempts[0] = _address(first), stride, _address(begins)
        commons = (pool.starts, pool.places, pool.count) if pool else (None, None, 0)
        entries = rows, _FIRST, attempts, total, *commons, *limits, tolerance, q, ends
        return RowSearch(self, entries, (first, begins, pool), min(total, self._lanes.width))

    @cached_property
    def loaded(self) -> tuple[Loaded, int, int]:
        """Machine code, the address of `seek`, and the operations of a step."""
        identity = self._identity or "\n".join(map(graph_text, (self.graphs.step, self.graphs.distance)))
        key = key_of("searches", self.name, self.owner, identity, repr(self._lanes))
        loaded, notes = load_stored(key) or compile_told(f"{self.name} of {self.owner!r}", key, self._source)
        return loaded, loaded.function("seek"), int(notes["operations"])

    def _source(self) -> tuple[int, Callable[[], Iterable[CompiledPart]]]:
        operations = sum(count(x).arithmetic for x in (self.graphs.step, self.graphs.distance))
        return operations, partial(search_parts, self.graphs, self._lanes)


_LOST = WORDS.index("lost")
_CALL = slice(WORDS.index("ring"), WORDS.index("unit") + 1)
_LIST = WORDS.index("list")
_Words = ctypes.c_int64 * len(WORDS)
_FIRST = np.zeros(1, np.int64)


def _address(x: Array | None) -> int:
    return 0 if x is None else int(x.__array_interface__["data"][0])


def _in_lines(x: Array) -> Array:
    """A copy whose memory is aligned to a cache line."""
    memory = np.empty(x.size + 8)
    skip = -_address(memory) % 64 // 8
    aligned = memory[skip : skip + x.size].reshape(x.shape)
    aligned[...] = x
    return aligned
