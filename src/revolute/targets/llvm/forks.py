"""Locks across forks: the child has only one thread, so a lock held by another thread would never be released."""

import os
import sys
from collections.abc import Callable
from functools import cached_property
from threading import RLock


def hold(acquire: Callable[[], object], release: Callable[[], object]) -> None:
    """Hold a lock during every fork, so that no other thread holds it and the data that it guards is consistent.

    A fork waits for the thread that holds the lock. The lock must be reentrant, as the forking thread may hold it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=acquire, after_in_parent=release, after_in_child=release)


def _renew_properties() -> None:
    """Give this library's cached properties new locks: before Python 3.12, each has one.

    The data it guards is always consistent: a property's value is stored in one step.
    """
    modules = [module for name, module in [*sys.modules.items()] if name.partition(".")[0] == "revolute"]
    for owner in [x for module in modules for x in vars(module).values() if isinstance(x, type)]:
        for cached in [x for x in vars(owner).values() if isinstance(x, cached_property)]:
            vars(cached)["lock"] = RLock()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_properties)
