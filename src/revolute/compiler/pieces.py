"""Machine code on ranges of items, on threads."""

from __future__ import annotations

import ctypes

from revolute.compiler import helpers
from revolute.compiler.pool import on_threads

__all__ = ["CODE", "run_pieces"]

SHORT = 2e5  # number of operations per block in a piece, about 50 us of work
LONG = 2e6  # minimum number of operations per block in total (about 0.5 ms) for which waking sleeping helpers pays off
CODE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)  # calls release Python's lock


def run_pieces(code: int, argument: int, items: int, operations: int, threads: int) -> None:
    """Call `void code(argument, begin, end)` for pieces of a range of items; signals are handled after the last one.

    Args:
        code, argument: addresses.
        items: their number. Pieces may run in any order, several at once.
        operations: of an item, on a block of rows.
        threads: maximum number at once.
    """
    # pieces are so short that waiting for another thread's last one costs little
    size = max(int(SHORT / operations), 1)
    if threads == 1 or items <= size:
        CODE(code)(argument, 0, items)
    elif helpers.available():
        helpers.run_pieces(code, argument, items, size, threads, long=items * operations >= LONG)
    else:
        on_threads(lambda begin: CODE(code)(argument, begin, min(begin + size, items)), range(0, items, size), threads)
