"""Removal of unfinished files when a signal ends a command."""

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
    """Within the block SIGTERM and SIGHUP raise `SystemExit` with a shell's exit status, unless handled or ignored."""
    signals = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    on_main = threading.current_thread() is threading.main_thread()  # the only one that may set handlers
    changed = [number for number in signals if on_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
