"""The machine code of searches around their graphs: which lane takes which attempt of which row. See `searches.py`.

`seek` shares rows out among slots of lanes (`turns`). A slot takes a row (`take`) and begins attempts of it (`issue`);
`advance` takes a step of all attempts of a block, and notes the ends of the earliest ones (`commit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.stage import LINE
from revolute.targets.llvm.writer import Writer

__all__ = ["LATE", "WORDS", "SearchCode", "Sizes"]

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

SLOT = ("row", "head", "issued", "ready", "distances")
BLOCK = ("q", "next.q", "search", "next.search", "live")
TURN = ("next", "end", "ring", "live", "list")
"""Words of a slot (the lanes of a row), of a block and of the whole search; each of these records has a cache line."""

GOING, FOUND, GIVEN_UP = (f"{k}.0" for k in range(3))
"""Status of an attempt, the third number of its state."""

INFINITY = "0x7FF0000000000000"


@dataclass(frozen=True)
class Sizes:
    """Numbers of q, of the state of an attempt, of the data of a row, and of a place in the pool."""

    q: int
    search: int
    row: int
    place: int


class SearchCode:
    """The functions around the graphs.

    Args:
        sizes: of arrays.
        lanes: of double.
        step: code of (q, search, row, lower, upper, tolerance) to the next q and search.
        distance: code of (place, row) to a number.
    """

    def __init__(self, sizes: Sizes, lanes: Lanes, step: GraphFunction, distance: GraphFunction) -> None:
        self.sizes, self.lanes, self.step, self.distance = sizes, lanes, step, distance
        # memory: TURN, what all blocks share, the blocks; then the distances of each slot
        vector = lanes.bytes
        shared = {"one.row": sizes.row, "lower": sizes.q, "upper": sizes.q, "tolerance": 1}
        parts = {name: size * vector for name, size in shared.items()}
        parts |= {"work": max(step.workspace, distance.workspace), "list": 8 * (lanes.width * BLOCKS + 1)}
        self.shared, self.first_block = _places(parts)
        buffers = {"q": sizes.q, "next.q": sizes.q, "search": sizes.search, "next.search": sizes.search}
        own = {name: size * vector for name, size in {**buffers, "data": sizes.row}.items()}
        self.own, self.block_bytes = _places({**own, "slots": lanes.width * LINE})
        self.fixed = self.first_block + BLOCKS * self.block_bytes

    def texts(self) -> list[str]:
        """The definitions of all functions."""
        return [
            self.move("scatter"), self.move("gather"), self.spread(), self.measure(), self.pick(), self.issue(),
            self.take(), self.commit(), self.advance(), self.turns(), self.seek(),
        ]  # fmt: skip

    # --- arrays in lanes

    def move(self, name: str) -> str:
        """`scatter(lane, array, count)`: the numbers of a row to a lane; `gather`: back."""
        w = Writer()
        with w.counted("%count") as k:
            number, lane = self.number(w, "%array", k), self.vector(w, "%lane", k)
            source, target = (number, lane) if name == "scatter" else (lane, number)
            w.do(f"store double {w.let(f'load double, ptr {source}')}, ptr {target}")
        w.do("ret void")
        return self.function(w, f"void @{name}(ptr %lane, ptr %array, i64 %count)")

    def spread(self) -> str:
        """`spread(lanes, array, count)`: numbers to all lanes."""
        w = Writer()
        with w.counted("%count") as k:
            x = w.let(f"load double, ptr {self.number(w, '%array', k)}")
            w.do(f"store {self.lanes.real} {self.lanes.spread(w, x)}, ptr {self.vector(w, '%lanes', k)}")
        w.do("ret void")
        return self.function(w, "void @spread(ptr %lanes, ptr %array, i64 %count)")

    # --- starts of the pool

    def measure(self) -> str:
        """`measure(words, m, slot)`: how far the slot's row is from all places of the pool."""
        w = Writer()
        row = w.item("i64", "%slot", SLOT.index("row"))
        data = self.number(w, self.word(w, "rows", "ptr"), w.mul(row, self.sizes.row))
        one_row, work = self.part(w, "one.row"), self.part(w, "work")
        w.do(f"call void @spread(ptr {one_row}, ptr {data}, i64 {self.sizes.row})")
        distances = w.item("ptr", "%slot", SLOT.index("distances"))
        places = self.word(w, "places", "ptr")
        with w.counted(self.blocks_of_pool(w)) as k:
            block = self.vector(w, distances, k)
            place = self.vector(w, places, w.mul(k, self.sizes.place))
            for name in self.distance.calls:
                w.do(f"call void @{name}(ptr {place}, ptr {one_row}, ptr {block}, ptr {work})")
        w.do("ret void")
        return self.function(w, "void @measure(ptr %words, ptr %m, ptr %slot)")

    def pick(self) -> str:
        """`i64 pick(words, distances)`: the nearest start of the pool, of equal ones the first; it is then taken."""
        w, lanes = Writer(), self.lanes
        whole = lanes.integer
        # the least of every lane, and its block
        with w.counted(self.blocks_of_pool(w)) as k:
            least = w.carried(lanes.real, lanes.const(float("inf")))
            where = w.carried(whole, "zeroinitializer" if lanes.width > 1 else "0")
            x = w.let(f"load {lanes.real}, ptr {self.vector(w, '%distances', k)}")
            less = w.let(f"fcmp olt {lanes.real} {x}, {least}")
            w.carry(least, w.let(f"select {lanes.truth} {less}, {lanes.real} {x}, {lanes.real} {least}"))
            w.carry(where, w.let(f"select {lanes.truth} {less}, {whole} {self.whole(w, k)}, {whole} {where}"))
        least, where = w.last(least), w.last(where)
        # the least of all lanes
        best, place = INFINITY, "0"
        for lane in range(lanes.width):
            own, block = (self.of_lane(w, kind, x, lane) for kind, x in ((lanes.real, least), (whole, where)))
            own_place = w.add(w.mul(block, lanes.width), lane)
            nearer, same = (w.let(f"fcmp {how} double {own}, {best}") for how in ("olt", "oeq"))
            earlier = w.let(f"and i1 {same}, {w.test('ult', own_place, place)}")
            better = w.let(f"or i1 {nearer}, {earlier}")
            best = w.let(f"select i1 {better}, double {own}, double {best}")
            place = w.let(f"select i1 {better}, i64 {own_place}, i64 {place}")
        w.do(f"store double {INFINITY}, ptr {self.number(w, '%distances', place)}")
        w.do(f"ret i64 {place}")
        return self.function(w, "i64 @pick(ptr %words, ptr %distances)")

    # --- attempts

    def issue(self) -> str:
        """`issue(words, m, b, slot, lane)`: begin the next attempt of the slot's row in a lane."""
        w, sizes = Writer(), self.sizes
        row = w.item("i64", "%slot", SLOT.index("row"))
        restarts = w.let(f"load double, ptr {self.end(w, row, 'restarts')}")
        tried = w.let(f"fptosi double {restarts} to i64")
        total, first = self.word(w, "total"), self.word(w, "first", "ptr")
        state = self.number(w, w.item("ptr", "%b", BLOCK.index("search")), "%lane")
        issued = w.let(f"getelementptr i64, ptr %slot, i64 {SLOT.index('issued')}")
        w.go("attempt")
        # the next number; those that have ended before are passed over. Without one the lane waits
        w.label("attempt")
        number = w.let(f"load i64, ptr {issued}")
        w.branch(w.test("ult", number, total), "some", "none")
        w.label("none")
        w.do(f"store double {GIVEN_UP}, ptr {self.vector(w, state, '2')}")
        w.do("ret void")
        # its kind: from the row's own start, loose, or from the pool
        w.label("some")
        w.do(f"store i64 {w.add(number, 1)}, ptr {issued}")
        late = w.test("uge", number, LATE)
        turn = w.let(f"urem i64 {number}, {self.word(w, 'turns')}")
        loose = w.let(f"and i1 {late}, {w.test('ne', turn, 0)}")
        own = w.let(f"and i1 {w.test('eq', number, 0)}, {w.test('ne', first, 'null', 'ptr')}")
        w.branch(own, "own", "common")
        w.label("own")
        own_start = self.number(w, first, w.mul(row, sizes.q))
        w.go("known")
        w.label("common")
        w.branch(loose, "loose", "pool")
        w.label("loose")
        loose_start = self.number(w, self.word(w, "anywhere", "ptr"), w.mul(number, sizes.q))
        w.go("known")
        w.label("pool")
        measured = w.test("ne", w.item('i64', '%slot', SLOT.index('ready')), 0)
        w.branch(measured, "choose", "measure")
        w.label("measure")
        w.do("call void @measure(ptr %words, ptr %m, ptr %slot)")
        self.put(w, "%slot", SLOT, "ready", "1")
        w.go("choose")
        w.label("choose")
        distances = w.item("ptr", "%slot", SLOT.index("distances"))
        place = w.let(f"call i64 @pick(ptr %words, ptr {distances})")
        pool_start = self.number(w, self.word(w, "starts", "ptr"), w.mul(place, sizes.q))
        pool_kind = w.let(f"select i1 {late}, i64 2, i64 1")
        w.go("known")
        w.label("known")
        start = w.let(f"phi ptr [ {own_start}, %own ], [ {pool_start}, %choose ], [ {loose_start}, %loose ]")
        kind = w.let(f"phi i64 [ 0, %own ], [ {pool_kind}, %choose ], [ 3, %loose ]")
        w.branch(w.test("ult", number, tried), "attempt", "fill")
        # its start, its first state and the row's data to the lane
        w.label("fill")
        begin = self.number(w, self.word(w, "begins", "ptr"), w.mul(kind, sizes.search))
        data = self.number(w, self.word(w, "rows", "ptr"), w.mul(row, sizes.row))
        q_lane = self.number(w, w.item("ptr", "%b", BLOCK.index("q")), "%lane")
        data_lane = self.number(w, self.buffer(w, "%b", "data"), "%lane")
        pairs = (q_lane, start, sizes.q), (state, begin, sizes.search), (data_lane, data, sizes.row)
        for lane, source, size in pairs:
            w.do(f"call void @scatter(ptr {lane}, ptr {source}, i64 {size})")
        w.do("ret void")
        return self.function(w, "void @issue(ptr %words, ptr %m, ptr %b, ptr %slot, i64 %lane)")

    def take(self) -> str:
        """`take(words, m, b, lane)`: the next row for the slot of a lane, and an attempt for each of its lanes."""
        w = Writer()
        slot = self.slot(w, "%b", "%lane")
        next_row, end = (w.item("i64", "%m", TURN.index(x)) for x in ("next", "end"))
        w.branch(w.test("slt", next_row, end), "some", "none")
        # there is none: one slot less is at work
        w.label("none")
        self.put(w, slot, SLOT, "row", "-1")
        for base, names in (("%m", TURN), ("%b", BLOCK)):
            live = w.item("i64", base, names.index("live"))
            self.put(w, base, names, "live", w.sub(live, 1))
        w.do("ret void")
        # its number, or what the list has there
        w.label("some")
        self.put(w, "%m", TURN, "next", w.add(next_row, 1))
        rows = w.item("ptr", "%m", TURN.index("list"))
        w.branch(w.test("ne", rows, "null", "ptr"), "look", "begin")
        w.label("look")
        listed = w.item("i64", rows, next_row)
        w.go("begin")
        w.label("begin")
        self.put(w, slot, SLOT, "row", w.let(f"phi i64 [ {next_row}, %some ], [ {listed}, %look ]"))
        for name in ("head", "issued", "ready"):
            self.put(w, slot, SLOT, name, "0")
        with w.counted(w.item("i64", "%m", TURN.index("ring"))) as k:
            lane = w.add("%lane", k)
            w.do(f"call void @issue(ptr %words, ptr %m, ptr %b, ptr {slot}, i64 {lane})")
        w.do("ret void")
        return self.function(w, "void @take(ptr %words, ptr %m, ptr %b, i64 %lane)")

    def commit(self) -> str:
        """`i1 commit(words, m, b, lane)`: note the end of the row's earliest attempt; false if it goes on."""
        w, sizes = Writer(), self.sizes
        slot = self.slot(w, "%b", "%lane")
        row = w.item("i64", slot, SLOT.index("row"))
        w.branch(w.test("sge", row, 0), "look", "wait")
        w.label("wait")
        w.do("ret i1 false")
        w.label("look")
        head = w.item("i64", slot, SLOT.index("head"))
        lane = w.add("%lane", head)
        state = self.number(w, w.item("ptr", "%b", BLOCK.index("search")), lane)
        squared, steps, status = (w.let(f"load double, ptr {self.vector(w, state, k)}") for k in "012")
        w.branch(w.let(f'fcmp oeq double {status}, {GOING}'), "wait", "ended")
        # count its steps; keep its end if it has found, or if it is the best so far
        w.label("ended")
        iterations = self.end(w, row, "iterations")
        before = w.let(f"load double, ptr {iterations}")
        w.do(f"store double {w.let(f'fadd double {before}, {steps}')}, ptr {iterations}")
        best = self.end(w, row, "squared")
        found = w.let(f"fcmp oeq double {status}, {FOUND}")
        less = w.let(f"fcmp olt double {squared}, {w.let(f'load double, ptr {best}')}")
        w.branch(w.let(f'or i1 {found}, {less}'), "keep", "count")
        w.label("keep")
        w.do(f"store double {squared}, ptr {best}")
        result = self.number(w, self.word(w, "q", "ptr"), w.mul(row, sizes.q))
        q_lane = self.number(w, w.item("ptr", "%b", BLOCK.index("q")), lane)
        w.do(f"call void @gather(ptr {q_lane}, ptr {result}, i64 {sizes.q})")
        w.go("count")
        w.label("count")
        w.branch(found, "success", "failure")
        # the row is done after a success or its last attempt
        w.label("success")
        w.do(f"store double 1.0, ptr {self.end(w, row, 'found')}")
        w.go("finish")
        w.label("failure")
        restarts = self.end(w, row, "restarts")
        tried = w.let(f"fadd double {w.let(f'load double, ptr {restarts}')}, 1.0")
        total = w.let(f"sitofp i64 {self.word(w, 'total')} to double")
        w.branch(w.let(f'fcmp olt double {tried}, {total}'), "next", "finish")
        w.label("finish")
        w.do("call void @take(ptr %words, ptr %m, ptr %b, i64 %lane)")
        w.do("ret i1 true")
        # else its lane begins another attempt, and the lane behind it has the earliest one
        w.label("next")
        w.do(f"store double {tried}, ptr {restarts}")
        w.do(f"call void @issue(ptr %words, ptr %m, ptr %b, ptr {slot}, i64 {lane})")
        mask = w.sub(w.item('i64', '%m', TURN.index('ring')), 1)
        self.put(w, slot, SLOT, "head", w.let(f"and i64 {w.add(head, 1)}, {mask}"))
        w.do("ret i1 true")
        return self.function(w, "i1 @commit(ptr %words, ptr %m, ptr %b, i64 %lane)")

    # --- blocks

    def advance(self) -> str:
        """`advance(words, m, b)`: a step of all lanes of a block; the next states become its states."""
        w = Writer()
        q, next_q, search, next_search = (w.item("ptr", "%b", BLOCK.index(x)) for x in BLOCK[:4])
        self.call_step(w, self.step.calls, "%b", (q, search), (next_q, next_search))
        for name, pointer in zip(BLOCK, (next_q, q, next_search, search), strict=False):
            self.put(w, "%b", BLOCK, name, pointer, "ptr")
        ring = w.item("i64", "%m", TURN.index("ring"))
        # for each slot: note ends as long as its earliest attempt has ended
        with w.counted(str(self.lanes.width), ring) as lane:
            again, ended = w.name("again"), w.name("ended")
            w.go(again)
            w.label(again)
            noted = w.let(f"call i1 @commit(ptr %words, ptr %m, ptr %b, i64 {lane})")
            w.branch(noted, again, ended)
            w.label(ended)
        w.do("ret void")
        return self.function(w, "void @advance(ptr %words, ptr %m, ptr %b)")

    def turns(self) -> str:
        """`turns(words, m, least)`: blocks take turns until no more than `least` slots are at work."""
        w, width = Writer(), self.lanes.width
        ring = w.item("i64", "%m", TURN.index("ring"))
        slots = w.div(width, ring)
        self.put(w, "%m", TURN, "live", w.mul(slots, BLOCKS))
        with self.each_block(w) as (_, b):
            self.put(w, b, BLOCK, "live", slots)
            with w.counted(str(width), ring) as lane:
                w.do(f"call void @take(ptr %words, ptr %m, ptr {b}, i64 {lane})")
        w.go("round")
        w.label("round")
        live = w.item("i64", "%m", TURN.index("live"))
        w.branch(w.test("sgt", live, "%least"), "blocks", "done")
        w.label("blocks")
        with self.each_block(w) as (_, b), w.when(w.test("sgt", w.number(b, BLOCK.index("live")), 0)):
            w.do(f"call void @advance(ptr %words, ptr %m, ptr {b})")
        w.go("round")
        w.label("done")
        w.do("ret void")
        return self.function(w, "void @turns(ptr %words, ptr %m, i64 %least)")

    def seek(self) -> str:
        """`seek(words, begin, end)`: all rows of some pieces."""
        w, width = Writer(), self.lanes.width
        # memory: one part of fixed size, then each slot's distances
        slot_bytes = w.mul(self.blocks_of_pool(w), self.lanes.bytes)
        distances = w.mul(slot_bytes, width * BLOCKS)
        heap = w.let(f"call ptr @malloc(i64 {w.add(distances, self.fixed + LINE)})")
        w.branch(w.test("eq", heap, "null", "ptr"), "lost", "found")
        w.label("lost")
        self.put(w, "%words", WORDS, "lost", "1")
        w.do("ret void")
        w.label("found")
        above = w.at(heap, LINE - 1)
        w.do(f"%m = call ptr @llvm.ptrmask.p0.i64(ptr {above}, i64 {-LINE})")
        w.do(f"call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 {self.fixed}, i1 false)")
        for name, size in (("lower", self.sizes.q), ("upper", self.sizes.q), ("tolerance", 1)):
            source = self.word(w, name, "ptr")
            w.do(f"call void @spread(ptr {self.part(w, name)}, ptr {source}, i64 {size})")
        # each block: its buffers, with the constants of both graphs, and the memory of its slots
        with self.each_block(w) as (k, b):
            buffers = [self.buffer(w, b, name) for name in BLOCK[:4]]
            q, next_q, search, next_search = buffers
            self.call_step(w, [self.step.prepare], b, (q, search), (next_q, next_search))
            self.call_step(w, [self.step.prepare], b, (next_q, next_search), (q, search))
            for name, buffer in zip(BLOCK, buffers, strict=False):
                self.put(w, b, BLOCK, name, buffer, "ptr")
            with w.counted(str(width)) as s:
                number = w.add(w.mul(k, width), s)
                offset = w.add(w.mul(number, slot_bytes), self.fixed)
                own = w.at("%m", offset)
                self.put(w, self.slot(w, b, s), SLOT, "distances", own, "ptr")
        # the rows of these pieces
        start, stop, unit = (self.word(w, name) for name in ("start", "stop", "unit"))
        begin, end = (w.add(w.mul(x, unit), start) for x in ("%begin", "%end"))
        end = w.let(f"select i1 {w.test('sgt', end, stop)}, i64 {stop}, i64 {end}")
        self.put(w, "%m", TURN, "next", begin)
        self.put(w, "%m", TURN, "end", end)
        all_rows, most = w.sub(end, begin), self.word(w, "most")
        before = w.block
        w.go("pass")
        # as long as rows are left: as many lanes for a row as one block has for all of them
        w.label("pass")
        w.do(f"%rows = phi i64 [ {all_rows}, %{before} ], [ %listed, %again ]")
        w.branch(w.test("sgt", "%rows", 0), "widen", "finished")
        w.label("widen")
        w.do("%ring = phi i64 [ 1, %pass ], [ %twice, %widen ]")
        w.do("%twice = mul i64 %ring, 2")
        fits = w.test("ule", w.mul("%twice", "%rows"), width)
        allowed = w.test("ule", "%twice", most)
        w.branch(w.let(f'and i1 {fits}, {allowed}'), "widen", "run")
        # until four times as many lanes can have each row that is left
        w.label("run")
        self.put(w, "%m", TURN, "ring", "%ring")
        fewer = w.div(width, w.mul("%ring", 4))
        least = w.let(f"select i1 {allowed}, i64 {fewer}, i64 0")
        w.do(f"call void @turns(ptr %words, ptr %m, i64 {least})")
        # list the rows that are left: those of all slots, written over while there is none
        rows = self.part(w, "list")
        with self.each_block(w) as (_, b):
            listed = w.carried("i64", "0")
            with w.counted(str(width), "%ring") as lane:
                so_far = w.carried("i64", listed)
                row = w.item("i64", self.slot(w, b, lane), SLOT.index("row"))
                w.do(f"store i64 {row}, ptr {w.let(f'getelementptr i64, ptr {rows}, i64 {so_far}')}")
                left = w.let(f"zext i1 {w.test('sge', row, 0)} to i64")
                w.carry(so_far, w.add(so_far, left))
            w.carry(listed, w.last(so_far))
        w.go("again")
        w.label("again")
        w.do(f"%listed = add i64 {w.last(listed)}, 0")
        self.put(w, "%m", TURN, "next", "0")
        self.put(w, "%m", TURN, "end", "%listed")
        self.put(w, "%m", TURN, "list", rows, "ptr")
        w.go("pass")
        w.label("finished")
        w.do(f"call void @free(ptr {heap})")
        w.do("ret void")
        return self.function(w, "void @seek(ptr %words, i64 %begin, i64 %end)", "")

    # --- short cuts

    def function(self, w: Writer, head: str, linkage: str = "internal ") -> str:
        """The definition of a function with these lines."""
        return "\n".join([f"define {linkage}{head} nounwind {{", "entry:", *w.lines, "}"])

    def call_step(
        self, w: Writer, names: Sequence[str], b: str, given: Sequence[str], results: Sequence[str]
    ) -> None:
        """Call functions of the graph of a step, from a q and a state to others."""
        shared = [self.part(w, name) for name in ("lower", "upper", "tolerance")]
        pointers = *given, self.buffer(w, b, "data"), *shared, *results, self.part(w, "work")
        for name in names:
            w.do(f"call void @{name}({', '.join(f'ptr {x}' for x in pointers)})")

    @contextmanager
    def each_block(self, w: Writer) -> Iterator[tuple[str, str]]:
        """The number of each block in turn, and a pointer to it."""
        with w.counted(str(BLOCKS)) as k:
            at = w.add(w.mul(k, self.block_bytes), self.first_block)
            yield k, w.at("%m", at)

    def blocks_of_pool(self, w: Writer) -> str:
        """Blocks of lanes that the pool fills."""
        width, count = self.lanes.width, self.word(w, "count")
        return w.div(w.add(count, width - 1), width)

    def word(self, w: Writer, name: str, kind: str = "i64") -> str:
        """A word of the table of a call."""
        return w.item(kind, "%words", WORDS.index(name))

    def put(
        self, w: Writer, record: str, names: Sequence[str], name: str, value: str, kind: str = "i64"
    ) -> None:
        """Store a word of a record."""
        w.do(f"store {kind} {value}, ptr {w.let(f'getelementptr i64, ptr {record}, i64 {names.index(name)}')}")

    def part(self, w: Writer, name: str) -> str:
        """A pointer to a part that all blocks share."""
        return w.at("%m", self.shared[name])

    def buffer(self, w: Writer, b: str, name: str) -> str:
        """A pointer to a part of a block."""
        return w.at(b, self.own[name])

    def slot(self, w: Writer, b: str, lane: str) -> str:
        """A pointer to the slot of a lane."""
        return w.let(f"getelementptr [{LINE} x i8], ptr {self.buffer(w, b, 'slots')}, i64 {lane}")

    def end(self, w: Writer, row: str, name: str) -> str:
        """A pointer to a result of a row."""
        ends = w.let(f"getelementptr [{len(ENDS)} x double], ptr {self.word(w, 'ends', 'ptr')}, i64 {row}")
        return w.let(f"getelementptr double, ptr {ends}, i64 {ENDS.index(name)}")

    def number(self, w: Writer, array: str, k: str) -> str:
        """A pointer to number k of an array."""
        return w.let(f"getelementptr double, ptr {array}, i64 {k}")

    def vector(self, w: Writer, array: str, k: str) -> str:
        """A pointer to component k of an array in lanes."""
        return w.let(f"getelementptr [{self.lanes.width} x double], ptr {array}, i64 {k}")

    def whole(self, w: Writer, number: str) -> str:
        """A whole number in all lanes."""
        if self.lanes.width == 1:
            return number
        t, width = self.lanes.integer, self.lanes.width
        one = w.let(f"insertelement {t} poison, i64 {number}, i64 0")
        return w.let(f"shufflevector {t} {one}, {t} poison, <{width} x i32> zeroinitializer")

    def of_lane(self, w: Writer, kind: str, vector: str, lane: int) -> str:
        """The value of a lane."""
        return vector if self.lanes.width == 1 else w.let(f"extractelement {kind} {vector}, i64 {lane}")


def _places(sizes: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Where parts of these sizes begin behind a first cache line, in whole cache lines, and where they end."""
    places, at = {}, LINE
    for name, size in sizes.items():
        places[name] = at
        at += max(-(-size // LINE), 1) * LINE
    return places, at
