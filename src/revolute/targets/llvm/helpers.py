"""Helper threads in machine code: they do pieces of a job without Python's lock.

A job is a function `void (ptr argument, i64 begin, i64 end)` and a number of items, cut into pieces. One word says which
of them are begun: how many at the front (bits 0-15), how many at the back (16-31), and the job's number (32-63). Who
counts front or back up by one, atomically, does that piece: helpers of even number at the back, the others and the
asking thread at the front, so that in job after job on the same data two threads meet what is in their own caches. The
asking thread goes on until all pieces are begun, and so takes back what helpers leave. A helper that is put aside delays
a job by no more than the one piece it has begun.

The job's fields are read between a load of the word and its exchange, and written while the word is closed: all ones in
front and back. So if the exchange succeeds, the fields are those of the piece's job.

After its last piece a helper looks for work for SPIN nanoseconds, then sleeps on its semaphore. To sleep, it sets its
state to 1 and looks once more; who sets the state back to 0 posts. In a virtual machine that takes the asker some 40 us
and the sleeper 0.5 ms, so sleepers are woken for long jobs, or in a long streak of short ones, and not else.

One job at a time has helpers. A thread that asks meanwhile, or from inside a job, does all of its own job itself.
"""

from __future__ import annotations

__all__ = ["MOST_HELPERS", "helpers_text"]

CLOSED = 0xFFFF_FFFF
"""Front and back in the word while the job's fields are written."""

MOST_HELPERS = 64
"""The most helper threads."""

SPIN = 50_000
"""Nanoseconds that an idle helper looks for work before it sleeps: more than Python takes between two calls."""

STREAK = 2_000_000
"""Nanoseconds that jobs must have followed each other within SPIN before sleepers are woken for a short one: to wake one
takes some 40 us of the asker's time in a virtual machine, a fiftieth of this."""

PATIENCE = 2000
"""Pauses, of some 20 ns each, that an asker waits for the last pieces before it lets other threads run on its core."""

_PAUSES = {
    "x86": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),  # yield
}
"""By family of processors, the instruction that a thread waits with: its declaration, and a call of it."""

_TEXT = """
@word = internal global i64 CLOSED, align 128
@job = internal global [6 x i64] zeroinitializer, align 64 ; pieces, function, argument, items, items a piece, helpers
@done = internal global i64 0, align 128 ; pieces of the job that are done
@busy = internal global i64 0, align 128 ; 1 while a job runs
@ended = internal global i64 0, align 8 ; when the latest job ended [ns]
@streak = internal global i64 0, align 8 ; when the first of the latest jobs began that followed each other closely [ns]
@started = global i64 0, align 8 ; how many helpers there are
@quota = global i64 0, align 8 ; cores that the process may use in the mean; 0 if there is no limit
@cores = global i64 0, align 8 ; for tests: the number of cores, in place of the caller's; 0 for the caller's
@places = internal global [128 x i64] zeroinitializer, align 64 ; the cores that helpers may run on
@states = internal global [64 x [16 x i64]] zeroinitializer, align 128 ; 1 while a helper sleeps
@semaphores = internal global [64 x [16 x i64]] zeroinitializer, align 128
@handles = internal global [64 x i64] zeroinitializer, align 8
@name = internal constant [9 x i8] c"revolute\\00"

declare i32 @sem_init(ptr, i32, i32)
declare i32 @sem_wait(ptr)
declare i32 @sem_post(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_setname_np(i64, ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @pthread_setaffinity_np(i64, i64, ptr)
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_yield()
declare i32 @clock_gettime(i32, ptr)
declare i32 @memcmp(ptr, ptr, i64)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @now() nounwind { ; monotonic time [ns]
entry:
  %time = alloca [2 x i64], align 8
  call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = number %time 0
  %rest = number %time 1
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}

define internal i1 @work(i64 %number) nounwind { ; do a piece of the job; false if there is none for this helper
entry:
  %low = and i64 %number, 1
  %even = icmp eq i64 %low, 0
  %one = select i1 %even, i64 65536, i64 1
  br label %look
look:
  %word = load atomic i64, ptr @word acquire, align 8
  %front = and i64 %word, 65535
  %shifted = lshr i64 %word, 16
  %back = and i64 %shifted, 65535
  %begun = add i64 %front, %back
  %pieces = load atomic i64, ptr @job monotonic, align 8
  %function = load atomic i64, ptr getelementptr (i64, ptr @job, i64 1) monotonic, align 8
  %argument = load atomic i64, ptr getelementptr (i64, ptr @job, i64 2) monotonic, align 8
  %items = load atomic i64, ptr getelementptr (i64, ptr @job, i64 3) monotonic, align 8
  %size = load atomic i64, ptr getelementptr (i64, ptr @job, i64 4) monotonic, align 8
  %helpers = load atomic i64, ptr getelementptr (i64, ptr @job, i64 5) monotonic, align 8
  %left = icmp ult i64 %begun, %pieces
  %asked = icmp slt i64 %number, %helpers
  %free = and i1 %left, %asked
  br i1 %free, label %claim, label %none
claim: ; if the word is the same still, the piece is this thread's and the fields are its job's
  fence acquire
  %following = add i64 %word, %one
  %exchange = cmpxchg ptr @word, i64 %word, i64 %following acq_rel monotonic
  %won = extractvalue { i64, i1 } %exchange, 1
  br i1 %won, label %do, label %look
do:
  %last = sub i64 %pieces, 1
  %from.back = sub i64 %last, %back
  %place = select i1 %even, i64 %from.back, i64 %front
  %begin = mul i64 %place, %size
  %full = add i64 %begin, %size
  %end = call i64 @llvm.umin.i64(i64 %full, i64 %items)
  %code = inttoptr i64 %function to ptr
  %data = inttoptr i64 %argument to ptr
  call void %code(ptr %data, i64 %begin, i64 %end)
  atomicrmw add ptr @done, i64 1 release
  ret i1 true
none:
  ret i1 false
}

define internal ptr @help(ptr %argument) nounwind { ; the life of a helper, whose number is the argument
entry:
  %number = ptrtoint ptr %argument to i64
  %state = getelementptr [16 x i64], ptr @states, i64 %number
  %semaphore = getelementptr [16 x i64], ptr @semaphores, i64 %number
  br label %fresh
fresh: ; work, and look for more
  %began = call i64 @now()
  br label %look
look:
  %found = call i1 @work(i64 %number)
  br i1 %found, label %fresh, label %idle
idle:
  PAUSE
  PAUSE
  PAUSE
  PAUSE
  %now = call i64 @now()
  %spun = sub i64 %now, %began
  %tired = icmp sgt i64 %spun, SPIN
  br i1 %tired, label %drowsy, label %look
drowsy: ; from here on an asker posts; a job that came before is seen here
  %awake = atomicrmw xchg ptr %state, i64 1 seq_cst
  fence seq_cst
  %missed = call i1 @work(i64 %number)
  br i1 %missed, label %rise, label %sleep
rise: ; unless an asker was faster, and posts
  %risen = call i1 @rouse(i64 %number)
  br i1 %risen, label %fresh, label %sleep
sleep:
  %woken = call i32 @sem_wait(ptr %semaphore)
  %posted = icmp eq i32 %woken, 0
  br i1 %posted, label %fresh, label %sleep
}

define internal i1 @rouse(i64 %number) nounwind { ; set a helper's state from asleep to awake; false if it was awake
entry:
  %state = getelementptr [16 x i64], ptr @states, i64 %number
  %exchange = cmpxchg ptr %state, i64 1, i64 0 seq_cst seq_cst
  %asleep = extractvalue { i64, i1 } %exchange, 1
  ret i1 %asleep
}

define internal void @wake(i64 %count) nounwind { ; wake the first helpers, those that sleep
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %next]
  %left = icmp slt i64 %k, %count
  br i1 %left, label %body, label %done
body:
  %asleep = call i1 @rouse(i64 %k)
  br i1 %asleep, label %post, label %next
post:
  %semaphore = getelementptr [16 x i64], ptr @semaphores, i64 %k
  call i32 @sem_post(ptr %semaphore)
  br label %next
next:
  %k.next = add i64 %k, 1
  br label %loop
done:
  ret void
}

define internal void @start(i64 %count) nounwind { ; have as many helpers, or as many as the system allows
entry:
  %signals = alloca [16 x i64], align 8
  %usual = alloca [16 x i64], align 8
  %handle = alloca i64, align 8
  %present = load i64, ptr @started, align 8
  %enough = icmp sge i64 %present, %count
  br i1 %enough, label %done, label %block
block: ; signals go to Python's threads, all but SIGILL (4), SIGBUS (7), SIGFPE (8) and SIGSEGV (11): ~0x4c8
  call void @llvm.memset.p0.i64(ptr %signals, i8 -1, i64 128, i1 false)
  store i64 -1225, ptr %signals, align 8
  call i32 @pthread_sigmask(i32 0, ptr %signals, ptr %usual)
  br label %loop
loop:
  %k = phi i64 [%present, %block], [%k.next, %created]
  %left = icmp slt i64 %k, %count
  br i1 %left, label %body, label %restore
body:
  %state = getelementptr [16 x i64], ptr @states, i64 %k
  store atomic i64 0, ptr %state seq_cst, align 8
  %semaphore = getelementptr [16 x i64], ptr @semaphores, i64 %k
  call i32 @sem_init(ptr %semaphore, i32 0, i32 0)
  %argument = inttoptr i64 %k to ptr
  %failure = call i32 @pthread_create(ptr %handle, ptr null, ptr @help, ptr %argument)
  %failed = icmp ne i32 %failure, 0
  br i1 %failed, label %restore, label %created
created:
  %thread = load i64, ptr %handle, align 8
  %kept = getelementptr i64, ptr @handles, i64 %k
  store i64 %thread, ptr %kept, align 8
  call i32 @pthread_detach(i64 %thread)
  call i32 @pthread_setname_np(i64 %thread, ptr @name)
  %k.next = add i64 %k, 1
  store i64 %k.next, ptr @started, align 8
  br label %loop
restore:
  call i32 @pthread_sigmask(i32 2, ptr %usual, ptr null)
  br label %done
done:
  ret void
}

define internal i64 @follow() nounwind { ; the number of cores of the caller; helpers are sent to the same
entry:
  %mask = alloca [128 x i64], align 64
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 1024, i1 false)
  %size = call i32 @sched_getaffinity(i32 0, i64 1024, ptr %mask)
  %failed = icmp slt i32 %size, 0
  br i1 %failed, label %one, label %compare
one:
  ret i64 1
compare:
  %difference = call i32 @memcmp(ptr %mask, ptr @places, i64 1024)
  %same = icmp eq i32 %difference, 0
  br i1 %same, label %count, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr @places, ptr %mask, i64 1024, i1 false)
  %helpers = load i64, ptr @started, align 8
  br label %send
send: ; for each helper
  %h = phi i64 [0, %copy], [%h.next, %sent]
  %more = icmp slt i64 %h, %helpers
  br i1 %more, label %sent, label %count
sent:
  %handle = number @handles %h
  call i32 @pthread_setaffinity_np(i64 %handle, i64 1024, ptr %mask)
  %h.next = add i64 %h, 1
  br label %send
count: ; the bits that are set
  br label %loop
loop:
  %k = phi i64 [0, %count], [%k.next, %loop]
  %sum = phi i64 [0, %count], [%sum.next, %loop]
  %word = number %mask %k
  %bits = call i64 @llvm.ctpop.i64(i64 %word)
  %sum.next = add i64 %sum, %bits
  %k.next = add i64 %k, 1
  %left = icmp ult i64 %k.next, 128
  br i1 %left, label %loop, label %limit
limit: ; by the quota, or what tests ask for
  %quota = load i64, ptr @quota, align 8
  %unlimited = icmp eq i64 %quota, 0
  %less = call i64 @llvm.umin.i64(i64 %sum.next, i64 %quota)
  %cores = select i1 %unlimited, i64 %sum.next, i64 %less
  %pretended = load i64, ptr @cores, align 8
  %real = icmp eq i64 %pretended, 0
  %result = select i1 %real, i64 %cores, i64 %pretended
  ret i64 %result
}

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
  %present = load i64, ptr @started, align 8
  %any = icmp ne i64 %present, 0
  %state = load atomic i64, ptr @states monotonic, align 8
  %up = icmp eq i64 %state, 0
  %awake = and i1 %any, %up
  %helped = or i1 %worth, %awake
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
  %most = call i64 @llvm.umin.i64(i64 %fewer, i64 65)
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
  %all = load i64, ptr @started, align 8
  %sleepers = call i64 @llvm.umin.i64(i64 %all, i64 %helpers)
  call void @wake(i64 %sleepers)
  br label %share
share: ; do pieces until all are begun
  %found = call i1 @work(i64 -1)
  br i1 %found, label %share, label %wait
wait: ; until all are done
  %k = phi i64 [0, %share], [%k.next, %pause], [%k.next, %yield]
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
  call void @llvm.memset.p0.i64(ptr @states, i8 0, i64 8192, i1 false)
  store i64 0, ptr @busy, align 8
  ret void
}
"""


def helpers_text(triple: str) -> str:
    """Functions in short forms for a Linux host: `run_pieces` does a job, `forget` is for children of forks.

    Args:
        triple: of the host, as LLVM names it.
    """
    declaration, pause = next((code for name, code in _PAUSES.items() if triple.startswith(name)), ("", ""))
    text = declaration + _TEXT.replace("PAUSE\n", f"{pause}\n")
    text = text.replace("CLOSED", str(CLOSED))
    for name, value in (("SPIN", SPIN), ("STREAK", STREAK), ("PATIENCE", PATIENCE)):
        text = text.replace(f" {name}\n", f" {value}\n").replace(f" {name},", f" {value},")
    return text
