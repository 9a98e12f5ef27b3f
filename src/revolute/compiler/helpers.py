"""Helper threads that run machine code without Python's lock: see `targets.llvm.helpers`.

They are operating-system threads unknown to Python. They start with the first job that is long enough, and end with the
process. Any compiled loop may use them: from Python by `run_pieces`, from machine code by the address of the function
of that name, which takes the same arguments.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from functools import cache
from pathlib import Path

from revolute.compiler.stored import load_shared
from revolute.targets.llvm import Loaded, host
from revolute.targets.llvm.helpers import SYSTEM

__all__ = ["available", "machine_code", "run_pieces"]


@cache
def available() -> bool:
    """Whether this platform supports helpers: Linux threads and semaphores, and 64-bit addresses."""
    if sys.platform != "linux" or struct.calcsize("P") != 8:
        return False
    process = ctypes.CDLL(None)
    return all(hasattr(process, name) for name in SYSTEM)


def run_pieces(function: int, argument: int, items: int, size: int, threads: int, *, long: bool = True) -> None:
    """Run a machine-code function on pieces of a range, on several threads, without Python's lock.

    The function is `void (ptr argument, i64 begin, i64 end)`. It must not call Python, and pieces must be independent.
    It is called with the whole range if another job is running, or if this is called within a job.

    Args:
        function: its address.
        argument: its argument: an address.
        items: length of the range.
        size: items of each piece except the last: about 5 to 50 microseconds of work.
        threads: maximum number, including the caller; limited to the number of cores allowed for the caller.
        long: whether the job takes more than about 0.5 ms, so that sleeping helpers are woken.

    Raises:
        NotImplementedError: this platform has no helpers.
    """
    if not available():
        raise NotImplementedError("helper threads need Linux and addresses of 64 bits")
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * 4)
    call(machine_code().function("run_pieces"))(function, argument, items, size, threads, long)


def machine_code() -> Loaded:
    """The machine code of the helpers, shared by the whole process; it is never freed."""
    return _process.get("helpers") or _keep(load_shared("helpers", _text))


_process: dict[str, Loaded] = {}


def _keep(loaded: Loaded) -> Loaded:
    """Keep the machine code until the process ends, unless another thread has loaded it first."""
    ctypes.c_int64.from_address(loaded.variable("quota")).value = _quota()
    # two threads may have loaded it: one module alone may run, as its variables are the helpers' state
    kept = _process.setdefault("helpers", loaded)
    if kept is loaded:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(loaded))  # helpers sleep in it when the interpreter ends
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=ctypes.CFUNCTYPE(None)(loaded.function("forget")))
    return kept


@cache
def _quota(folder: str = "/sys/fs/cgroup") -> int:
    """Number of cores that a container may use on average, rounded up; 0 if there is no limit."""
    places = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
    for files in places:
        try:
            quota, period = " ".join(Path(folder, name).read_text("ascii") for name in files).split()
            return max(-(-int(quota) // int(period)), 0)
        except (OSError, ValueError):  # there is no such file, or no limit: "max"
            continue
    return 0


def _text() -> str:
    from revolute.targets.llvm.jobs import helpers_module  # to compile it once

    return helpers_module(host().triple)
