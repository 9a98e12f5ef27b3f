"""Garbage collection, suspended while a graph is traced."""

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_not_collecting: set[int] = set()  # threads that disabled garbage collection and will enable it again


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Suspend garbage collection: a trace creates many objects and no garbage, and collection took a sixth of it."""
    # the collector is one for all threads: who disabled it enables it again, in a fork's child too
    thread = threading.get_ident()
    enabled = gc.isenabled()
    if enabled:
        _not_collecting.add(thread)
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
            _not_collecting.discard(thread)


def _collect_again() -> None:
    """Enable garbage collection in the child of a fork: the threads that would do so do not exist there."""
    if _not_collecting:
        gc.enable()
        _not_collecting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_collect_again)
