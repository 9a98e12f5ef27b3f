"""The asking thread's side of a job for helpers: see `helpers.py`.

`run_pieces` does a job, with helpers if they are awake or worth waking. One job at a time has helpers. A thread that
asks meanwhile, or from inside a job, does all of its own job itself.
"""

from __future__ import annotations

from revolute.targets.llvm.helpers import CLOSED, MOST, SPIN, helpers_text, pause_text
from revolute.targets.llvm.short_forms import expanded, with_values

__all__ = ["MOST_SKIPS", "SKIPS", "helpers_module"]

STREAK = 2_000_000
"""Nanoseconds that jobs must have followed each other within SPIN before sleepers are woken for a short one: to wake
one takes some 40 us of the asker's time in a virtual machine, a fiftieth of this."""

LATE = 30_000
"""An asker waits for begun pieces for more than an eighth of the job, and for so many nanoseconds longer than its own
pieces took in the mean, only if their helper was put aside: other processes use its core."""

PENALTY = 100
"""For so many times what it waited, an asker then does without helpers. So waiting costs it a part in 100."""

SKIPS, MOST_SKIPS = 8, 64
"""Jobs that let sleepers sleep after one whose sleepers came too late, at first, and at most when that goes on: to wake
one takes a tenth of a job that is just worth it."""

PATIENCE = 2000
"""Pauses, of some 20 ns each, that an asker waits for the last pieces before it lets other threads run on its core."""

_TEXT = """
; Call function(argument, begin, end) for pieces of so many items, on at most so many threads with the caller, and on no
; more than it has cores. `long` is 1 if all takes so long that helpers are worth waking, else 0.
define void @run_pieces(ptr %function, ptr %argument, i64 %items, i64 %wish, i64 %threads, i64 %long) nounwind {
entry: ; a word holds the numbers of some 65,000 pieces
  %least = udiv i64 %items, 65000
  %least.up = add i64 %least, 1
  %size = call i64 @llvm.umax.i64(i64 %wish, i64 %least.up)
  %several = icmp ult i64 %size, %items
  %others = icmp ugt i64 %threads, 1
  %divisible = and i1 %several, %others
  br i1 %divisible, label %ask, label %alone
ask: ; are sleepers worth waking, for this job or for a streak of jobs?
  %began = call i64 @now()
  %ended = load atomic i64, ptr @ended monotonic, align 8
  %gap = sub i64 %began, %ended
  %follows = icmp slt i64 %gap, SPIN
  %streak = load atomic i64, ptr @streak monotonic, align 8
  %since = select i1 %follows, i64 %streak, i64 %began
  store atomic i64 %since, ptr @streak monotonic, align 8
  %lasts = sub i64 %began, %since
  %is.streak = icmp sgt i64 %lasts, STREAK
  %is.long = icmp ne i64 %long, 0
  %worth = or i1 %is.streak, %is.long
  ; if not, is one awake?
  %present = load atomic i64, ptr @started monotonic, align 8
  %any = icmp ne i64 %present, 0
  %state = load atomic i64, ptr @states monotonic, align 8
  %up = icmp eq i64 %state, 0
  %awake = and i1 %any, %up
  ; the latest sleepers that were woken came too late to do much: the next jobs as short let them sleep
  %down = xor i1 %up, true
  %asleep = and i1 %any, %down
  %wakes = and i1 %worth, %asleep
  %skips = load atomic i64, ptr @skips monotonic, align 8
  %some.skips = icmp sgt i64 %skips, 0
  %about = udiv i64 %items, %size
  %late.for = load atomic i64, ptr @late monotonic, align 8
  %longest = shl i64 %late.for, 1
  %short = icmp ule i64 %about, %longest
  %skipped.if = and i1 %some.skips, %short
  %let.sleep = and i1 %wakes, %skipped.if
  br i1 %let.sleep, label %skip, label %come
skip:
  %fewer.skips = sub i64 %skips, 1
  store atomic i64 %fewer.skips, ptr @skips monotonic, align 8
  br label %alone.timed
come:
  %useful = or i1 %worth, %awake
  ; and do they come in time?
  %until = load atomic i64, ptr @distrusted monotonic, align 8
  %trusted = icmp sge i64 %began, %until
  %helped = and i1 %useful, %trusted
  br i1 %helped, label %take, label %alone.timed
take: ; the helpers, if nobody has them
  %exchange = cmpxchg ptr @busy, i64 0, i64 1 acquire monotonic
  %free = extractvalue { i64, i1 } %exchange, 1
  br i1 %free, label %count, label %alone.timed
count: ; helpers: no more than cores, pieces and threads, less the caller
  %cores = call i64 @follow()
  %items.up = add i64 %items, %size
  %items.last = sub i64 %items.up, 1
  %pieces = udiv i64 %items.last, %size
  %fitting = call i64 @llvm.umin.i64(i64 %cores, i64 %threads)
  %fewer = call i64 @llvm.umin.i64(i64 %fitting, i64 %pieces)
  %most = call i64 @llvm.umin.i64(i64 %fewer, i64 MOST_THREADS)
  %helpers = sub i64 %most, 1
  %enough = icmp sgt i64 %helpers, 0
  br i1 %enough, label %have, label %give.up
give.up:
  store atomic i64 0, ptr @busy release, align 8
  br label %alone
have:
  br i1 %worth, label %complete, label %publish
complete: ; as many helpers as asked for, or as there can be
  call void @start(i64 %helpers)
  br label %publish
publish: ; close the word, write the fields, open the word
  %former = load atomic i64, ptr @word monotonic, align 8
  %closed = or i64 %former, CLOSED
  store atomic i64 %closed, ptr @word monotonic, align 8
  fence release
  %code = ptrtoint ptr %function to i64
  %data = ptrtoint ptr %argument to i64
  store atomic i64 %pieces, ptr @job monotonic, align 8
  store atomic i64 %code, ptr getelementptr (i64, ptr @job, i64 1) monotonic, align 8
  store atomic i64 %data, ptr getelementptr (i64, ptr @job, i64 2) monotonic, align 8
  store atomic i64 %items, ptr getelementptr (i64, ptr @job, i64 3) monotonic, align 8
  store atomic i64 %size, ptr getelementptr (i64, ptr @job, i64 4) monotonic, align 8
  store atomic i64 %helpers, ptr getelementptr (i64, ptr @job, i64 5) monotonic, align 8
  store atomic i64 0, ptr @done monotonic, align 8
  %opened = add i64 %closed, 1 ; front and back run over to zero, the job's number counts up
  store atomic i64 %opened, ptr @word release, align 8
  fence seq_cst
  br i1 %worth, label %wake, label %share
wake:
  call void @wake(i64 %helpers, i64 1)
  br label %share
share: ; do pieces until all are begun
  %own = phi i64 [0, %publish], [0, %wake], [%own.next, %share]
  %own.next = add i64 %own, 1
  %found = call i1 @work(i64 -1)
  br i1 %found, label %share, label %shared
shared:
  %own.end = call i64 @now()
  %own.took = sub i64 %own.end, %began
  %own.some = call i64 @llvm.umax.i64(i64 %own, i64 1)
  %own.mean = udiv i64 %own.took, %own.some
  %patient = add i64 %own.mean, LATE
  br label %wait
wait: ; until all are done
  %k = phi i64 [0, %shared], [%k.next, %pause], [%k.next, %yield]
  %done = load atomic i64, ptr @done acquire, align 8
  %finished = icmp eq i64 %done, %pieces
  br i1 %finished, label %end, label %again
again:
  %k.next = add i64 %k, 1
  %long.wait = icmp ugt i64 %k, PATIENCE
  br i1 %long.wait, label %yield, label %pause
pause:
  PAUSE
  br label %wait
yield:
  call i32 @sched_yield()
  br label %wait
end:
  %now = call i64 @now()
  store atomic i64 %now, ptr @ended monotonic, align 8
  br i1 %wakes, label %judge, label %judged
judge: ; did those who were woken do an eighth of the pieces?
  %own.8 = mul i64 %own, 8
  %most.of.all = mul i64 %pieces, 7
  %alone.did = icmp uge i64 %own.8, %most.of.all
  %skipped = load atomic i64, ptr @skipped monotonic, align 8
  %doubled = shl i64 %skipped, 1
  %at.least = call i64 @llvm.umax.i64(i64 %doubled, i64 SKIPS)
  %at.most = call i64 @llvm.umin.i64(i64 %at.least, i64 MOST_SKIPS)
  %skipping = select i1 %alone.did, i64 %at.most, i64 0
  store atomic i64 %skipping, ptr @skipped monotonic, align 8
  store atomic i64 %skipping, ptr @skips monotonic, align 8
  store atomic i64 %pieces, ptr @late monotonic, align 8
  br label %judged
judged: ; a helper that was put aside by the system will be again
  %waited = sub i64 %now, %own.end
  %share.of.all = mul i64 %waited, 8
  %took = sub i64 %now, %began
  %much = icmp sgt i64 %share.of.all, %took
  %late = icmp sgt i64 %waited, %patient
  %put.aside = and i1 %much, %late
  br i1 %put.aside, label %distrust, label %release
distrust:
  %penalty = mul i64 %waited, PENALTY
  %trust.again = add i64 %now, %penalty
  store atomic i64 %trust.again, ptr @distrusted monotonic, align 8
  br label %release
release:
  store atomic i64 0, ptr @busy release, align 8
  ret void
alone.timed: ; another job that follows soon may have helpers
  call void %function(ptr %argument, i64 0, i64 %items)
  %later = call i64 @now()
  store atomic i64 %later, ptr @ended monotonic, align 8
  ret void
alone:
  call void %function(ptr %argument, i64 0, i64 %items)
  ret void
}

define void @forget() nounwind { ; in the child of a fork there are no helpers, and no job runs
entry:
  store i64 0, ptr @started, align 8
  store i64 CLOSED, ptr @word, align 8
  store i64 0, ptr @ended, align 8
  store i64 0, ptr @distrusted, align 8
  store i64 0, ptr @skips, align 8
  store i64 0, ptr @skipped, align 8
  call void @llvm.memset.p0.i64(ptr @states, i8 0, i64 STATES_SIZE, i1 false)
  store i64 0, ptr @busy, align 8
  ret void
}
"""


def helpers_module(triple: str) -> str:
    """The LLVM IR of a module with helper threads: `run_pieces` does a job, `forget` is for children of forks.

    Args:
        triple: of the host, as LLVM names it.
    """
    values: dict[str, int | str] = {"CLOSED": CLOSED, "MOST_THREADS": MOST + 1, "STATES_SIZE": 128 * MOST}
    values |= {"SPIN": SPIN, "STREAK": STREAK, "SKIPS": SKIPS, "MOST_SKIPS": MOST_SKIPS}
    values |= {"PATIENCE": PATIENCE, "LATE": LATE, "PENALTY": PENALTY, "PAUSE": pause_text(triple)[1]}
    return expanded(helpers_text(triple) + with_values(_TEXT, values), ())
