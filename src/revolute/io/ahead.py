"""An iterator whose next items are computed ahead in a thread."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")
DEPTH = 2  # number of items computed in advance
PATIENCE = 0.1  # timeout of each wait [s], because on some systems Ctrl+C has no effect during a wait
_END: Any = object()


@contextlib.contextmanager
def ahead(source: Iterator[T]) -> Iterator[Iterator[T]]:
    """The items of an iterator, computed ahead in a separate thread.

    Errors of the iterator are raised where its items are used. The thread ends before the `with` block does.
    """
    pool = ThreadPoolExecutor(1, "ahead")
    try:
        yield _items(pool, source, [pool.submit(next, source, _END) for _ in range(DEPTH)])
    finally:
        pool.shutdown(cancel_futures=True)
        if hasattr(source, "close"):
            source.close()


def _items(pool: ThreadPoolExecutor, source: Iterator[T], coming: list[Future[T]]) -> Iterator[T]:
    while True:
        first = coming.pop(0)
        while not wait([first], PATIENCE).done:
            pass
        if (item := first.result()) is _END:
            return
        coming.append(pool.submit(next, source, _END))
        yield item
