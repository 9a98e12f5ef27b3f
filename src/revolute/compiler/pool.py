"""Work in several threads: Python functions process items, and machine code processes pieces of a range.

All calls share one pool, so that threads are not started for every call. Waking a thread takes about 100 us.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from revolute.targets.llvm.forks import wait_for

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

CODE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)  # such calls release the GIL
PIECES = 8  # maximum number of pieces per thread: a call waits for only one piece of a delayed thread
PIECE = 3e6  # minimum number of operations of a piece (about 150 us)
MOST = 64  # maximum number of threads in the pool
Item = TypeVar("Item")
_pools: list[ThreadPoolExecutor] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # the child has only the thread that forked


def on_threads(
    do: Callable[[Item], None], items: Iterable[Item], count: int, stop: Callable[[], object] = lambda: None
) -> None:
    """Process all items, each once, in at most `count` threads, including the caller's.

    After an error or Ctrl-C, waiting items are skipped, `stop` is called to end running items early, and this function
    raises after they have ended. It never waits for a thread that has not begun, so `do` may call this function, too.
    """
    if count == 1:
        for item in items:
            do(item)
        return
    waiting, errors = deque(items), list[BaseException]()
    running, ended = set[int](), SimpleQueue[None]()  # a Condition may stay locked after Ctrl-C

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            do(item)

    def help_out() -> None:
        me = threading.get_ident()
        running.add(me)  # before it takes an item, so that the caller waits for it
        try:
            work()
        except BaseException as error:
            errors.append(error)
            waiting.clear()
            stop()
        finally:
            running.discard(me)
            ended.put(None)

    try:
        with suppress(RuntimeError, ImportError):  # at exit or at a system limit, no thread can be started
            for _ in range(min(count, len(waiting), MOST + 1) - 1):
                _pool().submit(help_out)
        work()
        while running:
            ended.get()
    except BaseException:
        waiting.clear()
        stop()
        wait_for(running)
        raise
    if errors:
        raise errors[0]


def _pool() -> ThreadPoolExecutor:
    """The thread pool of this process; threads start when they are first needed."""
    if not _pools:
        from concurrent.futures import ThreadPoolExecutor  # takes 10 ms, and few processes need threads

        _pools.append(ThreadPoolExecutor(MOST, "revolute"))
    return _pools[0]


def in_pieces(code: int, argument: int, items: int, operations: float, threads: int) -> None:
    """Call `void code(argument, begin, end)` for pieces of a range of items; signals are handled after the last piece.

    Pieces may run in any order, on several threads at once. `operations` is the number of operations per item.
    """
    size = max(int(PIECE / operations), -(-items // (PIECES * threads)), 1)
    if threads == 1 or items <= size:
        CODE(code)(argument, 0, items)
    else:
        on_threads(lambda begin: CODE(code)(argument, begin, min(begin + size, items)), range(0, items, size), threads)
