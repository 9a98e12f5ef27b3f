"""Helper threads that run machine code without Python's lock: see `targets.llvm.helpers`.

They are operating-system threads unknown to Python. They start with the first job that is long enough, and end with the
process. Any compiled loop may use them: from Python by `in_pieces`, from machine code by the address of `run_pieces`.
"""

import ctypes
import os
import struct
import sys
from functools import cache
from pathlib import Path

from revolute.compiler.pool import on_threads
from revolute.compiler.stored import load_shared
from revolute.targets.llvm import Loaded, host
from revolute.targets.llvm.helpers import SYSTEM

SHORT = 2e5  # number of operations per block in a piece (about 50 us)
LONG = 2e6  # minimum number of operations per block in total (about 0.5 ms) for which waking sleeping helpers pays off
CODE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)  # such calls release the GIL


def in_pieces(code: int, argument: int, items: int, operations: int, threads: int) -> None:
    """Call `void code(argument, begin, end)` for pieces of a range of items; signals are handled after the last one.

    Pieces may run in any order, on several threads at once. `operations` is the number per item and block of rows.
    """
    # pieces are short, so that the wait for the last piece of another thread is short
    size = max(int(SHORT / operations), 1)
    if threads == 1 or items <= size:
        CODE(code)(argument, 0, items)
    elif available():
        run_pieces(code, argument, items, size, threads, long=items * operations >= LONG)
    else:
        on_threads(lambda begin: CODE(code)(argument, begin, min(begin + size, items)), range(0, items, size), threads)


@cache
def available() -> bool:
    """Whether this platform supports helpers: Linux threads and semaphores, and 64-bit addresses."""
    if sys.platform != "linux" or struct.calcsize("P") != 8:
        return False
    process = ctypes.CDLL(None)
    return all(hasattr(process, name) for name in SYSTEM)


def run_pieces(function: int, argument: int, items: int, size: int, threads: int, *, long: bool = True) -> None:
    """Call `void code(argument, begin, end)` for pieces of `size` items, on at most one thread per available core.

    The function must not call Python. It is called with the whole range if another job is running, or within a job.
    `long` jobs wake sleeping helpers.
    """
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * 4)
    call(machine_code().function("run_pieces"))(function, argument, items, size, threads, long)


def machine_code() -> Loaded:
    """The machine code of the helpers, shared by the whole process; it is never freed."""
    return _process.get("helpers") or _keep(load_shared("helpers", _text))


_process: dict[str, Loaded] = {}


def _keep(loaded: Loaded) -> Loaded:
    """Keep the machine code until the process ends, unless another thread has loaded it first."""
    ctypes.c_int64.from_address(loaded.variable("quota")).value = _quota()
    # two threads may load the module, but only one copy may run: its variables are the state of the helper threads
    kept = _process.setdefault("helpers", loaded)
    if kept is loaded:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(loaded))  # at exit, helper threads sleep in this code
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
        except (OSError, ValueError):  # the file does not exist, or it contains "max": the CPU time is not limited
            continue
    return 0


def _text() -> str:
    from revolute.targets.llvm.jobs import JobCode  # the lock ensures that the code is compiled only once

    return JobCode(host().triple).text()
