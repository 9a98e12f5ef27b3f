"""Locks when a process forks: the child has one thread, and locks that others held would stay locked for ever."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from threading import RLock
from typing import Any, Protocol

__all__ = ["hold"]


class Lock(Protocol):
    """A lock of `threading`, or anything with its two methods."""

    def acquire(self) -> Any:
        """Wait for it."""

    def release(self) -> None:
        """Let others have it."""


def hold(lock: Lock) -> None:
    """Have whoever forks hold a lock meanwhile: no other thread does then, and what it guards is whole.

    A fork waits for the thread that has the lock. It must be reentrant, as that may be the one that forks.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


_properties: list[Any] = []
_modules = 0


def _find_properties() -> None:
    """Look for the cached properties of this library, if modules were imported since: once, not in each child."""
    global _modules
    if len(sys.modules) != _modules:
        _modules = len(sys.modules)
        ours = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "revolute"]
        owners = [x for module in ours for x in vars(module).values() if isinstance(x, type)]
        _properties[:] = [x for owner in owners for x in vars(owner).values() if isinstance(x, cached_property)]


def _renew_properties() -> None:
    """Give new locks to cached properties, which have one each before Python 3.12.

    What such a lock guards is whole at any time: a property's value is kept in one step.
    """
    for found in _properties:
        vars(found)["lock"] = RLock()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_find_properties, after_in_child=_renew_properties)
