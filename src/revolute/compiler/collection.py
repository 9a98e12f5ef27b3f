"""Garbage collection, suspended while a graph is traced."""

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_not_collecting: set[int] = set()  # an item for each thread that disabled garbage collection and will enable it again


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Suspend garbage collection: tracing creates no garbage, and collection would take a sixth of its time."""
    # garbage collection is disabled for all threads, then enabled again, even in the child process of a fork
    thread = threading.get_ident()
    if enabled := gc.isenabled():
        _not_collecting.add(thread)
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
            _not_collecting.discard(thread)


def _collect_again() -> None:
    """Enable garbage collection in the child of a fork, which lacks the threads that would enable it."""
    if _not_collecting:
        gc.enable()
        _not_collecting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_collect_again)
