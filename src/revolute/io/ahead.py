"""An iterator that reads ahead in a thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from queue import Empty, Full, Queue
from typing import Any, TypeVar

__all__ = ["ahead"]

T = TypeVar("T")

DEPTH = 2
"""Maximum number of waiting items."""
PATIENCE = 0.1
"""Seconds after which a waiting thread checks whether it is still needed."""


@contextlib.contextmanager
def ahead(source: Iterator[T]) -> Iterator[Iterator[T]]:
    """The items of an iterator, computed ahead in a separate thread.

    Errors of the iterator are raised where its items are used. At the end of the block the thread has ended.

    Example:
        >>> from revolute.io.ahead import ahead
        >>> with ahead(iter(range(3))) as numbers:
        ...     list(numbers)
        [0, 1, 2]
    """
    queue: Queue[tuple[str, Any]] = Queue(DEPTH)
    stopped = threading.Event()

    def put(*item: Any) -> bool:
        while not stopped.is_set():
            with contextlib.suppress(Full):
                queue.put(item, timeout=PATIENCE)
                return True
        return False

    def work() -> None:
        try:
            for item in source:
                if not put("item", item):
                    break
            put("end", None)
        except BaseException as error:
            put("error", error)
        finally:
            if hasattr(source, "close"):
                source.close()

    thread = threading.Thread(target=work, name="ahead", daemon=True)
    thread.start()
    try:
        yield _items(queue)
    finally:
        stopped.set()
        with contextlib.suppress(Empty):  # let the thread put what it has, and see that it is not wanted
            while True:
                queue.get_nowait()
        thread.join()


def _items(queue: Queue[tuple[str, Any]]) -> Iterator[Any]:
    while True:
        try:
            kind, item = queue.get(timeout=PATIENCE)  # without a timeout, Ctrl+C would wait on some systems
        except Empty:
            continue
        if kind == "error":
            raise item
        if kind == "end":
            return
        yield item
