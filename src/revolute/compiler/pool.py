"""Python's threads do items of work in turn: work that needs Python's lock, or has no helpers on this platform."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from revolute.targets.llvm import cores

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["on_threads"]

Item = TypeVar("Item")


def on_threads(do: Callable[[Item], None], items: Iterable[Item], count: int) -> None:
    """Do all items, each once, on at most `count` threads, the caller's among them.

    An error leaves the items that nobody has begun.
    """
    waiting = deque(items)

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            do(item)

    helpers = _helpers(work, min(count, len(waiting)) - 1)
    try:
        work()
    finally:
        waiting.clear()
        _finish(helpers)


def _helpers(work: Callable[[], None], count: int) -> list[Future[None]]:
    """At most `count` threads that do the same work; at exit, or at a limit of the system, there may be fewer.

    A pool that refuses may have queued the work all the same. So each helper asks its own
    future for permission to begin, which `Future.cancel` withdraws.
    """
    helpers: list[Future[None]] = []
    if count < 1:
        return helpers
    with contextlib.suppress(RuntimeError):
        from concurrent.futures import Future  # late: it loads `logging`, and most processes need no threads

        for _ in range(count):
            helpers.append(Future())
            _pool().submit(_help, helpers[-1], work)
    return helpers


def _finish(helpers: Sequence[Future[None]]) -> None:
    """Withdraw the helpers that have not begun, wait for the others, and raise what one of them raised."""
    if running := [helper for helper in helpers if not helper.cancel()]:
        from concurrent.futures import wait

        wait(running)
        for helper in running:
            helper.result()


def _help(helper: Future[None], work: Callable[[], None]) -> None:
    if helper.set_running_or_notify_cancel():
        try:
            work()
        except BaseException as error:
            helper.set_exception(error)
        else:
            helper.set_result(None)


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads of all callers; it starts as many as were ever busy at once, up to its limit."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(2 * cores(), 16), thread_name_prefix="revolute")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
