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

from __future__ import annotations

from revolute.targets.llvm.short_forms import with_values

__all__ = ["CLOSED", "MOST", "SPIN", "SYSTEM", "helpers_text", "pause_text"]

CLOSED = 0xFFFF_FFFF
"""Front and back in the word while the job's fields are written."""

MOST = 64
"""The most helper threads."""

SPIN = 50_000
"""Nanoseconds that an idle helper looks for work before it sleeps: more than Python takes between two calls."""

_PAUSES = {
    "x86": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),  # yield
}
"""By family of processors, the instruction that a thread waits with: its declaration, and a call of it."""

SYSTEM = {
    "sem_init": "i32 (ptr, i32, i32)",
    "sem_wait": "i32 (ptr)",
    "sem_post": "i32 (ptr)",
    "pthread_create": "i32 (ptr, ptr, ptr, ptr)",
    "pthread_detach": "i32 (i64)",
    "pthread_setname_np": "i32 (i64, ptr)",
    "pthread_sigmask": "i32 (i32, ptr, ptr)",
    "pthread_setaffinity_np": "i32 (i64, i64, ptr)",
    "sched_getaffinity": "i32 (i32, i64, ptr)",
    "sched_yield": "i32 ()",
    "clock_gettime": "i32 (i32, ptr)",
    "memcmp": "i32 (ptr, ptr, i64)",
}
"""Functions of the C library that helpers call, and their types."""

_TEXT = """
@word = internal global i64 CLOSED, align 128
@job = internal global [6 x i64] zeroinitializer, align 64 ; pieces, function, argument, items, items a piece, helpers
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
@states = internal global [MOST x [16 x i64]] zeroinitializer, align 128 ; 1 while a helper sleeps
@semaphores = internal global [MOST x [16 x i64]] zeroinitializer, align 128
@handles = internal global [MOST x i64] zeroinitializer, align 8
@name = internal constant [9 x i8] c"revolute\\00"

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
  br i1 %posted, label %spread, label %sleep
spread: ; wake others that the job asks for
  %helpers = load atomic i64, ptr getelementptr (i64, ptr @job, i64 5) monotonic, align 8
  call void @wake(i64 %helpers, i64 2)
  br label %fresh
}

define internal i1 @rouse(i64 %number) nounwind { ; set a helper's state from asleep to awake; false if it was awake
entry:
  %state = getelementptr [16 x i64], ptr @states, i64 %number
  %exchange = cmpxchg ptr %state, i64 1, i64 0 seq_cst seq_cst
  %asleep = extractvalue { i64, i1 } %exchange, 1
  ret i1 %asleep
}

define internal void @wake(i64 %helpers, i64 %most) nounwind { ; wake sleepers among the first helpers
entry:
  %started = load atomic i64, ptr @started monotonic, align 8
  %count = call i64 @llvm.umin.i64(i64 %started, i64 %helpers)
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %next]
  %posts = phi i64 [0, %entry], [%posts.next, %next]
  %present = icmp slt i64 %k, %count
  %wanted = icmp slt i64 %posts, %most
  %left = and i1 %present, %wanted
  br i1 %left, label %body, label %done
body:
  %asleep = call i1 @rouse(i64 %k)
  br i1 %asleep, label %post, label %next
post:
  %semaphore = getelementptr [16 x i64], ptr @semaphores, i64 %k
  call i32 @sem_post(ptr %semaphore)
  br label %next
next:
  %posted = zext i1 %asleep to i64
  %posts.next = add i64 %posts, %posted
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
  %present = load atomic i64, ptr @started monotonic, align 8
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
  store atomic i64 %k.next, ptr @started monotonic, align 8
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
  %helpers = load atomic i64, ptr @started monotonic, align 8
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
"""


def pause_text(triple: str) -> tuple[str, str]:
    """The declaration and the call by which a thread of a host waits for a moment; empty where there is none."""
    return next((texts for name, texts in _PAUSES.items() if triple.startswith(name)), ("", ""))


def helpers_text(triple: str) -> str:
    """The helpers' side, in short forms, for a Linux host.

    Args:
        triple: of the host, as LLVM names it.
    """
    declaration, pause = pause_text(triple)
    system = [f"declare {kind.replace(' ', f' @{name}', 1)}" for name, kind in SYSTEM.items()]
    text = with_values(_TEXT, {"CLOSED": CLOSED, "MOST": MOST, "SPIN": SPIN, "PAUSE": pause})
    return "\n".join([declaration, *system, text])
