"""Locks across forks: the child has only one thread, so a lock held by another thread would never be released."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any

__all__ = ["hold"]


def hold(acquire: Callable[[], object], release: Callable[[], object]) -> None:
    """Hold a lock during every fork: no other thread has it then, and the data it guards is consistent.

    A fork waits for the thread that has the lock. The lock must be reentrant, as the forking thread may hold it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=acquire, after_in_parent=release, after_in_child=release)


_properties: list[Any] = []
_modules = 0


def _find_properties() -> None:
    """List this library's cached properties, if modules were imported since: in the parent, not in each child."""
    global _modules
    if len(sys.modules) != _modules:
        _modules = len(sys.modules)
        modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "revolute"]
        classes = [x for module in modules for x in vars(module).values() if isinstance(x, type)]
        _properties[:] = [x for owner in classes for x in vars(owner).values() if isinstance(x, cached_property)]


def _renew_properties() -> None:
    """Give cached properties new locks: before Python 3.12, each has one.

    The data it guards is always consistent: a property's value is stored in one step.
    """
    for cached in _properties:
        vars(cached)["lock"] = RLock()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_find_properties, after_in_child=_renew_properties)
