"""Compilation on threads while a program goes on: final code of one kernel at a time, so that memory suffices."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator

from revolute.errors import RevoluteError

turns = [threading.Lock()]
"""A lock for each compilation of final code; the child of a fork has a new one."""
_awaited = set[int]()
"""Threads that wait for the code of a call."""
_ended = [0.0]
"""The time of `time.monotonic` at which the last of them got its code."""
_threads = list[threading.Thread]()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: turns.__setitem__(0, threading.Lock()))
    os.register_at_fork(after_in_child=_awaited.clear)


@contextlib.contextmanager
def awaited() -> Iterator[None]:
    """Mark a compilation for which a call waits: delayed background tasks do not begin meanwhile."""
    _awaited.add(threading.get_ident())
    try:
        yield
    finally:
        _awaited.discard(threading.get_ident())
        _ended[0] = time.monotonic()


def in_background(do: Callable[[], None], name: str, after: float = 0.0) -> None:
    """Call `do` on a new thread, once no call has waited for code for `after` seconds; with 0, at once."""
    # Errors of compilation end it in silence; it is not called if no thread can be started. At exit, Python waits for
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
    """Wait until nothing is compiled in the background."""
    while any(thread.is_alive() for thread in [*_threads]):  # see `wait_for`
        time.sleep(1e-3)
