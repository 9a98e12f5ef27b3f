"""The asking thread's side of a job for helpers: see `helpers.py`.

`run_pieces` does a job, with helpers if they are awake or worth waking. One job at a time has helpers. A thread that
asks meanwhile, or from inside a job, does all of its own job itself.
"""

from functools import partial

from revolute.targets.llvm.helpers import CLOSED, JOB, MOST, SPIN, HelperCode, ThreadWriter

# duration [ns] of a streak of jobs less than SPIN apart after which a short job wakes sleeping helpers: waking a helper
# takes the requesting thread about 40 us in a virtual machine, a fiftieth of this duration
STREAK = 2_000_000

# delay [ns] that shows that a helper was preempted, if the requesting thread also waits for more than an eighth of the
# job: the delay is the waiting time beyond the mean duration of a piece on the requesting thread
LATE = 30_000

PENALTY = 100  # ratio of the time without helpers after a delay to the delay, so that delays cost at most 1 %

# initial and maximum number of jobs that wake no sleeping helpers after a job whose woken helpers came too late: waking
# a helper takes a tenth of the shortest job that wakes helpers
SKIPS, MOST_SKIPS = 8, 64

# number of pauses (20 ns each) for which a requesting thread waits for the last pieces before it yields its core
PATIENCE = 2000


class JobCode(HelperCode):
    """A module with helper threads: `run_pieces` does a job, `forget` is for children of forks."""

    def text(self) -> str:
        """The LLVM IR of the module."""
        self._run_pieces()
        self._forget()
        return super().text()

    def _run_pieces(self) -> None:
        """`run_pieces(function, argument, items, wish, threads, long)`: do a job, on several threads if that pays.

        It calls function(argument, begin, end) for pieces of `wish` items, on at most so many threads with the caller,
        and on no more than it has cores. `long` is 1 if all takes so long that helpers are worth waking, else 0.
        """
        w = self.writer()
        # the shared word has room for the indices of about 65,000 pieces
        size = w.most("%wish", w.add(w.div("%items", 65000), 1))
        w.branch(w.is_all(w.test("ult", size, "%items"), w.test("ugt", "%threads", 1)), "ask", "alone")
        w.label("ask")
        began = w.now()
        worth, wakes = self._helpers_are_of_use(w, began, size)
        # reserve the helper threads unless another job uses them
        w.branch(w.exchange("@busy", 0, 1, "acquire monotonic"), "count", "alone.timed")
        # the number of helpers is at most the number of cores, threads and pieces, minus the calling thread
        w.label("count")
        pieces = w.div_up("%items", size)
        threads = w.least(w.least(w.run("@follow", "i64"), "%threads"), w.least(pieces, MOST + 1))
        helpers = w.sub(threads, 1)
        w.branch(w.test("sgt", helpers, 0), "have", "give.up")
        w.label("give.up")
        w.write(0, "@busy", "release")
        w.go("alone")
        w.label("have")
        with w.when(worth):
            w.run("@start", "void", f"i64 {helpers}")
        self._publish(w, (pieces, size, helpers))
        with w.when(worth):
            w.run("@wake", "void", f"i64 {helpers}", "i64 1")
        # evaluate pieces until all pieces have been started, then wait until all are finished
        own = w.variable("i64", "0")
        with w.loop_while(lambda: w.run("@work", "i1", "i64 -1")):
            w.put("i64", w.add(w.get("i64", own), 1), own)
        done = w.get("i64", own)
        own_end = w.now()
        self._wait(w, pieces)
        now = w.now()
        w.write(now, "@ended")
        with w.when(wakes):
            self._judge_sleepers(w, done, pieces)
        self._judge_processor(w, began, own_end, now, done)
        w.write(0, "@busy", "release")
        w.do("ret void")
        # the time is recorded, because another job that follows soon may use helpers
        w.label("alone.timed")
        whole = "ptr %argument", "i64 0", "i64 %items"
        w.run("%function", "void", *whole)
        w.write(w.now(), "@ended")
        w.do("ret void")
        w.label("alone")
        w.run("%function", "void", *whole)
        w.do("ret void")
        arguments = "ptr %function, ptr %argument, i64 %items, i64 %wish, i64 %threads, i64 %long"
        self.define(w, f"void @run_pieces({arguments})")

    def _helpers_are_of_use(self, w: ThreadWriter, began: str, size: str) -> tuple[str, str]:
        """Go on if there are helpers worth asking; whether sleepers are worth waking, and whether that wakes some."""
        # waking helpers pays off for a long job or for a streak of jobs
        follows = w.test("slt", w.sub(began, w.read("@ended")), SPIN)
        since = w.either(follows, "i64", w.read("@streak"), began)
        w.write(since, "@streak")
        worth = w.is_any(w.test("sgt", w.sub(began, since), STREAK), w.test("ne", "%long", 0))
        # otherwise a job uses helpers only if they are awake
        any_started = w.test("ne", w.read("@started"), 0)
        up = w.test("eq", w.read("@states"), 0)
        awake = w.is_all(any_started, up)
        wakes = w.is_all(worth, any_started, w.is_not(up))
        # if helpers woken for recent jobs came too late, the next jobs of similar length wake no helpers
        skips = w.read("@skips")
        short = w.test("ule", w.div("%items", size), w.mul(w.read("@late"), 2))
        w.branch(w.is_all(wakes, w.test("sgt", skips, 0), short), "skip", "come")
        w.label("skip")
        w.write(w.sub(skips, 1), "@skips")
        w.go("alone.timed")
        w.label("come")
        trusted = w.test("sge", began, w.read("@distrusted"))
        w.require(w.is_all(w.is_any(worth, awake), trusted), "alone.timed")
        return worth, wakes

    def _publish(self, w: ThreadWriter, numbers: tuple[str, str, str]) -> None:
        """Close the word, write the job's fields, open the word."""
        pieces, size, helpers = numbers
        closed = w.let(f"or i64 {w.read('@word')}, {CLOSED}")
        w.write(closed, "@word")
        w.do("fence release")
        code, data = (w.let(f"ptrtoint ptr {x} to i64") for x in ("%function", "%argument"))
        for name, value in zip(JOB, (pieces, code, data, "%items", size, helpers), strict=True):
            w.write(value, w.field(name))
        w.write(0, "@done")
        # adding one sets front and back to zero and increments the job's number
        w.write(w.add(closed, 1), "@word", "release")
        w.do("fence seq_cst")

    def _wait(self, w: ThreadWriter, pieces: str) -> None:
        """Wait until all pieces are done: with pauses, and after PATIENCE of them on a core that others may have."""
        pauses = w.variable("i64", "0")
        with w.loop_while(lambda: w.test("ne", w.read("@done", "acquire"), pieces)):
            count = w.get("i64", pauses)
            w.put("i64", w.add(count, 1), pauses)
            w.choose(w.test("ugt", count, PATIENCE), partial(w.system, "sched_yield"), w.pause)

    def _judge_sleepers(self, w: ThreadWriter, done: str, pieces: str) -> None:
        """Note whether those who were woken did an eighth of the pieces; if not, how many jobs let them sleep."""
        late = w.test("uge", w.mul(done, 8), w.mul(pieces, 7))
        skipping = w.least(w.most(w.mul(w.read("@skipped"), 2), SKIPS), MOST_SKIPS)
        skipping = w.either(late, "i64", skipping, "0")
        for value, variable in ((skipping, "@skipped"), (skipping, "@skips"), (pieces, "@late")):
            w.write(value, variable)

    def _judge_processor(self, w: ThreadWriter, began: str, own_end: str, now: str, done: str) -> None:
        """Do without helpers for a while if the system put one aside: it will again."""
        waited = w.sub(now, own_end)
        mean = w.div(w.sub(own_end, began), w.most(done, 1))
        much = w.test("sgt", w.mul(waited, 8), w.sub(now, began))
        late = w.test("sgt", waited, w.add(mean, LATE))
        with w.when(w.is_all(much, late)):
            w.write(w.add(now, w.mul(waited, PENALTY)), "@distrusted")

    def _forget(self) -> None:
        """`forget()`: in the child of a fork there are no helpers, and no job runs."""
        w = self.writer()
        for name in ("started", "ended", "distrusted", "skips", "skipped"):
            w.put("i64", "0", f"@{name}")
        w.put("i64", str(CLOSED), "@word")
        w.clear("@states", 128 * MOST)
        w.put("i64", "0", "@busy")
        w.do("ret void")
        self.define(w, "void @forget()")
