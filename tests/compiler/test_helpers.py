"""Helper threads: each item is done once, by whoever comes; helpers that do not come are not waited for."""

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from processes import in_threads, printed

from revolute.compiler import helpers
from revolute.compiler.helpers import run_pieces
from revolute.targets.llvm import Loaded, compile_object, host, load_object
from revolute.targets.llvm.jobs import MOST_SKIPS, SKIPS

pytestmark = pytest.mark.skipif(not helpers.available(), reason="helper threads need 64 bits and Linux")

JOBS = """
declare i64 @pthread_self()
declare i32 @sched_yield()

define void @count(ptr %table, i64 %begin, i64 %end) { ; each item's number goes up by one
entry:
  br label %loop
loop:
  %k = phi i64 [%begin, %entry], [%next, %loop]
  %place = getelementptr i64, ptr %table, i64 %k
  atomicrmw add ptr %place, i64 1 monotonic
  %next = add i64 %k, 1
  %left = icmp slt i64 %next, %end
  br i1 %left, label %loop, label %done
done:
  ret void
}

; The table: who asks, pieces done by others, pieces done, for how many of them others wait. A thread that does not ask
; waits in its first piece until so many are done.
define void @wait(ptr %table, i64 %begin, i64 %end) {
entry:
  %me = call i64 @pthread_self()
  %asks = load i64, ptr %table
  %others = getelementptr i64, ptr %table, i64 1
  %done = getelementptr i64, ptr %table, i64 2
  %goal.place = getelementptr i64, ptr %table, i64 3
  %goal = load i64, ptr %goal.place
  %mine = icmp eq i64 %me, %asks
  br i1 %mine, label %asking, label %helping
asking: ; in its last piece, until another thread has begun one
  %so.far = load atomic i64, ptr %done seq_cst, align 8
  %last = icmp sge i64 %so.far, %goal
  br i1 %last, label %finish, label %helper.there
helper.there:
  %begun = load atomic i64, ptr %others seq_cst, align 8
  %there = icmp sgt i64 %begun, 0
  call i32 @sched_yield()
  br i1 %there, label %finish, label %helper.there
helping:
  atomicrmw add ptr %others, i64 1 seq_cst
  br label %loop
loop:
  %now = load atomic i64, ptr %done seq_cst, align 8
  %enough = icmp sge i64 %now, %goal
  call i32 @sched_yield()
  br i1 %enough, label %finish, label %loop
finish:
  atomicrmw add ptr %done, i64 1 seq_cst
  ret void
}

declare i32 @usleep(i32)

define void @dawdle(ptr %table, i64 %begin, i64 %end) { ; as `wait`, but another thread takes 20 ms more
entry:
  %me = call i64 @pthread_self()
  %asks = load i64, ptr %table
  call void @wait(ptr %table, i64 %begin, i64 %end)
  %mine = icmp eq i64 %me, %asks
  br i1 %mine, label %done, label %sleep
sleep:
  call i32 @usleep(i32 20000)
  br label %done
done:
  ret void
}

@inner = global ptr null

; Each of the outer job's pieces is a job itself: 10 items of `count`, in pieces of one.
declare void @llvm.donothing()
define void @nest(ptr %table, i64 %begin, i64 %end) {
entry:
  %run = load ptr, ptr @inner
  %offset = mul i64 %begin, 10
  %part = getelementptr i64, ptr %table, i64 %offset
  %whole = sub i64 %end, %begin
  %items = mul i64 %whole, 10
  call void %run(ptr @count, ptr %part, i64 %items, i64 1, i64 4, i64 1)
  ret void
}
"""


@pytest.fixture(scope="module")
def jobs() -> Loaded:
    return load_object(compile_object(JOBS, host()), host())


def variable(name: str) -> ctypes.c_int64:
    """A variable of the machine code."""
    return ctypes.c_int64.from_address(helpers.machine_code().variable(name))


def trust() -> None:
    """Have the next job use helpers, though a busy machine may have put them aside before, or woken them late."""
    variable("distrusted").value = variable("skips").value = 0


@pytest.fixture
def cores() -> Iterator[ctypes.c_int64]:
    """The number of cores that helpers believe in; 0 for the caller's."""
    trust()
    yield variable("cores")
    variable("cores").value = 0


def counts(jobs: Loaded, items: int, size: int, threads: int, *, long: bool = True) -> np.ndarray:
    table = np.zeros(items, np.int64)
    run_pieces(jobs.function("count"), table.ctypes.data, items, size, threads, long=long)
    return table


@pytest.mark.parametrize("threads", [1, 2, 3, 9, 70, 10**6])
def test_every_item_is_done_once(jobs: Loaded, cores: ctypes.c_int64, threads: int) -> None:
    cores.value = min(threads, 5)  # more threads than there are cores here, but no crowd
    rng = np.random.default_rng(threads)
    for trial in range(300):
        items = int(rng.integers(1, 5000 if trial % 10 else 200_000))
        table = counts(jobs, items, int(rng.integers(1, 100 if trial % 10 else 5)), threads, long=bool(rng.integers(2)))
        assert np.all(table == 1)
    assert np.all(counts(jobs, 1_000_003, 1, threads) == 1)  # more items than a word can number


def test_jobs_of_many_threads(jobs: Loaded, cores: ctypes.c_int64) -> None:
    cores.value = 3
    assert in_threads(lambda _: all(np.all(counts(jobs, 999, 7, 3) == 1) for _ in range(300)), 6) == [True] * 6


def test_jobs_inside_of_jobs(jobs: Loaded, cores: ctypes.c_int64) -> None:
    cores.value = 4
    address = helpers.machine_code().function("run_pieces")
    ctypes.c_void_p.from_address(jobs.variable("inner")).value = address
    for _ in range(200):
        table = np.zeros(500, np.int64)
        run_pieces(jobs.function("nest"), table.ctypes.data, 50, 3, 4)
        assert np.all(table == 1)


def test_helpers_come_and_the_caller_takes_back_what_they_leave(jobs: Loaded, cores: ctypes.c_int64) -> None:
    """A helper is put aside within its first piece until all others are done: only the caller can do those."""
    cores.value = 2
    for _ in range(20):
        trust()
        table = np.array([threading.get_ident(), 0, 0, 40], np.int64)
        run_pieces(jobs.function("wait"), table.ctypes.data, 41, 1, 2)
        assert list(table[1:3]) == [1, 41]


def test_helpers_that_were_put_aside_are_left_alone_for_a_while(jobs: Loaded, cores: ctypes.c_int64) -> None:
    cores.value = 2
    table = np.array([threading.get_ident(), 0, 0, 10], np.int64)
    run_pieces(jobs.function("dawdle"), table.ctypes.data, 11, 1, 2)
    rest = variable("distrusted").value - time.monotonic_ns()
    assert list(table[1:3]) == [1, 11] and rest > 0
    table = np.array([threading.get_ident(), 1, 0, 0], np.int64)
    run_pieces(jobs.function("wait"), table.ctypes.data, 12, 1, 2)
    assert time.monotonic_ns() > variable("distrusted").value or list(table[1:3]) == [1, 1]  # all in one call


def test_sleepers_that_came_too_late_may_sleep_on(jobs: Loaded, cores: ctypes.c_int64) -> None:
    """For as many short jobs as are counted, but not for a longer one."""
    cores.value = 2

    def with_sleepers() -> None:
        time.sleep(0.02)
        assert np.all(counts(jobs, 200, 1, 2) == 1)

    for _ in range(100):  # they may come at once
        with_sleepers()
        if found := variable("skips").value:
            break
    assert SKIPS <= found <= MOST_SKIPS and variable("late").value == 200
    for left in [found - 1, found - 2]:
        with_sleepers()
        assert variable("skips").value == left
    time.sleep(0.02)
    variable("late").value = 2
    table = np.array([threading.get_ident(), 0, 0, 4], np.int64)
    run_pieces(jobs.function("wait"), table.ctypes.data, 5, 1, 2)  # ends only if one comes
    assert list(table[1:3]) == [1, 5] and variable("skips").value == 0


ALONE = """
import ctypes, os, numpy as np, revolute
from revolute.compiler import helpers

def variable(name):
    return ctypes.c_int64.from_address(helpers.machine_code().variable(name))

robot = revolute.robots.planar(2)
rows = np.random.default_rng(1).standard_normal((800_000, 2))
kernel = robot.kernel("inverse_dynamics")
expected = kernel.ufunc(rows, rows, rows)

def helper_threads():
    tasks = os.listdir("/proc/self/task")
    return [int(k) for k in tasks if open(f"/proc/self/task/{k}/comm").read() == "revolute\\n"]

def right(**named):
    return bool(np.array_equal(robot.inverse_dynamics(rows, rows, rows, **named), expected))
"""


def program(text: str) -> list[str]:
    return printed(ALONE + text).split()


def test_helpers_that_never_come() -> None:
    """Machine code takes threads for started that are not: whatever is asked of them, the caller does."""
    text = """
variable("cores").value = 1
print(right())
variable("cores").value, variable("started").value = 4, 3
print(*[right(threads=4) for _ in range(20)], len(helper_threads()))
"""
    assert program(text) == ["True"] * 21 + ["0"]


@pytest.mark.parametrize(
    "limit", ["os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])", "variable('quota').value = 1"]
)
def test_one_core_has_no_helpers(limit: str) -> None:
    assert program(limit + """\nprint(right(), right(threads=4), variable("started").value)""") == ["True", "True", "0"]


def test_helpers_run_where_the_caller_does() -> None:
    """Those that started on one core go along when the caller may use more, and back."""
    text = """
cores = sorted(os.sched_getaffinity(0))
variable("cores").value = 2
for places in (cores[:1], cores, cores[-1:]):
    os.sched_setaffinity(0, places)
    variable("distrusted").value = variable("skips").value = 0
    print(right(threads=2), all(os.sched_getaffinity(k) == set(places) for k in helper_threads()))
"""
    assert program(text) == ["True"] * 6


def test_children_start_helpers_of_their_own() -> None:
    text = """
variable("cores").value = 3
print(right(), variable("started").value, flush=True)
for _ in range(5):
    if not os.fork():
        print(variable("started").value, right(), variable("started").value, end=" ")
        print(len(helper_threads()), flush=True)
        os._exit(0)
    os.wait()
print(right())
"""
    assert program(text) == ["True", "2"] + ["0", "True", "2", "2"] * 5 + ["True"]


def helper_threads() -> list[Path]:
    tasks = Path("/proc/self/task").iterdir()
    return [task for task in tasks if (task / "comm").read_text().strip() == "revolute"]


def test_idle_helpers_sleep_and_leave_signals_to_python(jobs: Loaded, cores: ctypes.c_int64) -> None:
    cores.value = 3
    counts(jobs, 1000, 1, 3)
    threads = helper_threads()
    assert len(threads) == variable("started").value >= 2

    def fields(task: Path) -> list[str]:
        return (task / "stat").read_text().rpartition(")")[2].split()

    deadline = time.monotonic() + 60
    while not all(fields(task)[0] == "S" for task in threads):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    used = [fields(task)[11:13] for task in threads]
    time.sleep(0.2)
    assert [fields(task)[11:13] for task in threads] == used  # user and system time
    for task in threads:
        status = dict(line.split(":\t") for line in (task / "status").read_text().splitlines() if ":\t" in line)
        blocked = int(status["SigBlk"], 16)
        assert blocked >> (signal.SIGINT - 1) & blocked >> (signal.SIGTERM - 1) & 1
        assert not blocked >> (signal.SIGSEGV - 1) & 1


def test_memory_that_runs_out_in_a_helper() -> None:
    """Its loop stores a 1 where it is told; the call raises, and later calls are right."""
    text = """
from types import SimpleNamespace
from revolute.compiler.calls import fast_call, with_helpers
from revolute.compiler.patterns import plain_pattern
from revolute.targets.llvm import compile_object, host, load_object
loop = '''
@fail = global i32 1
@rows_at_once = global i64 4
@row_code = global ptr null
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {
entry:
  %fail = load i32, ptr @fail
  store i32 %fail, ptr %data
  ret void
}
'''
loaded = load_object(compile_object(loop, host()), host())
x = SimpleNamespace(shape=(2,))
kernel = SimpleNamespace(name="f", dtype=np.dtype(float), inputs=[x], outputs=[("y", (2,))], work=1000)
with_helpers()
call = fast_call(kernel, loaded, None, plain_pattern(1))
variable("cores").value = 2
for fails in (1, 0, 1):
    ctypes.c_int32.from_address(loaded.variable("fail")).value = fails
    for threads in (1, 2):
        for named in ({}, {"out": np.empty_like(rows)}):
            try:
                print(call(rows, threads=threads, **named).shape == rows.shape)
            except MemoryError:
                print("MemoryError")
"""
    assert program(text) == ["MemoryError"] * 4 + ["True"] * 4 + ["MemoryError"] * 4


@pytest.mark.parametrize(
    ("quota", "cores"), [(None, 0), ("max 100000", 0), ("150000 100000", 2), ("50000 100000", 1), ("400000 100000", 4)]
)
@pytest.mark.parametrize("version", [1, 2])
def test_quota_of_a_container(tmp_path: Path, version: int, quota: str | None, cores: int) -> None:
    """Files of the two versions of control groups, or none."""
    (tmp_path / "cpu").mkdir()
    if quota and version == 2:
        (tmp_path / "cpu.max").write_text(f"{quota}\n")
    elif quota:
        for name, text in zip(("quota", "period"), quota.replace("max", "-1").split(), strict=True):
            (tmp_path / "cpu" / f"cpu.cfs_{name}_us").write_text(f"{text}\n")
    assert helpers._quota(str(tmp_path)) == cores
