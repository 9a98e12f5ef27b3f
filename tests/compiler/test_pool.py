"""Work on several threads: each item is done once, and a call waits only for threads that have begun."""

import ctypes
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from comparing import assert_raises
from processes import in_threads, printed

from revolute.compiler import pool
from revolute.compiler.calls import ALONE, fast_call
from revolute.compiler.patterns import plain_pattern
from revolute.compiler.pool import CODE, in_pieces, on_threads
from revolute.targets.llvm import compile_object, host, load_object
from revolute.targets.llvm.host import _quota


def counts(items: int, threads: int) -> list[int]:
    """How often each item is done."""
    done = list[int]()
    on_threads(done.append, range(items), threads)
    return np.bincount(done, minlength=items).tolist()


@pytest.mark.parametrize("threads", [1, 2, 3, 70, 10**6])
def test_each_item_is_done_once(threads: int) -> None:
    for items in (0, 1, 2, 3, 100, 2000):
        assert counts(items, threads) == [1] * items
    assert in_threads(lambda _: counts(500, threads), 6) == [[1] * 500] * 6


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("operations", [1, 3e5, 1e9])
def test_pieces_cover_a_range(threads: int, operations: float) -> None:
    table = np.zeros(1003, np.int64)

    @CODE
    def count(argument: int, begin: int, end: int) -> None:
        np.add.at(table, np.arange(begin, end), argument)

    in_pieces(ctypes.cast(count, ctypes.c_void_p).value, 1, len(table), operations, threads)
    assert np.all(table == 1)


def test_items_may_have_items() -> None:
    found = list[list[int]]()
    on_threads(lambda _: found.append(counts(10, 3)), range(20), 3)
    assert found == [[1] * 10] * 20


def test_a_call_does_not_wait_for_threads_that_have_not_begun() -> None:
    """All threads of the pool are occupied: the caller does all items itself."""
    release, me = threading.Event(), threading.get_ident()
    blocked = [pool._pool().submit(release.wait) for _ in range(pool.MOST)]
    try:
        found = list[int]()
        on_threads(lambda _: found.append(threading.get_ident()), range(50), 4)
        assert found == [me] * 50
    finally:
        release.set()
    assert all(x.result() for x in blocked)
    assert counts(50, 4) == [1] * 50


def test_errors_stop_the_rest_and_come_out() -> None:
    for failing in (0, 7):
        done = list[int]()

        def do(item: int, failing: int = failing, done: list[int] = done) -> None:
            if item == failing:
                raise ValueError("broken item")
            done.append(item)

        assert_raises(ValueError, "broken item", on_threads, do, range(10_000), 2)
        assert len(done) == len(set(done)) < 9999


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_an_interrupt_waits_for_items_that_have_begun() -> None:
    """Also where it comes while the caller waits for the other thread."""
    begun, release, ended = threading.Event(), threading.Event(), list[int]()

    def do(item: int) -> None:
        if threading.current_thread() is threading.main_thread():
            begun.wait()  # then the caller waits, and the alarm comes
            return
        begun.set()
        release.wait()
        ended.append(item)

    def interrupt(*_: object) -> None:
        release.set()
        raise KeyboardInterrupt("now")

    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert_raises(KeyboardInterrupt, "now", on_threads, do, range(2), 2)
    finally:
        signal.signal(signal.SIGALRM, usual)
    assert len(ended) == 1


PROGRAM = """
import atexit, os, threading, numpy as np, revolute
from revolute.compiler import batch
batch.cores = lambda: 3
kernel = revolute.robots.ur5().kernel("inverse_dynamics")
rows = np.random.default_rng(1).standard_normal((200_000, 6))
expected = kernel.ufunc(rows, rows, rows)

def right(**named):
    threads = sum(x.name.startswith("revolute") for x in threading.enumerate())
    return int(np.array_equal(kernel(rows, rows, rows, **named), expected)), threads
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_children_start_threads_of_their_own() -> None:
    text = """
print(right(), right(), flush=True)
if not os.fork():
    print(right(), right(), flush=True)
    os._exit(0)
os.wait()
print(right())
"""
    assert printed(PROGRAM + text).split("\n")[:3] == ["(1, 0) (1, 2)", "(1, 0) (1, 2)", "(1, 2)"]


def test_calls_at_exit_use_one_thread() -> None:
    assert printed(PROGRAM + "atexit.register(lambda: print(right()))\n") == "(1, 0)\n"


@pytest.mark.parametrize("threads", [1, 2, None])
def test_memory_that_runs_out(threads: int | None) -> None:
    """The loop stores a 1 at its last argument: the call raises, and later calls are right."""
    text = """
@fail = global i32 1
@row_code = global ptr null
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {
entry:
  %fail = load i32, ptr @fail
  store i32 %fail, ptr %data
  ret void
}
"""
    loaded = load_object(compile_object(text, host()), host())
    x, rows = SimpleNamespace(shape=(2,)), np.zeros((2 * ALONE // 1000, 2))
    form = SimpleNamespace(name="f", inputs=[x], outputs=[("y", (2,))])
    call = fast_call(form, np.dtype(float), 1000, loaded, None, plain_pattern(1))
    for part in (rows, rows[:9]):
        for fails in (1, 0, 1):
            ctypes.c_int32.from_address(loaded.variable("fail")).value = fails
            for named in ({}, {"out": np.empty_like(part)}):
                if fails:
                    assert_raises(MemoryError, "^$", call, part, threads=threads, **named)
                else:
                    assert call(part, threads=threads, **named).shape == part.shape


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
    assert _quota(str(tmp_path)) == cores
