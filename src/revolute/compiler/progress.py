"""A progress line on stderr for long work: its description and duration.

The line appears once the work has run for `SECONDS`, and only in a terminal or a notebook. The environment variable
REVOLUTE_PROGRESS overrides the latter: with 0 the line never appears, with 1 in any stream.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

SECONDS = 2.0  # waiting time [s] after which progress is shown


class ProgressLine:
    """The progress line of one piece of work; `result` is text that is added when the work is done.

    The line belongs to the process that created it. A forked child ignores it, because the child lacks the thread that
    may hold the lock.
    """

    def __init__(self, text: str, stream: TextIO | None) -> None:
        self.result = ""
        self._text, self._stream = text, stream
        self._begun = self._ended = False
        self._lock = threading.Lock()
        self._process = os.getpid()

    @property
    def ours(self) -> bool:
        """Whether the line belongs to this process."""
        return os.getpid() == self._process

    def begin(self) -> None:
        """Show the line, if the work has not ended."""
        with self._lock:
            if not self._ended:
                self._write(f"revolute: {self._text} ... ")
                self._begun = True

    def add(self, text: str) -> None:
        """Add to the description of the work."""
        if not self.ours:
            return
        with self._lock:
            self._text += f" {text}"
            if self._begun:
                self._write(f"{text} ... ")

    def end(self, said: str) -> None:
        """Complete the line, if it is shown."""
        if not self.ours:
            return
        with self._lock:
            if self._begun:
                self._write(f"{said}\n")
            self._ended = True

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # an error of a closed stream must not interrupt the computation
            print(text, end="", file=self._stream, flush=True)


@contextlib.contextmanager
def progress_line(text: str, at_once: bool = False) -> Iterator[ProgressLine]:
    """Show a progress line if the work in this block takes long; with `at_once`, immediately and in any stream."""
    stream = sys.stderr
    line = ProgressLine(text, stream)
    # another thread shows the line, because this thread is busy
    timer = threading.Timer(SECONDS, line.begin)
    timer.daemon = True
    # if the progress line is not wanted, no thread is started
    if at_once:
        if stream is not None and os.environ.get("REVOLUTE_PROGRESS", "") != "0":
            line.begin()
    elif wanted(stream):
        with contextlib.suppress(RuntimeError):  # the system may be unable to start a thread
            timer.start()
    started = time.perf_counter()
    try:
        yield line
    except BaseException:
        line.end("failed")
        raise
    else:
        line.end(f"done in {time.perf_counter() - started:.1f} s{line.result}")
    finally:
        if line.ours:
            timer.cancel()


def wanted(stream: TextIO | None) -> bool:
    """Whether to show progress lines in this stream."""
    setting = os.environ.get("REVOLUTE_PROGRESS", "")
    if stream is None or setting in ("0", "1"):
        return stream is not None and setting == "1"
    return stream.isatty() or "ipykernel" in sys.modules
