"""Forks and the end of the process: threads that do not survive them must not hold a lock or run LLVM then."""

import atexit
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from threading import RLock, get_ident
from typing import Any

import llvmlite.binding as llvm

from revolute.errors import CompileError


def hold(acquire: Callable[[], object], release: Callable[[], object] = lambda: None) -> None:
    """Hold a lock during every fork, so that no other thread holds it and the data that it guards is consistent.

    A fork waits for the thread that holds the lock. The lock must be reentrant, as the forking thread may hold it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=acquire, after_in_parent=release, after_in_child=release)


def wait_for(threads: set[int]) -> None:
    """Wait until a set of thread identifiers contains no other thread; raise KeyboardInterrupt only then."""
    # Before Python 3.13, an interrupted `Thread.join` marks a running thread as stopped.
    try:
        while threads - {get_ident()}:
            time.sleep(1e-4)
    except BaseException:
        wait_for(threads)
        raise


# llvmlite's lock: if another thread held this lock during a fork, the child could not use LLVM
lock: Any = getattr(getattr(llvm.ffi.lib, "_lock", None), "_lock", None) or RLock()
gate = RLock()  # held by a fork, so that no thread begins to run LLVM
ending: list[int] = []  # the thread that ends the process; only this thread may run LLVM then
_busy: set[int] = set()  # the threads that run LLVM


@contextmanager
def unlocking() -> Iterator[None]:
    """Release llvmlite's lock at the end of this block, if Ctrl-C came between its acquisition and the call.

    Otherwise this thread would keep the lock, and other threads that use LLVM, forks, and the end of the process would
    hang.
    """
    held = lock._is_owned()
    try:
        yield
    finally:
        while not held and lock._is_owned():
            lock.release()


@contextmanager
def running_llvm() -> Iterator[None]:
    """Run LLVM in this block: forks and the end of the process wait for it. Raise CompileError if it is ending."""
    me = get_ident()
    try:
        with gate:
            _busy.add(me)
        if ending and me not in ending:
            raise CompileError("the process is ending, so nothing can be compiled")
        with unlocking():
            yield
    finally:
        _busy.discard(me)


# a fork and the end of the process run these hooks from the last to the first
hold(lock.acquire, lock.release)
hold(partial(wait_for, _busy))
hold(gate.acquire, gate.release)
atexit.register(wait_for, _busy)
atexit.register(lambda: ending.append(get_ident()))


def _renew_properties() -> None:
    """Give this library's cached properties new locks: before Python 3.12, each has one."""
    # The data it guards is always consistent: a property's value is stored in one step.
    modules = [module for name, module in [*sys.modules.items()] if name.partition(".")[0] == "revolute"]
    for owner in [x for module in modules for x in vars(module).values() if isinstance(x, type)]:
        for cached in [x for x in vars(owner).values() if isinstance(x, cached_property)]:
            vars(cached)["lock"] = RLock()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_properties)
