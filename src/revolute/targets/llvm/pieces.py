"""Pieces of a batch in machine code: `some_rows` evaluates one, `piece` returns its number of rows."""

from revolute.targets.llvm.writer import IRWriter

PIECES = 64  # approximate number of pieces per job: a preempted thread delays the others by only one piece
LEAST, LARGEST = 1 << 16, 1 << 20  # minimum and maximum number of operations per piece (3 to 50 us)
SHARE = 1 << 17  # minimum number of operations per thread (about 6 us): with less work, fewer threads are used
LONG = 8 << 20  # minimum number of operations (about 0.5 ms) for which waking sleeping helpers pays off


def pieces_text() -> str:
    """The two functions."""
    return _some_rows() + _piece()


def _some_rows() -> str:
    """Rows begin to end of a span.

    A job has the kernel's loop, its number of arrays, their data and strides, what `loop` is told, and the span's first
    row.
    """
    w = IRWriter()
    loop, data, steps, told = (w.pointer("%job", k) for k in (0, 2, 3, 4))
    arrays = w.number("%job", 1)
    first = w.add(w.number("%job", 5), "%begin")
    table = w.let(f"alloca ptr, i64 {arrays}, align 8")
    with w.each(arrays) as k:
        offset = w.mul(w.number(steps, k), first)
        w.put("ptr", w.at(w.pointer(data, k), offset), w.place(table, k))
    rows = w.variable("i64", w.sub("%end", "%begin"))
    w.run(loop, "void", f"ptr {table}", f"ptr {rows}", f"ptr {steps}", f"ptr {told}")
    w.do("ret void")
    return w.define("internal void @some_rows(ptr %job, i64 %begin, i64 %end)")


def _piece() -> str:
    """A multiple of the kernel's lanes, and of 64 if they are many, that takes about as long as a piece should."""
    w = IRWriter()
    even = w.div("%operations", PIECES)
    target = w.least(w.most(even, LEAST), LARGEST)
    rows = w.div(target, "%row")
    # pieces consist of whole blocks; large pieces are multiples of 64 rows, so that results begin with a whole line
    few = w.most(w.mul(w.div_up(rows, "%lanes"), "%lanes"), "%lanes")
    many = w.test("uge", rows, 64)
    w.do(f"ret i64 {w.either(many, 'i64', w.let(f'and i64 {rows}, -64'), few)}")
    return w.define("internal i64 @piece(i64 %operations, i64 %row, i64 %lanes)")
