"""Work items on Python threads: for work that needs Python's lock, or platforms without helpers."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from revolute.targets.llvm.forks import wait_for

Item = TypeVar("Item")


def on_threads(
    do: Callable[[Item], None], items: Iterable[Item], count: int, stop: Callable[[], object] = lambda: None
) -> None:
    """Process all items, each once, on at most `count` threads, including the caller's.

    After an error or Ctrl-C, items that have not started are skipped, `stop` is called to end long ones early, and all
    others end before this function raises. A call starts its threads, which takes about 50 us each, so the work should
    take at least a millisecond.
    """
    waiting, errors = deque(items), list[BaseException]()
    running = set[int]()

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            do(item)

    def help_out() -> None:
        me = threading.get_ident()
        running.add(me)
        try:
            work()
        except BaseException as error:
            errors.append(error)
            waiting.clear()
            stop()
        finally:
            running.discard(me)

    try:
        with contextlib.suppress(RuntimeError):  # at exit or at a system limit, fewer threads can be started
            for _ in range(min(count, len(waiting)) - 1):
                threading.Thread(target=help_out, name="revolute").start()
        work()
        while running:
            time.sleep(1e-4)
    except BaseException:
        waiting.clear()
        stop()
        wait_for(running)
        raise
    if errors:
        raise errors[0]
