"""Python's threads do items of work in turn: work that needs Python's lock, or has no helpers on this platform."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["on_threads"]

Item = TypeVar("Item")


def on_threads(do: Callable[[Item], None], items: Iterable[Item], count: int) -> None:
    """Do all items, each once, on at most `count` threads, the caller's among them.

    An error leaves the items that nobody has begun. Threads start with the call, some 50 us each: it should take a
    millisecond at least.
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
        with contextlib.suppress(RuntimeError):  # at exit, or at a limit of the system, there are fewer threads
            for _ in range(min(count, len(waiting)) - 1):
                threads.append(threading.Thread(target=help_out, name="revolute"))
                threads[-1].start()
        work()
    finally:
        waiting.clear()
        for thread in threads:
            if thread.ident is not None:  # else it could not start
                thread.join()
    if errors:
        raise errors[0]
