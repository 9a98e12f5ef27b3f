"""Compilation on threads while a program goes on: final code of one kernel at a time, so that memory suffices."""

import contextlib
import os
import threading
import time
from collections.abc import Callable

from revolute.errors import RevoluteError

turns = [threading.Lock()]
"""A lock for each compilation of final code; the child of a fork has a new one."""
_threads = list[threading.Thread]()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: turns.__setitem__(0, threading.Lock()))


def in_background(do: Callable[[], None], name: str, after: float = 0.0) -> None:
    """Call a function on a new thread, after some seconds; errors of compilation end it in silence.

    The function is not called if no thread can be started. At exit, Python waits for this thread, so that the code is
    stored for the next process.
    """

    def run() -> None:
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
