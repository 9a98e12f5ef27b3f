"""Every cell of `everything.py`, at guard pages, interrupted and forked: arguments and later calls are as they were.

Cells share a process and their kernels: this file is its program, too. It prints the cells that fail.
"""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from everything import CELLS, Case
from test_guard_pages import guarded

import revolute
from revolute.compiler import batch, calls

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is neither fork nor mprotect here")

GROUPS = 2
"""Processes for all cells, each with every so many machines or controllers."""


def cases(group: int) -> list[Case]:
    owners = list(dict.fromkeys(owner for owner, _ in CELLS))[group::GROUPS]
    return [Case(*cell) for cell in CELLS if cell[0] in owners]


def states(case: Case) -> list[list[np.ndarray]]:
    return [case.row(0), *([] if "batches" in case.refused else [case.arrays])]


def require_same(found: Iterable[np.ndarray], expected: Iterable[np.ndarray]) -> None:
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)


def at_guard_pages(case: Case) -> None:
    """Arguments and results begin, or end, where memory does."""
    for arrays, at_end in itertools.product(states(case), (True, False)):
        given, expected = [guarded(x, at_end) for x in arrays], case(*arrays)
        require_same(case(*given), expected)
        if "out" in case.takes and not ("contacts" in case.options and "stops" not in case.options):
            out = tuple(guarded(y, at_end) for y in expected)
            require_same(case(*given, out=out if len(out) > 1 else out[0]), expected)


def interrupted(case: Case) -> None:
    """Ctrl-C comes from wherever it is; the next call has the bits of the first."""
    for arrays, after in itertools.product(states(case), (3e-4, 1e-3)):
        kept, expected = [x.copy() for x in arrays], case(*arrays)
        try:
            signal.setitimer(signal.ITIMER_REAL, after, 0.5)
            while True:
                case(*arrays)
        except KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, 0)
        require_same(arrays, kept)
        require_same(case(*arrays), expected)


def forked(all_cases: list[Case]) -> None:
    """While another thread computes and compiles; the child calls what it has, and machines that it makes."""
    expected = [case(*case.row(0)) for case in all_cases]
    rows = np.random.default_rng(7).standard_normal((8000, 2))
    batch.PAYS = calls.PAYS = calls.ALONE = 0  # short batches use threads, too

    def work() -> None:
        for k in itertools.count():
            robot = revolute.robots.planar(2).with_gravity((0.0, -9.81, k / 1024))
            robot.inverse_dynamics(rows, rows, rows, threads=2)

    threading.Thread(target=work, daemon=True).start()
    time.sleep(0.05)
    if (child := os.fork()) == 0:
        try:
            failed = [case for case, y in zip(all_cases, expected, strict=True) if not again(case, y)]
            print(*[f"forked: {case.machine!r} {case.name}" for case in failed], sep="\n", end="", flush=True)
        finally:
            os._exit(0)
    for _ in range(6000):
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    print("forked: the child hangs")


def again(case: Case, expected: Any) -> bool:
    try:
        require_same(case(*case.row(0)), expected)
        require_same(case.results(case.of(case.machine)(*case.row(0), **case.options)), expected)
    except Exception:
        return False
    return True


CHECKS: tuple[Callable[[Case], None], ...] = (at_guard_pages, interrupted)


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_cell_withstands_guard_pages_interrupts_and_forks(group: int) -> None:
    words = [sys.executable, "-W", "ignore::DeprecationWarning", Path(__file__), str(group)]
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr  # an interrupt of a finalizer is only shown


def main(group: int) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    everything = cases(group)
    for case, check in itertools.product(everything, CHECKS):
        check(case)
    forked(everything)
    print("done", flush=True)
    os._exit(0)  # a daemon thread still computes


if __name__ == "__main__":
    main(int(sys.argv[1]))
