"""Helper threads in machine code: they do pieces of a job without Python's lock.

A job is a function `void (ptr argument, i64 begin, i64 end)` and a number of items, cut into pieces. One word says
which are begun: how many at the front (bits 0-15), how many at the back (16-31), and the job's number (32-63). Who
counts front or back up by one, atomically, does that piece: helpers of even number at the back, the others and the
asking thread at the front, so that in job after job on the same data two threads meet what is in their own caches. The
asker goes on until all pieces are begun, and so takes back what helpers leave. A helper that is put aside delays a job
by no more than the one piece it has begun.

The job's fields are read between a load of the word and its exchange, and written while the word is closed: all ones in
front and back. So if the exchange succeeds, the fields are those of the piece's job.

After its last piece a helper looks for work for SPIN nanoseconds, then sleeps on its semaphore. To sleep, it sets its
state to 1 and looks once more; who sets the state back to 0 posts. In a virtual machine that takes the asker some 40 us
and the sleeper 0.5 ms, so sleepers are woken only for long jobs, or in a long streak of short ones. The asker
wakes one, and each that was woken wakes two more. If those came too late to do an eighth of the job, the next jobs that
are as short let them sleep. If an asker waited long for pieces that helpers had begun, other processes use the cores:
for a while jobs do without helpers.

Why not a library: for 1,024 states of a UR5, 35 us on one core, two take 22 us this way, 20 with libgomp and 96 with
Python's pool, which pays from some 16,000 states on. But libgomp's caller waits for a helper that the system has put
aside: with other processes on both cores, 16,384 states took 28 ms there, and 0.4 ms here, as on one core.
"""

from revolute.targets.llvm.writer import USUAL, IRWriter

CLOSED = 0xFFFF_FFFF  # bits set in the shared word while the fields of a job are written
MOST = 64  # maximum number of helper threads
SPIN = 50_000  # time that an idle helper polls before sleeping [ns]: longer than Python needs between calls

_PAUSES = {
    "x86": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),  # instruction `yield`
}
"""The pause instruction of each processor family, as a declaration and a call in LLVM IR."""

SYSTEM = (
    "sem_init", "sem_wait", "sem_post", "pthread_create", "pthread_detach", "pthread_setname_np", "pthread_sigmask",
    "pthread_setaffinity_np", "sched_getaffinity", "sched_yield", "clock_gettime", "memcmp",
)  # fmt: skip
"""Functions of the C library that helper threads call."""

JOB = ("pieces", "function", "argument", "items", "size", "helpers")
"""Fields of a job: number of pieces, function, argument, number of items, items per piece, number of helpers."""

_VARIABLES = f"""
@word = internal global i64 {CLOSED}, align 128
@job = internal global [{len(JOB)} x i64] zeroinitializer, align 64
@done = internal global i64 0, align 128 ; pieces of the job that are done
@busy = internal global i64 0, align 128 ; 1 while a job runs
@ended = internal global i64 0, align 8 ; when the latest job ended [ns]
@streak = internal global i64 0, align 8 ; when the first of the latest jobs began that followed each other closely [ns]
@distrusted = global i64 0, align 8 ; until when jobs do without helpers [ns]
@skips = global i64 0, align 8 ; how many jobs that might wake sleepers let them sleep
@skipped = internal global i64 0, align 8 ; how many were to do so the last time
@late = global i64 0, align 8 ; pieces of the job whose sleepers came too late
@started = global i64 0, align 8 ; how many helpers there are
@quota = global i64 0, align 8 ; cores that the process may use in the mean; 0 if there is no limit
@cores = global i64 0, align 8 ; for tests: the number of cores, in place of the caller's; 0 for the caller's
@places = internal global [128 x i64] zeroinitializer, align 64 ; the cores that helpers may run on
@states = internal global [{MOST} x [16 x i64]] zeroinitializer, align 128 ; 1 while a helper sleeps
@semaphores = internal global [{MOST} x [16 x i64]] zeroinitializer, align 128
@handles = internal global [{MOST} x i64] zeroinitializer, align 8
@name = internal constant [9 x i8] c"revolute\\00"
"""


class ThreadWriter(IRWriter):
    """Writes a function of threads that share global variables, integers of 64 bits."""

    def __init__(self, triple: str) -> None:
        super().__init__()
        self._pause = next((texts for family, texts in _PAUSES.items() if triple.startswith(family)), None)

    def read(self, variable: str, order: str = "monotonic") -> str:
        """Load a shared variable."""
        return self.let(f"load atomic i64, ptr {variable} {order}, align 8")

    def write(self, value: int | str, variable: str, order: str = "monotonic") -> None:
        """Store to a shared variable."""
        self.do(f"store atomic i64 {value}, ptr {variable} {order}, align 8")

    def exchange(self, variable: str, old: int | str, new: int | str, orders: str) -> str:
        """Store to a shared variable if it has an old value still; returns whether it had."""
        pair = self.let(f"cmpxchg ptr {variable}, i64 {old}, i64 {new} {orders}")
        return self.let(f"extractvalue {{ i64, i1 }} {pair}, 1")

    def field(self, name: str) -> str:
        """The address of a field of the job."""
        return f"getelementptr (i64, ptr @job, i64 {JOB.index(name)})"

    def own_line(self, table: str, helper: str) -> str:
        """The address of a helper's entry in a table whose entries have 128 bytes: two cache lines."""
        return self.place(table, helper, 128)

    def now(self) -> str:
        """Monotonic time [ns]."""
        return self.run("@now", "i64")

    def system(self, name: str, *arguments: str) -> str:
        """Call a function of the C library; each argument is a type and a value."""
        kinds = [(kind, value) for kind, _, value in (x.partition(" ") for x in arguments)]
        return self.call("i32", name, kinds)

    def pause(self) -> None:
        """Pause for some 20 ns, if the processor has an instruction for that."""
        if self._pause:
            self.declared.add(self._pause[0])
            self.do(self._pause[1])


class HelperCode:
    """The functions of helpers, for a Linux host."""

    def __init__(self, triple: str) -> None:
        self._triple = triple
        self._declared: set[str] = set()
        self._definitions: list[str] = []

    def text(self) -> str:
        """The LLVM IR of the module."""
        for write in (self._now, self._work, self._help, self._rouse, self._wake, self._start, self._follow):
            write()
        return "\n".join([*sorted(USUAL | self._declared), _VARIABLES, *self._definitions])

    def writer(self) -> ThreadWriter:
        """A writer of a function of this module."""
        return ThreadWriter(self._triple)

    def define(self, w: ThreadWriter, head: str) -> None:
        """Add the function of a writer."""
        self._definitions.append(w.define(head))
        self._declared |= w.declared

    def _now(self) -> None:
        w = self.writer()
        time = w.variable("i64", count=2)
        w.system("clock_gettime", "i32 1", f"ptr {time}")
        seconds, rest = (w.number(time, k) for k in range(2))
        w.do(f"ret i64 {w.add(w.mul(seconds, 10**9), rest)}")
        self.define(w, "internal i64 @now()")

    def _work(self) -> None:
        """`work(number)`: do a piece of the job; false if there is none for this helper."""
        w = self.writer()
        even = w.test("eq", w.let("and i64 %number, 1"), 0)
        one = w.either(even, "i64", "65536", "1")
        w.go("look")
        # continue if a piece remains and the job requests this helper; the requesting thread has number -1
        w.label("look")
        word = w.read("@word", "acquire")
        front, back = (w.let(f"and i64 {x}, 65535") for x in (word, w.let(f"lshr i64 {word}, 16")))
        pieces, function, argument, items, size, helpers = (w.read(w.field(name)) for name in JOB)
        left = w.test("ult", w.add(front, back), pieces)
        w.branch(w.is_all(left, w.test("slt", "%number", helpers)), "claim", "none")
        # if the word is unchanged, this thread has the piece, and the fields belong to the job of the piece
        w.label("claim")
        w.do("fence acquire")
        w.branch(w.exchange("@word", word, w.add(word, one), "acq_rel monotonic"), "do", "look")
        w.label("do")
        place = w.either(even, "i64", w.sub(w.sub(pieces, 1), back), front)
        begin = w.mul(place, size)
        end = w.least(w.add(begin, size), items)
        code, data = (w.let(f"inttoptr i64 {x} to ptr") for x in (function, argument))
        w.run(code, "void", f"ptr {data}", f"i64 {begin}", f"i64 {end}")
        w.do("atomicrmw add ptr @done, i64 1 release")
        w.do("ret i1 true")
        w.label("none")
        w.do("ret i1 false")
        self.define(w, "internal i1 @work(i64 %number)")

    def _help(self) -> None:
        """`help(argument)`: the life of a helper, whose number is the argument."""
        w = self.writer()
        number = w.let("ptrtoint ptr %argument to i64")
        state, semaphore = (w.own_line(table, number) for table in ("@states", "@semaphores"))
        w.go("fresh")
        # evaluate pieces, then poll for more pieces for SPIN nanoseconds
        w.label("fresh")
        began = w.now()
        w.go("look")
        w.label("look")
        w.branch(w.run("@work", "i1", f"i64 {number}"), "fresh", "idle")
        w.label("idle")
        for _ in range(4):
            w.pause()
        w.branch(w.test("sgt", w.sub(w.now(), began), SPIN), "drowsy", "look")
        # from here on, requesting threads post the semaphore; jobs published earlier are detected here
        w.label("drowsy")
        w.let(f"atomicrmw xchg ptr {state}, i64 1 seq_cst")
        w.do("fence seq_cst")
        w.branch(w.run("@work", "i1", f"i64 {number}"), "rise", "sleep")
        # a job was found: stay awake, unless a requesting thread has already posted the semaphore
        w.label("rise")
        w.branch(w.run("@rouse", "i1", f"i64 {number}"), "fresh", "sleep")
        w.label("sleep")
        woken = w.system("sem_wait", f"ptr {semaphore}")
        w.branch(w.test("eq", woken, 0, "i32"), "spread", "sleep")
        # wake other helpers that the job requests
        w.label("spread")
        w.run("@wake", "void", f"i64 {w.read(w.field('helpers'))}", "i64 2")
        w.go("fresh")
        self.define(w, "internal ptr @help(ptr %argument)")

    def _rouse(self) -> None:
        """`rouse(number)`: set a helper's state from asleep to awake; false if it was awake."""
        w = self.writer()
        w.do(f"ret i1 {w.exchange(w.own_line('@states', '%number'), 1, 0, 'seq_cst seq_cst')}")
        self.define(w, "internal i1 @rouse(i64 %number)")

    def _wake(self) -> None:
        """`wake(helpers, most)`: wake sleepers among the first helpers, at most so many."""
        w = self.writer()
        posts = w.variable("i64", "0")
        with w.each(w.least(w.read("@started"), "%helpers")) as k:
            w.require(w.test("slt", w.get("i64", posts), "%most"), "enough")
            with w.when(w.run("@rouse", "i1", f"i64 {k}")):
                w.system("sem_post", f"ptr {w.own_line('@semaphores', k)}")
                w.put("i64", w.add(w.get("i64", posts), 1), posts)
        w.go("enough")
        w.label("enough")
        w.do("ret void")
        self.define(w, "internal void @wake(i64 %helpers, i64 %most)")

    def _start(self) -> None:
        """`start(count)`: start helpers until there are `count`, or as many as the system allows."""
        w = self.writer()
        signals, usual, handle = w.variable("i64", count=16), w.variable("i64", count=16), w.variable("i64")
        present = w.read("@started")
        w.branch(w.test("sge", present, "%count"), "done", "block")
        # block all signals except SIGILL (4), SIGBUS (7), SIGFPE (8) and SIGSEGV (11) in helper threads: ~0x4c8
        w.label("block")
        w.clear(signals, 128, -1)
        w.put("i64", str(~0x4C8), signals)
        w.system("pthread_sigmask", "i32 0", f"ptr {signals}", f"ptr {usual}")
        with w.each("%count", present) as k:
            w.write(0, w.own_line("@states", k), "seq_cst")
            w.system("sem_init", f"ptr {w.own_line('@semaphores', k)}", "i32 0", "i32 0")
            number = w.let(f"inttoptr i64 {k} to ptr")
            failure = w.system("pthread_create", f"ptr {handle}", "ptr null", "ptr @help", f"ptr {number}")
            w.require(w.test("eq", failure, 0, "i32"), "restore")
            thread = w.get("i64", handle)
            w.put("i64", thread, w.place("@handles", k))
            w.system("pthread_detach", f"i64 {thread}")
            w.system("pthread_setname_np", f"i64 {thread}", "ptr @name")
            w.write(w.add(k, 1), "@started")
        w.go("restore")
        w.label("restore")
        w.system("pthread_sigmask", "i32 2", f"ptr {usual}", "ptr null")
        w.go("done")
        w.label("done")
        w.do("ret void")
        self.define(w, "internal void @start(i64 %count)")

    def _follow(self) -> None:
        """`follow()`: return the number of cores that the caller may use, and pin helpers to the same cores."""
        w = self.writer()
        mask = w.variable("i64", count=128)
        w.clear(mask, 1024)
        size = w.system("sched_getaffinity", "i32 0", "i64 1024", f"ptr {mask}")
        w.branch(w.test("slt", size, 0, "i32"), "one", "compare")
        w.label("one")
        w.do("ret i64 1")
        # the set of allowed cores changed: pin each helper again
        w.label("compare")
        difference = w.system("memcmp", f"ptr {mask}", "ptr @places", "i64 1024")
        with w.when(w.test("ne", difference, 0, "i32")):
            w.copy("@places", mask, 1024)
            with w.each(w.read("@started")) as k:
                w.system("pthread_setaffinity_np", f"i64 {w.number('@handles', k)}", "i64 1024", f"ptr {mask}")
        # the number of allowed cores is the number of bits set
        with w.counted("128") as k:
            total = w.carried("i64", "0")
            bits = w.call("i64", "llvm.ctpop.i64", [("i64", w.number(mask, k))])
            w.carry(total, w.add(total, bits))
        # use at most the CPU quota or the number of cores that a test has set
        own, quota, pretended = w.last(total), w.get("i64", "@quota"), w.get("i64", "@cores")
        cores = w.either(w.test("eq", quota, 0), "i64", own, w.least(own, quota))
        w.do(f"ret i64 {w.either(w.test('eq', pretended, 0), 'i64', cores, pretended)}")
        self.define(w, "internal i64 @follow()")
