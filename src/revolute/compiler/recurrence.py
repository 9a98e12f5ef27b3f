"""Loops over time as machine code: compiled for single rows or for blocks, cached on disk, run in short pieces."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial

import numpy as np

from revolute.arguments import Array
from revolute.compiler.batch import workers_for
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.pool import CODE, in_pieces
from revolute.compiler.stored import compile_told, key_of, load_stored
from revolute.graph import code_length, graph_text
from revolute.targets.llvm import CompiledPart, Lanes, Loaded, host
from revolute.targets.llvm.instant import GROUP, WORDS
from revolute.targets.llvm.march import recurrence_parts
from revolute.targets.llvm.recurrence import LoopForm, Recurrence
from revolute.targets.llvm.stage import BYPASS

CALL = 1e8  # maximum number of operations per machine-code call, block and thread: signals wait until the call ends
SHORT = 0.025  # approximate duration of a machine-code call [s]
FEW = 4  # maximum number of threads counted in the size of a call, because one thread may have to do all the work
MOVES = 100  # cost of advancing a block by one instant [operations]
SHARES = 8  # desired number of groups of blocks per thread in a call: threads wait for at most one group at the end
REACHED = WORDS.index("reached")  # index of the word that counts the instants with finite states
_CALL = slice(WORDS.index("start"), WORDS.index("end") + 1)  # indices of the words that each call sets


class TimeLoop:
    """A loop over time: see `targets.llvm.recurrence` and `targets.llvm.march`.

    `identity` is as in `compiler.kernel.compiled`; `form` describes the arrays, and `trace` returns the graphs.
    """

    def __init__(
        self, name: str, owner: str, identity: str | None, form: LoopForm, trace: Callable[[], Recurrence]
    ) -> None:
        self.name, self.owner, self.form = name, owner, form
        self._trace, self._identity = trace, identity
        self._code: dict[int, tuple[Loaded, int, int]] = {}

    @cached_property
    def recurrence(self) -> Recurrence:
        """The traced graphs of the loop."""
        with no_garbage_collection():
            return self._trace()

    def instants_in(self, seconds: float, rows: int, threads: int | None) -> int:
        """Number of instants that take about `seconds` to compute for `rows` rows. The first call compiles code."""
        *_, operations = self._loaded(self._lanes(rows))
        work = seconds / SHORT * CALL
        each = max(float(rows) * operations, 1.0)
        return max(int(work / each * workers_for(threads, work)), 1)

    def run(self, arrays: Mapping[str, Array], threads: int | None) -> int:
        """Compute the states after the first instant, and the stores of all instants, in these arrays.

        Args:
            arrays: (instants, rows, *core) of float64 for each state, load and store, in this order; loads may be
                broadcast. There is at least one instant, and the states at the first are finite.
            threads: number of threads; None for all cores if that is faster.

        Returns:
            The number of instants before the first one with a state that is not finite.

        Raises:
            MemoryError: there is not enough memory for a block.
        """
        return self.prepared(arrays, threads)()

    def prepared(self, arrays: Mapping[str, Array], threads: int | None) -> Callable[[], int]:
        """A function that repeats `run` with these arrays, which it keeps; their table is created only once."""
        # all tables are filled here, once; each call then writes only four words of the table
        instants, rows = next(iter(arrays.values())).shape[:2]
        assert not self.form.passing, "several calls would need all states"
        march, table, groups, operations = self.for_code(arrays)
        workers = workers_for(threads, float(rows) * instants * operations)
        first, address = table.copy(), table.ctypes.data
        calls = [
            (np.array([part.start * GROUP, span.start, span.stop]), len(part), GROUP * operations * len(span))
            for span, part in _calls(instants, groups, GROUP * operations, workers)
        ]

        if workers == len(calls) == 1:
            code = CODE(march)

            def once(_: object = arrays) -> int:
                table[REACHED] = instants
                code(address, 0, groups)
                return reached(table, self.name)

            return once

        def run(_: object = arrays) -> int:  # their memory lives as long as `run`, as the code does
            table[:] = first
            for call, items, work in calls:
                # the state at the first instant of this call is not finite
                if table[REACHED] <= call[1]:
                    break
                table[_CALL] = call
                in_pieces(march, address, items, work, workers)
            return reached(table, self.name)

        return run

    def for_code(self, arrays: Mapping[str, Array]) -> tuple[int, Array, int, int]:
        """For machine code: address of `march`, its table, number of groups, operations of a block per instant.

        Before each call, the word `reached` must be set to the number of instants.
        """
        instants, rows = next(iter(arrays.values())).shape[:2]
        lanes, past = self._lanes(rows), self._past_the_cache(arrays)
        words = [rows, 0, 0, instants, instants, instants, past, *_array_words(arrays)]
        _, march, operations = self._loaded(lanes)
        return march, np.array(words, np.int64), -(-rows // (lanes.width * GROUP)), operations

    def _lanes(self, rows: int) -> Lanes:
        """The lanes of blocks, or of single rows if the rows do not fill a block."""
        wide = host().lanes()
        return wide if rows >= wide.width else Lanes(1, wide.bits, wide.fma)

    def _past_the_cache(self, arrays: Mapping[str, Array]) -> bool:
        """Whether records bypass the cache: they are larger than it, and the rows of each instant are contiguous."""
        records = [arrays[name] for name in (*self.form.recorded, *self.form.stores)]
        return sum(x.nbytes for x in records) >= BYPASS and all(x[0].flags.c_contiguous for x in records)

    def _loaded(self, lanes: Lanes) -> tuple[Loaded, int, int]:
        """Machine code for these lanes, the address of `march`, and the cost of an instant of a block [operations]."""
        # at most two versions of the code are kept: one for blocks and one for a few rows
        if lanes.width not in self._code:
            identity = self._identity or graph_text(self.recurrence.body)
            key = key_of("loop", self.name, self.owner, identity, repr(lanes))
            source = partial(self._source, lanes)
            loaded, notes = load_stored(key) or compile_told(f"{self.name} of {self.owner!r}", key, source)
            code = loaded, loaded.function("march"), int(notes["operations"]) + MOVES
            self._code.setdefault(lanes.width, code)  # if another thread has compiled the code first, that code is used
        return self._code[lanes.width]

    def _source(self, lanes: Lanes) -> tuple[int, int, Callable[[], Iterable[CompiledPart]]]:
        loop = self.recurrence
        return loop.operations, code_length(loop.body), partial(recurrence_parts, loop, lanes)


def reached(table: Array, name: str) -> int:
    """The number of instants before the first one with a state that is not finite."""
    found = int(table[REACHED])
    if found < 0:
        raise MemoryError(f"out of memory for the loop of {name}")
    return found


def _calls(instants: int, groups: int, operations: int, workers: int) -> Iterator[tuple[range, range]]:
    """Pairs of a span of instants and a part of the groups of blocks; each pair is one short call of machine code."""
    # `operations` is their number for a group in one instant.
    most = CALL * min(workers, FEW) / operations
    # a call covers many instants of few groups or few instants of many groups, so that all calls are short
    length = max(int(most / max(min(groups, SHARES * workers), 1)), 1)
    count = max(int(most / min(length, instants)), 1)
    for span in _ranges(instants, length):
        for part in _ranges(groups, count):
            yield span, part


def _ranges(items: int, length: int) -> Iterator[range]:
    """Ranges that cover all items, with equal lengths except for the last."""
    return (range(k, min(k + length, items)) for k in range(0, items, length))


def _array_words(arrays: Mapping[str, Array]) -> Iterator[int]:
    """The address and strides of every array, as words of the table of `march`."""
    for x in arrays.values():
        yield x.ctypes.data
        yield from x.strides
