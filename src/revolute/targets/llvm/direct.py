"""Moves results larger than the cache from the lanes straight to memory, one cache line of each row at a time.

A square tile of the lanes is transposed in registers, and each of its rows is a line. If rows end with half a line,
every other row begins in the middle of a line: each of its lines is composed of two consecutive tiles, because writing
half a line past the cache takes longer than a whole one. A line that two rows share is written last. Lines that are
zero for all inputs are written without reading the lanes.

The first row must begin with a line.
"""

from collections.abc import Sequence

from revolute.graph.graph import Input, Output
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.layout import transposed
from revolute.targets.llvm.stage import has_stage
from revolute.targets.llvm.writer import LINE, IRWriter

# alignment of rows [bytes]: with a quarter of a line, stores would take as long as the copy that they replace
HALF = LINE // 2
Line = list[str]  # the vectors of a cache line: one or two


def goes_straight(output: Input | Output, lanes: Lanes) -> bool:
    """Whether this mover applies. Rows must have at least a cache line, in half lines; blocks must have whole lines."""
    row = output.size * lanes.element_bytes
    whole = row % HALF == 0 and row * lanes.width % LINE == 0 and row >= LINE
    return whole and has_stage(output, lanes) and lanes.bytes >= HALF


def direct_mover(k: int, output: Output, lanes: Lanes) -> str:
    """A function `direct.k(ptr rows, ptr lanes)` that moves a block to adjacent rows; the first begins with a line."""
    mover = _Mover(f"@direct.{k}.runs", output, lanes)
    table = mover.table()
    mover.write()
    return "\n".join([table, mover.w.define(f"internal void @direct.{k}(ptr noalias %rows, ptr noalias %lanes)")])


class _Mover:
    """Writes the code of a mover. Rows that begin in the middle of a line are called odd, the others even."""

    def __init__(self, runs: str, output: Output, lanes: Lanes) -> None:
        self.w, self.lanes, self._runs = IRWriter(), lanes, runs
        self._line = LINE // lanes.element_bytes
        self._size = output.size
        self._zero = [
            all(at + k in output.zeros for k in range(self._line))
            for at in range(0, output.size - self._line + 1, self._line)
        ]
        # offset of each row of a block within a cache line, if the first row is aligned to a line
        ends = [row * output.size * lanes.element_bytes % LINE for row in range(lanes.width)]
        self._odd = [row for row, end in enumerate(ends) if end]

    def table(self) -> str:
        """The table of runs of whole lines: (first zero line, first other line, end of the run) for each run."""
        runs, at, zero = [], 0, self._zero
        while at < len(zero):
            begin = at
            while at < len(zero) and zero[at]:
                at += 1
            data = at
            while at < len(zero) and not zero[at]:
                at += 1
            runs.append((begin, data, at))
        self._count = len(runs)
        entries = ", ".join(f"[3 x i64] [i64 {a}, i64 {b}, i64 {c}]" for a, b, c in runs)
        return f"{self._runs} = private constant [{len(runs)} x [3 x i64]] [{entries}]"

    def write(self) -> None:
        """Write the function's body."""
        w, odd = self.w, self._odd
        for row in range(self.lanes.width):
            w.do(f"%row{row} = getelementptr i8, ptr %rows, i64 {row * self._size * self.lanes.element_bytes}")
        with w.counted(str(self._count)) as k:
            # in a run, lines from `first` to before `second` are zero, lines from `second` to before `third` are not
            run = w.place(self._runs, k, 24)
            first, second, third = (w.number(run, at) for at in range(3))
            zeros = ["zeroinitializer"] * (LINE // self.lanes.bytes)
            after = w.add(first, 1) if odd else first  # half of the preceding line is zero
            for row in range(self.lanes.width):
                with w.each(second, after if row in odd else first) as z:
                    self._put(row, z, zeros, -HALF if row in odd else 0)
            with w.each(third, second) as d:
                last = {row: w.carried(self.lanes.real, "zeroinitializer") for row in odd}
                for row, line in enumerate(self._rows_of(w.mul(d, self._line))):
                    if row in odd:
                        self._put(row, d, self._between([last[row]], line), -HALF)
                        w.carry(last[row], line[-1])
                    else:
                        self._put(row, d, line)
            for row in odd:  # the first half of this line is the last half line of the run
                self._put(row, third, self._between([last[row]], ["zeroinitializer"]), -HALF)
        # an odd row begins in the middle of the line where the preceding even row ends: one store writes both halves
        if odd:  # lines at the begin and end of odd rows
            begin, end = self._rows_of("0"), self._rows_of(str(self._size - self._line))
            for row in odd:
                self._put(row, "0", self._between(end[row - 1], begin[row]), -HALF)
                self._put(row, str(len(self._zero)), end[row], -HALF)
        w.do("ret void")

    def _rows_of(self, at: str) -> list[Line]:
        """Emit code that loads a line's components from `at` on and transposes them; returns the line of each row."""
        w, lanes = self.w, self.lanes
        base = w.at("%lanes", w.mul(at, lanes.bytes))
        tiles = []
        for tile in range(LINE // lanes.bytes):
            places = [(tile * lanes.width + k) * lanes.bytes for k in range(lanes.width)]
            pointers = [w.at(base, place) for place in places]
            vectors = [w.let(f"load {lanes.real}, ptr {p}, align {lanes.bytes}") for p in pointers]
            tiles.append(transposed(w, lanes, vectors))
        return [[tile[row] for tile in tiles] for row in range(lanes.width)]

    def _between(self, line: Sequence[str], following: Sequence[str]) -> Line:
        """The second half of a line, followed by the first half of the next line."""
        lanes = self.lanes
        if lanes.bytes == HALF:
            return [line[-1], following[0]]
        middle = ", ".join(f"i32 {lanes.width // 2 + k}" for k in range(lanes.width))
        halves = f"{lanes.real} {line[-1]}, {lanes.real} {following[0]}"
        return [self.w.let(f"shufflevector {halves}, <{lanes.width} x i32> <{middle}>")]

    def _put(self, row: int, line: str, vectors: Sequence[str], shift: int = 0) -> None:
        """Emit the store of a line of a row past the cache, at an offset in bytes from its place."""
        w = self.w
        target = w.at(f"%row{row}", w.mul(line, LINE))
        for k, vector in enumerate(vectors):
            place = w.at(target, shift + k * self.lanes.bytes)
            w.do(f"store {self.lanes.real} {vector}, ptr {place}, align {self.lanes.bytes}, !nontemporal !1")
