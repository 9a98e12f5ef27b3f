"""Programs in Python that run in processes of their own."""

import os
import subprocess
import sys


def printed(program: str, *words: object, **environment: str) -> str:
    """What a program prints; it must end well, and have nothing to complain about."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, *map(str, words)]
    variables = os.environ | environment
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=280)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
