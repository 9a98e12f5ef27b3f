"""Machine code on ranges of items, on threads."""

from __future__ import annotations

import ctypes

from revolute.compiler import helpers
from revolute.compiler.pool import on_threads

__all__ = ["CODE", "run_pieces"]

SHORT = 2e5
"""Operations of a piece, about 50 us."""

LONG = 2e6
"""Minimum total number of operations, about 0.5 ms, for waking sleeping helper threads."""

CODE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)  # calls release Python's lock


def run_pieces(code: int, argument: int, items: int, operations: int, threads: int) -> None:
    """Call `void code(argument, begin, end)` for pieces of a range of items; signals are handled after the last one.

    Args:
        code, argument: addresses.
        items: their number. Pieces may run in any order, several at once.
        operations: of an item, on a block of rows.
        threads: maximum number at once.
    """
    # pieces so short that a thread that waits for another's last one loses little
    size = max(int(SHORT / operations), 1)
    if threads == 1 or items <= size:
        CODE(code)(argument, 0, items)
    elif helpers.available():
        helpers.run_pieces(code, argument, items, size, threads, long=items * operations >= LONG)
    else:
        on_threads(lambda begin: CODE(code)(argument, begin, min(begin + size, items)), range(0, items, size), threads)
