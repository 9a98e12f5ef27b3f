"""The machine code of searches around their graphs: which lane takes which attempt of which row. See `searches.py`.

`seek` shares rows out among slots of lanes. A slot takes a row (`take`) and begins attempts of it (`issue`); `advance`
takes a step of all attempts of a block, and notes the ends of the earliest ones (`commit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.writer import LINE, IRWriter

WORDS = (
    "rows", "list", "attempts", "total", "starts", "places", "count", "lower", "upper", "tolerance", "q", "ends",
    "ring", "least", "start", "stop", "unit", "lost",
)  # fmt: skip
"""Table of a call: addresses of the data of all rows and of the list of row indices; address of a row's attempts, with
fields ATTEMPT, and their number; addresses of the pool's starts and of the starts' positions, in blocks of lanes, and
the number of starts; addresses of limits, tolerance and results. The other words change from call to call: number of
lanes per row; number of active slots at which a piece ends; range of the list, `start` to `stop` - 1; number of rows
per piece; 1 if memory is exhausted, otherwise 0."""

ATTEMPT = ("start", "stride", "begin")
"""Fields of an attempt: address of the start of row 0, or 0 for the nearest unused start of the pool; distance between
the starts of adjacent rows [bytes]; address of the initial state of the search."""

ENDS = ("squared", "iterations", "found", "restarts", "done")
"""Results of a row in addition to q, with the initial values infinity for `squared` and zero for the others."""

BLOCKS = 4  # number of interleaved blocks of lanes

SLOT = ("row", "head", "issued", "ready", "distances")
BLOCK = ("q", "next.q", "search", "next.search", "live")
TURN = ("next", "end", "live")
"""Fields of a slot (the lanes of a row), of a block and of the whole search; each record occupies a cache line."""

GOING, FOUND, GIVEN_UP = (f"{k}.0" for k in range(3))  # status of an attempt: third number of the attempt's state

INFINITY = "0x7FF0000000000000"


@dataclass(frozen=True)
class _Record:
    """Named words of 64 bits in memory."""

    w: IRWriter
    address: str
    names: Sequence[str]

    def at(self, name: str) -> str:
        """The address of a word."""
        return self.w.at(self.address, 8 * self.names.index(name))

    def number(self, name: str) -> str:
        """A number."""
        return self.w.get("i64", self.at(name))

    def pointer(self, name: str) -> str:
        """An address."""
        return self.w.get("ptr", self.at(name))

    def put(self, name: str, value: str, kind: str = "i64") -> None:
        """Store a word."""
        self.w.put(kind, value, self.at(name))


class SearchCode:
    """The functions around the graphs: `step` and `distance` are those of `SearchGraphs`; lanes are of double.

    Sizes are those of the arrays of both graphs by name.
    """

    def __init__(self, sizes: Mapping[str, int], lanes: Lanes, step: GraphFunction, distance: GraphFunction) -> None:
        self.sizes, self.lanes, self.step, self.distance = sizes, lanes, step, distance
        # memory layout: TURN, data common to all blocks, the blocks, and the distances of each slot
        vector = lanes.bytes
        shared = {name: vector * sizes[name] for name in ("row", "lower", "upper", "tolerance")}
        self.shared, self.first_block = _places({**shared, "work": max(step.workspace, distance.workspace)})
        buffers = {"q": "q", "next.q": "q", "search": "search", "next.search": "search", "data": "row"}
        own = {name: vector * sizes[array] for name, array in buffers.items()}
        self.own, self.block_bytes = _places({**own, "slots": lanes.width * LINE})
        self.fixed = self.first_block + BLOCKS * self.block_bytes

    def texts(self) -> list[str]:
        """The definitions of all functions."""
        return [self.nearest(), self.issue(), self.take(), self.commit(), self.advance(), self.seek()]

    # --- attempts

    def nearest(self) -> str:
        """`nearest(words, m, slot)`: a pointer to the start of the pool that is nearest to the slot's row.

        Of equally near ones it is the first. It is then taken.
        """
        w, lanes, whole = IRWriter(), self.lanes, self.lanes.integer
        words, slot = _Record(w, "%words", WORDS), _Record(w, "%slot", SLOT)
        distances, blocks = slot.pointer("distances"), w.div_up(words.number("count"), lanes.width)
        # first, compute the distances of the row from all starts of the pool
        with w.when(w.test("eq", slot.number("ready"), 0)):
            slot.put("ready", "1")
            one_row, work, places = self.part(w, "row"), self.part(w, "work"), words.pointer("places")
            self.spread(w, one_row, self.row(w, words.pointer("rows"), slot.number("row"), self.sizes["row"]), "row")
            with w.counted(blocks) as k:
                place = self.vector(w, places, w.mul(k, self.sizes["place"]))
                for name in self.distance.calls:
                    pointers = place, one_row, self.vector(w, distances, k), work
                    w.run(f"@{name}", "void", *[f"ptr {x}" for x in pointers])
        # find the least distance in each lane, and the block that contains it
        with w.counted(blocks) as k:
            least = w.carried(lanes.real, lanes.const(float("inf")))
            where = w.carried(whole, "zeroinitializer" if lanes.width > 1 else "0")
            x = w.let(f"load {lanes.real}, ptr {self.vector(w, distances, k)}")
            less = w.let(f"fcmp olt {lanes.real} {x}, {least}")
            w.carry(least, w.let(f"select {lanes.truth} {less}, {lanes.real} {x}, {lanes.real} {least}"))
            w.carry(where, w.let(f"select {lanes.truth} {less}, {whole} {lanes.spread(w, k, 'i64')}, {whole} {where}"))
        least, where = w.last(least), w.last(where)
        # find the least distance of all lanes
        best, place = INFINITY, "0"
        for lane in range(lanes.width):
            own, block = (self.of_lane(w, kind, x, lane) for kind, x in ((lanes.real, least), (whole, where)))
            # starts are numbered along the lanes of a block, then block by block
            own_place = w.add(w.mul(block, lanes.width), lane)
            nearer, same = (w.let(f"fcmp {how} double {own}, {best}") for how in ("olt", "oeq"))
            better = w.is_any(nearer, w.is_all(same, w.test("ult", own_place, place)))
            best, place = w.either(better, "double", own, best), w.either(better, "i64", own_place, place)
        w.do(f"store double {INFINITY}, ptr {w.place(distances, place)}")
        w.do(f"ret ptr {self.row(w, words.pointer('starts'), place, self.sizes['q'])}")
        return w.define("internal ptr @nearest(ptr %words, ptr %m, ptr %slot)")

    def issue(self) -> str:
        """`issue(words, m, b, slot, lane)`: begin the next attempt of the slot's row in a lane."""
        w, sizes = IRWriter(), self.sizes
        words, slot, block = _Record(w, "%words", WORDS), _Record(w, "%slot", SLOT), _Record(w, "%b", BLOCK)
        row, start = slot.number("row"), w.variable("ptr")
        tried = w.let(f"fptosi double {w.get('double', self.end(w, row, 'restarts'))} to i64")
        state = w.place(block.pointer("search"), "%lane")
        w.go("attempt")
        # take the number of the next attempt; if no attempt remains, the lane waits
        w.label("attempt")
        number = slot.number("issued")
        w.branch(w.test("ult", number, words.number("total")), "some", "none")
        w.label("none")
        w.put("double", GIVEN_UP, self.vector(w, state, "2"))
        w.do("ret void")
        # an attempt begins at a start that the caller gives or at a start of the pool
        w.label("some")
        slot.put("issued", w.add(number, 1))
        attempt = _Record(w, w.place(words.pointer("attempts"), number, 8 * len(ATTEMPT)), ATTEMPT)
        given = attempt.pointer("start")
        w.put("ptr", w.at(given, w.mul(row, attempt.number("stride"))), start)
        with w.when(w.test("eq", given, "null", "ptr")):
            w.put("ptr", w.let("call ptr @nearest(ptr %words, ptr %m, ptr %slot)"), start)
        # attempts that ended in an earlier pass are skipped
        w.branch(w.test("ult", number, tried), "attempt", "fill")
        # copy the start, the initial state and the row's data to the lane
        w.label("fill")
        self.to_lane(w, block.pointer("q"), w.get("ptr", start), sizes["q"])
        self.to_lane(w, block.pointer("search"), attempt.pointer("begin"), sizes["search"])
        data = self.row(w, words.pointer("rows"), row, sizes["row"])
        self.to_lane(w, self.buffer(w, "%b", "data"), data, sizes["row"])
        w.do("ret void")
        return w.define("internal void @issue(ptr %words, ptr %m, ptr %b, ptr %slot, i64 %lane)")

    def take(self) -> str:
        """`take(words, m, b, lane)`: the next row for the slot of a lane, and an attempt for each of its lanes."""
        w = IRWriter()
        words, turn = _Record(w, "%words", WORDS), _Record(w, "%m", TURN)
        slot = _Record(w, self.slot(w, "%b", "%lane"), SLOT)
        following = turn.number("next")
        w.branch(w.test("slt", following, turn.number("end")), "some", "none")
        # if no row remains, the number of active slots decreases by one
        w.label("none")
        slot.put("row", "-1")
        for record in (turn, _Record(w, "%b", BLOCK)):
            record.put("live", w.sub(record.number("live"), 1))
        w.do("ret void")
        w.label("some")
        turn.put("next", w.add(following, 1))
        slot.put("row", w.number(words.pointer("list"), following))
        for name in ("head", "issued", "ready"):
            slot.put(name, "0")
        with w.counted(words.number("ring")) as k:
            lane = w.add("%lane", k)
            w.do(f"call void @issue(ptr %words, ptr %m, ptr %b, ptr {slot.address}, i64 {lane})")
        w.do("ret void")
        return w.define("internal void @take(ptr %words, ptr %m, ptr %b, i64 %lane)")

    def commit(self) -> str:
        """`i1 commit(words, m, b, lane)`: note the end of the row's earliest attempt; false if it goes on."""
        w, sizes = IRWriter(), self.sizes
        words, block = _Record(w, "%words", WORDS), _Record(w, "%b", BLOCK)
        slot = _Record(w, self.slot(w, "%b", "%lane"), SLOT)
        row, head = slot.number("row"), slot.number("head")
        w.branch(w.test("sge", row, 0), "look", "wait")
        w.label("wait")
        w.do("ret i1 false")
        w.label("look")
        lane = w.add("%lane", head)
        state = w.place(block.pointer("search"), lane)
        squared, steps, status = (w.get("double", self.vector(w, state, k)) for k in "012")
        w.branch(w.let(f"fcmp oeq double {status}, {GOING}"), "wait", "ended")
        # add the attempt's steps; keep the final q if the attempt succeeded or is the best one so far
        w.label("ended")
        best, iterations, restarts = (self.end(w, row, name) for name in ("squared", "iterations", "restarts"))
        w.put("double", w.let(f"fadd double {w.get('double', iterations)}, {steps}"), iterations)
        found = w.let(f"fcmp oeq double {status}, {FOUND}")
        with w.when(w.is_any(found, w.let(f"fcmp olt double {squared}, {w.get('double', best)}"))):
            w.put("double", squared, best)
            result = self.row(w, words.pointer("q"), row, sizes["q"])
            q = w.place(block.pointer("q"), lane)
            with w.counted(str(sizes["q"])) as k:
                w.put("double", w.get("double", self.vector(w, q, k)), w.place(result, k))
        # the row is finished after a successful attempt or after the last attempt
        tried = w.let(f"fadd double {w.get('double', restarts)}, 1.0")
        total = w.let(f"sitofp i64 {words.number('total')} to double")
        w.branch(w.is_any(found, w.let(f"fcmp oge double {tried}, {total}")), "finish", "next")
        w.label("finish")
        w.put("double", w.let(f"uitofp i1 {found} to double"), self.end(w, row, "found"))
        w.put("double", "1.0", self.end(w, row, "done"))
        w.do("call void @take(ptr %words, ptr %m, ptr %b, i64 %lane)")
        w.do("ret i1 true")
        # otherwise the lane begins another attempt, and the next lane of the ring has the earliest attempt
        w.label("next")
        w.put("double", tried, restarts)
        w.do(f"call void @issue(ptr %words, ptr %m, ptr %b, ptr {slot.address}, i64 {lane})")
        # the number of lanes of a ring is a power of two
        mask = w.sub(words.number("ring"), 1)
        slot.put("head", w.let(f"and i64 {w.add(head, 1)}, {mask}"))
        w.do("ret i1 true")
        return w.define("internal i1 @commit(ptr %words, ptr %m, ptr %b, i64 %lane)")

    # --- blocks

    def advance(self) -> str:
        """`advance(words, m, b)`: a step of all lanes of a block; the next states become its states."""
        w = IRWriter()
        block, ring = _Record(w, "%b", BLOCK), _Record(w, "%words", WORDS).number("ring")
        q, next_q, search, next_search = (block.pointer(x) for x in BLOCK[:4])
        self.call_step(w, self.step.calls, "%b", (q, search), (next_q, next_search))
        for name, pointer in zip(BLOCK, (next_q, q, next_search, search), strict=False):
            block.put(name, pointer, "ptr")
        # for each slot, record ends of attempts while the earliest attempt has ended
        with w.counted(str(self.lanes.width), ring) as lane, w.loop_while(
            lambda: w.let(f"call i1 @commit(ptr %words, ptr %m, ptr %b, i64 {lane})")
        ):
            pass
        w.do("ret void")
        return w.define("internal void @advance(ptr %words, ptr %m, ptr %b)")

    def seek(self) -> str:
        """`seek(words, begin, end)`: search for the rows of some pieces until no more than `least` slots are at work.

        Rows that are left are not done. Another call takes them up from the attempts that have ended.
        """
        w, width = IRWriter(), self.lanes.width
        words, turn = _Record(w, "%words", WORDS), _Record(w, "%m", TURN)
        # memory layout: a part of fixed size, then the distances of each slot
        slot_bytes = w.mul(w.div_up(words.number("count"), width), self.lanes.bytes)

        def lost() -> None:
            words.put("lost", "1")
            w.do("ret void")

        aligned, heap = w.memory(w.add(w.mul(slot_bytes, width * BLOCKS), self.fixed), lost)
        w.do(f"%m = getelementptr i8, ptr {aligned}, i64 0")
        w.clear("%m", self.fixed)
        for name in ("lower", "upper", "tolerance"):
            self.spread(w, self.part(w, name), words.pointer(name), name)
        # the range of rows of the pieces from begin to end
        start, stop, unit, ring = (words.number(name) for name in ("start", "stop", "unit", "ring"))
        turn.put("next", w.add(start, w.mul("%begin", unit)))
        turn.put("end", w.least(w.add(start, w.mul("%end", unit)), stop))
        slots = w.div(str(width), ring)
        turn.put("live", w.mul(slots, BLOCKS))
        # for each block, set up buffers with the step's constants, memory for distances, and the first rows of slots
        with self.each_block(w) as (k, b):
            block, buffers = _Record(w, b, BLOCK), [self.buffer(w, b, name) for name in BLOCK[:4]]
            q, next_q, search, next_search = buffers
            # constants are stored in both pairs of buffers, because every step swaps the pairs
            self.call_step(w, [self.step.prepare], b, (q, search), (next_q, next_search))
            self.call_step(w, [self.step.prepare], b, (next_q, next_search), (q, search))
            for name, buffer in zip(BLOCK, buffers, strict=False):
                block.put(name, buffer, "ptr")
            block.put("live", slots)
            with w.counted(str(width), ring) as lane:
                number = w.add(w.mul(k, width), lane)
                own = w.at("%m", w.add(w.mul(number, slot_bytes), self.fixed))
                _Record(w, self.slot(w, b, lane), SLOT).put("distances", own, "ptr")
                w.do(f"call void @take(ptr %words, ptr %m, ptr {b}, i64 {lane})")
        # the steps of the blocks are interleaved
        with (
            w.loop_while(lambda: w.test("sgt", turn.number("live"), words.number("least"))),
            self.each_block(w) as (_, b),
            w.when(w.test("sgt", _Record(w, b, BLOCK).number("live"), 0)),
        ):
            w.do(f"call void @advance(ptr %words, ptr %m, ptr {b})")
        w.free(heap)
        w.do("ret void")
        return w.define("void @seek(ptr %words, i64 %begin, i64 %end)")

    # --- short cuts

    def call_step(
        self, w: IRWriter, names: Sequence[str], b: str, given: Sequence[str], results: Sequence[str]
    ) -> None:
        """Call functions of the graph of a step, from a q and a state to others."""
        shared = [self.part(w, name) for name in ("lower", "upper", "tolerance")]
        pointers = *given, self.buffer(w, b, "data"), *shared, *results, self.part(w, "work")
        for name in names:
            w.run(f"@{name}", "void", *[f"ptr {x}" for x in pointers])

    @contextmanager
    def each_block(self, w: IRWriter) -> Iterator[tuple[str, str]]:
        """The number of each block in turn, and a pointer to it."""
        with w.counted(str(BLOCKS)) as k:
            yield k, w.at("%m", w.add(w.mul(k, self.block_bytes), self.first_block))

    def spread(self, w: IRWriter, lanes: str, array: str, name: str) -> None:
        """Move an array to all lanes."""
        with w.counted(str(self.sizes[name])) as k:
            x = w.get("double", w.place(array, k))
            w.do(f"store {self.lanes.real} {self.lanes.spread(w, x)}, ptr {self.vector(w, lanes, k)}")

    def to_lane(self, w: IRWriter, lanes: str, array: str, size: int) -> None:
        """Move an array to the lane %lane."""
        own = w.place(lanes, "%lane")
        with w.counted(str(size)) as k:
            w.put("double", w.get("double", w.place(array, k)), self.vector(w, own, k))

    def part(self, w: IRWriter, name: str) -> str:
        """A pointer to a part that all blocks share."""
        return w.at("%m", self.shared[name])

    def buffer(self, w: IRWriter, b: str, name: str) -> str:
        """A pointer to a part of a block."""
        return w.at(b, self.own[name])

    def slot(self, w: IRWriter, b: str, lane: str) -> str:
        """A pointer to the slot of a lane."""
        return w.place(self.buffer(w, b, "slots"), lane, LINE)

    def row(self, w: IRWriter, array: str, k: str, size: int) -> str:
        """A pointer to row k of an array with rows of so many numbers."""
        return w.place(array, k, 8 * size)

    def end(self, w: IRWriter, row: str, name: str) -> str:
        """A pointer to a result of a row."""
        ends = self.row(w, _Record(w, "%words", WORDS).pointer("ends"), row, len(ENDS))
        return w.place(ends, ENDS.index(name))

    def vector(self, w: IRWriter, array: str, k: str) -> str:
        """A pointer to component k of an array in lanes."""
        return w.place(array, k, self.lanes.bytes)

    def of_lane(self, w: IRWriter, kind: str, vector: str, lane: int) -> str:
        """The value of a lane."""
        return vector if self.lanes.width == 1 else w.let(f"extractelement {kind} {vector}, i64 {lane}")


def _places(sizes: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Where parts of these sizes begin behind a first cache line, in whole cache lines, and where they end."""
    places, at = {}, LINE
    for name, size in sizes.items():
        places[name] = at
        at += max(-(-size // LINE), 1) * LINE
    return places, at
