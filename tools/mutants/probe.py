"""What a probe calls: it notes the test that runs now, once for each place."""

from __future__ import annotations

import contextlib
import os

_PHASES = (" (setup)", " (call)", " (teardown)")
_seen: set[str] = set()
_context = os.environ.get("PYTEST_CURRENT_TEST", "")
"""In a process that a test starts, the test's name."""


def switch(context: str) -> None:
    """What runs from now on: a test, or the import of a file of tests."""
    global _context
    _context = context
    _seen.clear()


def passed(place: str) -> None:
    """Note that a place is passed, in a file of this process."""
    if place not in _seen:
        _seen.add(place)
        name = _context.removesuffix(next(filter(_context.endswith, _PHASES), ""))
        with contextlib.suppress(OSError):  # of tests in which nothing can be written
            path = os.path.join(os.environ["MUTANTS_PASSED"], str(os.getpid()))
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            os.write(file, f"{name}\t{place}\n".encode())
            os.close(file)
