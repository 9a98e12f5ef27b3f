"""Commands that a signal ends remove their unfinished files first."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator

__all__ = ["orderly_end"]

_SIGNALS = ("SIGTERM", "SIGHUP")


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """Within the block SIGTERM and SIGHUP raise `SystemExit`, with the exit status of shells for that signal.

    Signals that are handled or ignored already (`nohup`) stay as they are.
    """
    signals = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    on_main = threading.current_thread() is threading.main_thread()  # no other thread may set handlers
    changed = [number for number in signals if on_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
