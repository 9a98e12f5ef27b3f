"""Programs in Python that run in processes of their own; threads that begin together."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def printed(program: str, *words: object, **environment: str) -> str:
    """What a program prints; it must end well, and have nothing to complain about."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, *map(str, words)]
    variables = os.environ | environment
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=280)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def in_threads(work: Callable[[int], object], count: int) -> list[object]:
    """What some work returns in each of so many threads, which begin together; an error of one comes out."""
    begin = threading.Barrier(count)

    def run(number: int) -> object:
        begin.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
