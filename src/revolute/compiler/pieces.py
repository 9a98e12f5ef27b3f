"""Machine code that works on numbered pieces, on threads."""

from __future__ import annotations

import ctypes
from collections import deque

from revolute.compiler.batch import _helpers, finish

__all__ = ["run_pieces"]

_CODE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)  # calls release Python's lock


def run_pieces(code: int, argument: int, pieces: int, threads: int) -> None:
    """Call `void code(argument, piece)` for each piece; Python handles signals between them.

    Args:
        code, argument: addresses.
        pieces: their number; they may run in any order, several at once.
        threads: at most so many at once.
    """
    function, waiting = _CODE(code), deque(range(pieces))

    def work() -> None:
        while True:
            try:
                piece = waiting.popleft()
            except IndexError:
                return
            function(argument, piece)

    helpers = _helpers(work, min(threads, pieces) - 1)  # the caller works too
    try:
        work()
    finally:
        waiting.clear()
        finish(helpers)
