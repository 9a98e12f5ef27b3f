"""Work items on Python threads: for work that needs Python's lock, or platforms without helpers."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def on_threads(do: Callable[[Item], None], items: Iterable[Item], count: int) -> None:
    """Process all items, each once, on at most `count` threads, including the caller's.

    After an error, items that have not started are skipped. A call starts its threads, which takes about 50 us each, so
    the work should take at least a millisecond.
    """
    waiting, errors = deque(items), list[BaseException]()

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            do(item)

    def help_out() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)
            waiting.clear()

    threads: list[threading.Thread] = []
    try:
        with contextlib.suppress(RuntimeError):  # at exit or at a system limit, fewer threads can be started
            for _ in range(min(count, len(waiting)) - 1):
                threads.append(threading.Thread(target=help_out, name="revolute"))
                threads[-1].start()
        work()
    finally:
        waiting.clear()
        for thread in threads:
            if thread.ident is not None:  # a thread without an identifier has not been started
                thread.join()
    if errors:
        raise errors[0]
