"""Compilation in background threads: final code of one kernel at a time, to limit the use of memory."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator

from revolute.errors import RevoluteError

turns = [threading.Lock()]
"""A lock held during each compilation of final code; a forked child gets a new lock."""
_awaited = set[int]()
"""Identifiers of the threads that compile code for which a call waits."""
_ended = [0.0]
"""The value of `time.monotonic()` when the last such compilation ended."""
_threads = list[threading.Thread]()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: turns.__setitem__(0, threading.Lock()))
    os.register_at_fork(after_in_child=_awaited.clear)


@contextlib.contextmanager
def awaited() -> Iterator[None]:
    """Mark a block as a compilation for which a call waits; delayed background tasks do not begin during it."""
    _awaited.add(threading.get_ident())
    try:
        yield
    finally:
        _awaited.discard(threading.get_ident())
        _ended[0] = time.monotonic()


def in_background(do: Callable[[], None], name: str, after: float = 0.0) -> None:
    """Call `do` in a new thread: at once, or after `after` seconds in which no call has waited for code."""
    # A compilation error ends the thread silently; `do` is not called if no thread can start. At exit, Python waits for
    # this thread, so that the code is stored for the next process.

    def run() -> None:
        while after and (_awaited or time.monotonic() - _ended[0] < after):
            time.sleep(after)
        with contextlib.suppress(RevoluteError, MemoryError):
            do()

    with contextlib.suppress(RuntimeError):  # no thread can be started at interpreter exit or at a system limit
        _threads[:] = [thread for thread in _threads if thread.is_alive()]
        _threads.append(threading.Thread(target=run, name=f"revolute {name}", daemon=False))
        _threads[-1].start()


def wait() -> None:
    """Wait until all background compilation has ended."""
    while any(thread.is_alive() for thread in [*_threads]):  # see `wait_for`
        time.sleep(1e-3)
