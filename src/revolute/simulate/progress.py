"""Progress bar of a long computation, on stderr; it is erased at the end.

The bar is shown in interactive sessions, and on request in scripts whose stderr is a terminal. The environment variable
REVOLUTE_PROGRESS overrides both: 0 never, 1 always.
"""

import contextlib
import math
import os
import sys
import time
from types import TracebackType
from typing import Self

from revolute.compiler.progress import SECONDS, wanted

EVERY = 0.2
"""Time between updates of the progress bar [s]."""
WIDTH = 24


class Progress:
    """The bar of one computation, such as a simulation.

    The bar begins with `doing`, such as "simulating 'ur5'", and ends with `note`, a format string of `now` and of
    `end`, the end of the span. `show` is True for any terminal, also in scripts, False for none, and None for
    interactive sessions only. `at` draws again only after `time.monotonic` has reached `next`.
    """

    def __init__(
        self, doing: str, span: tuple[float, float], show: bool | None, note: str = "t={now:.4g} of {end:g} s"
    ) -> None:
        self._doing, self._span, self._show, self._note, self._stream = doing, span, show, note, sys.stderr
        self._started = time.monotonic()
        self.next = math.inf if show is False else self._started + SECONDS
        self._shown = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")

    def at(self, now: float) -> None:
        """Show that the computation has reached `now`, a number within its span."""
        if time.monotonic() >= self.next:
            if self._wanted():
                self._draw(now)
            else:
                self.next = math.inf

    def _wanted(self) -> bool:
        interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive) or "ipykernel" in sys.modules
        asked = self._show or interactive or os.environ.get("REVOLUTE_PROGRESS") == "1"
        return asked and wanted(self._stream)

    def _draw(self, now: float) -> None:
        begin, end = self._span
        done = min((now - begin) / (end - begin), 1.0) if end > begin else 1.0
        spent = time.monotonic() - self._started
        left = f", {spent * (1 - done) / done:.0f} s left" if done > 0 else ""
        bar = "#" * round(WIDTH * done)
        note = self._note.format(now=now, end=end)
        text = f"revolute: {self._doing} [{bar:<{WIDTH}}] {done:4.0%}, {note}{left}"
        self._write("\r" + text.ljust(self._shown))
        self._shown = len(text)
        self.next = time.monotonic() + EVERY

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # continue if the output stream is closed
            print(text, end="", file=self._stream, flush=True)
